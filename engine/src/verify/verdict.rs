//! What a step of a target holds, against what it should.

use serde::Serialize;

use super::sector::{Found, SECTOR_BYTES, Seal, read_sector};

/// What is wrong with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// It holds nothing of this run: its write is not there.
    Lost,
    /// It holds an older write of this run.
    Stale,
    /// Its sectors are not of one write.
    Torn,
    /// It holds a write that belongs elsewhere.
    Misplaced,
    /// What it holds was changed: a checksum does not fit.
    Corrupt,
    /// It can't be read.
    Unreadable,
}

/// A step that does not hold what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// What is wrong.
    pub kind: DamageKind,
    /// The first sector that is not as it should be, or the step that can't be read.
    pub offset_bytes: u64,
    /// The number of the write that the step must hold, or a later one; 0 where it may hold anything.
    pub sequence_expected: u64,
    /// The number of the write that it holds.
    pub sequence_found: Option<u64>,
    /// Where that belongs, if not here.
    pub belongs_at_bytes: Option<u64>,
}

impl Damage {
    /// A step that can't be read.
    #[must_use]
    pub fn unreadable(offset_bytes: u64, floor: u64) -> Self {
        Self {
            kind: DamageKind::Unreadable,
            offset_bytes,
            sequence_expected: floor,
            sequence_found: None,
            belongs_at_bytes: None,
        }
    }
}

/// What is wrong with a step at an offset that must hold a run's write of the number `floor` or a later one; None where
/// nothing is. One that may hold anything may not hold what belongs elsewhere.
#[must_use]
pub fn judge(step: &[u8], offset_bytes: u64, run: u64, floor: u64) -> Option<Damage> {
    let mut first: Option<Damage> = None;
    let mut is_all_alike = true;
    for (number, sector) in step.chunks_exact(SECTOR_BYTES).enumerate() {
        let here = offset_bytes + (number * SECTOR_BYTES) as u64;
        let found = judge_sector(read_sector(sector, run), here, floor);
        match (found, first) {
            // Whatever else is wrong, this says why.
            (Some(damage), _) if damage.kind > DamageKind::Torn => return Some(damage),
            (Some(damage), None) => {
                is_all_alike = number == 0;
                first = Some(damage);
            }
            (Some(damage), Some(known)) => {
                is_all_alike &= (damage.kind, damage.sequence_found) == (known.kind, known.sequence_found);
            }
            (None, Some(_)) => is_all_alike = false,
            (None, None) => {}
        }
    }
    let kind = |damage: Damage| if is_all_alike { damage.kind } else { DamageKind::Torn };
    first.map(|damage| Damage { kind: kind(damage), ..damage })
}

fn judge_sector(found: Found, here: u64, floor: u64) -> Option<Damage> {
    let damage = |kind, seal: Option<Seal>| {
        Some(Damage {
            kind,
            offset_bytes: here,
            sequence_expected: floor,
            sequence_found: seal.map(|seal| seal.sequence),
            belongs_at_bytes: seal.map(|seal| seal.offset_bytes).filter(|place| *place != here),
        })
    };
    match found {
        Found::Whole(seal) if seal.offset_bytes != here => damage(DamageKind::Misplaced, Some(seal)),
        _ if floor == 0 => None,
        Found::Whole(seal) if seal.sequence < floor => damage(DamageKind::Stale, Some(seal)),
        Found::Whole(_) => None,
        Found::Broken => damage(DamageKind::Corrupt, None),
        Found::Foreign => damage(DamageKind::Lost, None),
    }
}
