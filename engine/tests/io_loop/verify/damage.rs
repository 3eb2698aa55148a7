//! Each kind of damage is identified and located, and nothing else is reported.

use iosonde_engine::verify::DamageKind::{Corrupt, Lost, Misplaced, Stale, Torn};

use super::rig::{BLOCK, VerifyRig, engines, found, part};

const HERE: u64 = 77 * BLOCK;
const THERE: u64 = 200 * BLOCK;

#[test]
fn an_unmodified_file_is_undamaged() {
    for engine in engines() {
        let (rig, _) = VerifyRig::written_twice(engine);
        let verification = rig.verify();
        assert_eq!(found(&verification), []);
        assert_eq!((verification.steps_checked, verification.steps_free), (1024, 0));
    }
}

#[test]
fn a_flipped_bit_is_found_in_its_sector() {
    for engine in engines() {
        let (rig, _) = VerifyRig::written_twice(engine);
        let whole = rig.bytes();
        // Magic, checksum, run, offset, sequence number and data, in the first and in the last sector of a block.
        for place in [0, 5, 9, 17, 25, 31, 32, 300, 511, 3584, 3584 + 20, 4095] {
            let byte = part(&whole, HERE + place, 1)[0];
            for bit in [1, 0x80] {
                rig.put(HERE + place, &[byte ^ bit]);
                assert_eq!(found(&rig.verify()), [(Corrupt, HERE + place / 512 * 512)], "{engine:?}, byte {place}");
            }
            rig.put(HERE + place, &[byte]);
        }
        assert_eq!(found(&rig.verify()), []);
    }
}

#[test]
fn two_swapped_blocks_are_both_misplaced() {
    for engine in engines() {
        let (rig, _) = VerifyRig::written_twice(engine);
        let whole = rig.bytes();
        rig.put(HERE, &part(&whole, THERE, BLOCK));
        rig.put(THERE, &part(&whole, HERE, BLOCK));
        let verification = rig.verify();
        assert_eq!(found(&verification), [(Misplaced, HERE), (Misplaced, THERE)]);
        let belong: Vec<_> = verification.first.iter().map(|damage| damage.belongs_at_bytes).collect();
        assert_eq!(belong, [Some(THERE), Some(HERE)]);
    }
}

#[test]
fn a_block_that_was_rolled_back_is_stale() {
    for engine in engines() {
        let (rig, before) = VerifyRig::written_twice(engine);
        rig.put(HERE, &part(&before, HERE, BLOCK));
        let verification = rig.verify();
        assert_eq!(found(&verification), [(Stale, HERE)]);
        let damage = verification.first[0];
        assert!(damage.sequence_found.is_some_and(|sequence| sequence < damage.sequence_expected), "{damage:?}");
    }
}

#[test]
fn a_block_of_zeros_or_of_another_run_is_lost() {
    for engine in engines() {
        let (rig, _) = VerifyRig::written_twice(engine);
        let (other, _) = VerifyRig::written_twice(engine);
        rig.put(HERE, &[0; 4096]);
        assert_eq!(found(&rig.verify()), [(Lost, HERE)]);
        let mut foreign = part(&other.bytes(), THERE, BLOCK);
        for sector in foreign.chunks_mut(512) {
            // The same header, but of another run.
            let header = iosonde_engine::verify::SectorHeader { run: 1, offset_bytes: THERE, sequence: u64::MAX >> 21 };
            iosonde_engine::verify::write_header(sector, header);
        }
        rig.put(THERE, &foreign);
        assert_eq!(found(&rig.verify()), [(Lost, HERE), (Lost, THERE)]);
    }
}

#[test]
fn a_half_old_block_is_torn_at_its_first_old_sector() {
    for engine in engines() {
        let (rig, before) = VerifyRig::written_twice(engine);
        rig.put(HERE + 2048, &part(&before, HERE + 2048, 2048));
        rig.put(THERE, &part(&before, THERE, 512));
        rig.put(THERE + BLOCK, &[0; 1024]);
        let expected = [(Torn, HERE + 2048), (Torn, THERE), (Torn, THERE + BLOCK)];
        assert_eq!(found(&rig.verify()), expected);
    }
}

#[test]
fn all_damage_is_counted_and_the_first_steps_are_listed() {
    let (rig, _) = VerifyRig::written_twice(engines()[0]);
    rig.put(BLOCK * 100, &vec![0; 512 * 4096]);
    let verification = rig.verify();
    assert_eq!(verification.damaged[&Lost], 512);
    let offsets: Vec<u64> = verification.first.iter().map(|damage| damage.offset_bytes / BLOCK).collect();
    assert_eq!(offsets, (100..120).collect::<Vec<u64>>());
}
