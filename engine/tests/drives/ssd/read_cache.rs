//! The read cache.

use iosonde_engine::ring::Operation;
use iosonde_engine::sim::SsdModel;
use iosonde_engine::sim::ssd::{PAGE_BYTES, ReadCacheModel};

use super::rig::{DriveRig, Load, MIB, RANDOM_READ, SECOND, US, mean, small};

const SEQUENTIAL_READ: Load = Load { is_sequential: true, ..RANDOM_READ };

fn with_cache(read_ahead_bytes: u64, keeps_pages: bool) -> SsdModel {
    let cache = ReadCacheModel { size_bytes: MIB, read_ahead_bytes, keeps_pages };
    SsdModel { read_cache: Some(cache), ..small() }
}

#[test]
fn read_ahead_makes_sequential_reads_faster_than_random_reads() {
    let mut rig = DriveRig::filled(&with_cache(256 << 10, false));
    let random_ns = mean(&rig.run(RANDOM_READ, 1000).read_ns);
    rig.next_bytes = 0;
    let sequential_ns = mean(&rig.run(SEQUENTIAL_READ, 1000).read_ns);
    assert!(sequential_ns < random_ns / 3.0, "{sequential_ns} and {random_ns}");
}

#[test]
fn a_drive_without_read_ahead_reads_each_page_from_the_media() {
    let mut rig = DriveRig::filled(&with_cache(0, false));
    rig.next_bytes = 0;
    assert!(rig.run(SEQUENTIAL_READ, 1000).read_ns.iter().all(|&each| each > 50 * US));
}

#[test]
fn several_streams_are_read_ahead_at_the_same_time() {
    let mut rig = DriveRig::filled(&with_cache(64 << 10, false));
    let mut slow = 0;
    for number in 0..200 {
        for stream in 0..4 {
            let offset_bytes = stream * 64 * MIB + number * PAGE_BYTES;
            slow += u32::from(rig.one(Operation::Read, offset_bytes, 4096) > 50 * US);
        }
    }
    assert!(slow < 40, "{slow} of 800 reads were from the media");
}

#[test]
fn a_page_that_is_kept_is_read_from_the_media_once() {
    for (keeps_pages, again) in [(true, false), (false, true)] {
        let mut rig = DriveRig::filled(&with_cache(0, keeps_pages));
        assert!(rig.one(Operation::Read, 4096, 4096) > 50 * US);
        assert_eq!(rig.one(Operation::Read, 4096, 4096) > 50 * US, again);
    }
}

#[test]
fn a_read_of_several_pages_waits_for_those_that_are_not_cached() {
    let mut rig = DriveRig::filled(&with_cache(0, true));
    rig.one(Operation::Read, 4096, 4096);
    assert!(rig.one(Operation::Read, 0, 16_384) > 50 * US);
    assert!(rig.one(Operation::Read, 0, 16_384) < 20 * US);
}

#[test]
fn the_oldest_page_leaves_a_full_cache_first() {
    let mut rig = DriveRig::filled(&with_cache(0, true));
    for number in 0..=MIB / PAGE_BYTES {
        rig.one(Operation::Read, number * PAGE_BYTES, 4096);
    }
    assert!(rig.one(Operation::Read, PAGE_BYTES, 4096) < 20 * US, "the second is still there");
    assert!(rig.one(Operation::Read, 0, 4096) > 50 * US, "the first is not");
}

#[test]
fn a_write_discards_what_was_read_ahead() {
    for (writes, from_media) in [(false, false), (true, true)] {
        let mut rig = DriveRig::filled(&with_cache(512 << 10, false));
        rig.one(Operation::Read, 0, 4096);
        rig.one(Operation::Read, 4096, 4096);
        if writes {
            // Enough for a program unit on every die, so that the new data leaves the write buffer.
            for page in 2..130 {
                rig.one(Operation::Write, page * PAGE_BYTES, 4096);
            }
        }
        rig.now_ns += SECOND;
        assert_eq!(rig.one(Operation::Read, 8192, 4096) > 50 * US, from_media);
    }
}

#[test]
fn the_sizes_of_the_cache_have_bounds() {
    for (size_bytes, read_ahead_bytes) in [(4096, 0), (8 << 30, 0), (MIB, MIB), (1 << 30, 128 * MIB)] {
        let cache = ReadCacheModel { size_bytes, read_ahead_bytes, keeps_pages: false };
        let failure = SsdModel { read_cache: Some(cache), ..small() }.check().unwrap_err();
        assert!(failure.message.contains("read_cache."), "{failure:?}");
    }
}
