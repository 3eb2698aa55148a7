//! Checks the content of a step against its ledger entry.

use serde::Serialize;

use super::sector::{Found, SECTOR_BYTES, SectorHeader, read_sector};

/// Kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// Lost write: the step holds no data of this run.
    Lost,
    /// Stale data: it holds an older write of this run.
    Stale,
    /// Torn write: its sectors are from different writes.
    Torn,
    /// Misplaced write: it holds data that belongs elsewhere.
    Misplaced,
    /// Corruption: a checksum does not match.
    Corrupt,
    /// Read error.
    Unreadable,
}

/// A damaged step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The kind of damage.
    pub kind: DamageKind,
    /// The first damaged sector, or the start of an unreadable step.
    pub offset_bytes: u64,
    /// The sequence number of the write that the step must hold, or a later one; 0 if it may hold anything.
    pub sequence_expected: u64,
    /// The sequence number that it holds.
    pub sequence_found: Option<u64>,
    /// Where its data belongs, if elsewhere.
    pub belongs_at_bytes: Option<u64>,
}

impl Damage {
    /// An unreadable step.
    #[must_use]
    pub fn unreadable(offset_bytes: u64, expected: u64) -> Self {
        Self {
            kind: DamageKind::Unreadable,
            offset_bytes,
            sequence_expected: expected,
            sequence_found: None,
            belongs_at_bytes: None,
        }
    }
}

/// Checks a step that must hold the write `expected` of a run, or a later one. Returns None if it does. With an
/// `expected` of 0 the step may hold anything, except data that belongs elsewhere.
#[must_use]
pub fn check_step(step: &[u8], offset_bytes: u64, run: u64, expected: u64) -> Option<Damage> {
    let mut first: Option<Damage> = None;
    let mut is_all_alike = true;
    for (number, sector) in step.chunks_exact(SECTOR_BYTES).enumerate() {
        let here = offset_bytes + (number * SECTOR_BYTES) as u64;
        let found = check_sector(read_sector(sector, run), here, expected);
        match (found, first) {
            // Kinds above `Torn` are more specific, and take precedence.
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

fn check_sector(found: Found, here: u64, expected: u64) -> Option<Damage> {
    let damage = |kind, header: Option<SectorHeader>| {
        Some(Damage {
            kind,
            offset_bytes: here,
            sequence_expected: expected,
            sequence_found: header.map(|header| header.sequence),
            belongs_at_bytes: header.map(|header| header.offset_bytes).filter(|place| *place != here),
        })
    };
    match found {
        Found::Valid(header) if header.offset_bytes != here => damage(DamageKind::Misplaced, Some(header)),
        _ if expected == 0 => None,
        Found::Valid(header) if header.sequence < expected => damage(DamageKind::Stale, Some(header)),
        Found::Valid(_) => None,
        Found::Corrupt => damage(DamageKind::Corrupt, None),
        Found::Foreign => damage(DamageKind::Lost, None),
    }
}
