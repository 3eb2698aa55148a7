//! Streams of accesses and their data: reproducible by the seed, with the requested properties.

use std::collections::HashSet;

use crate::common::{Written, job};
use iosonde_engine::job::{Data, Engine, Job, Pattern};
use iosonde_engine::pattern::{Access, Accesses, Direction, Shared};
use iosonde_engine::record::Class;

fn stream(job: &Job, worker: u32, count: usize) -> Vec<Access> {
    let mut accesses = Accesses::new(job, worker, &Shared::new(job));
    std::iter::from_fn(|| accesses.draw()).take(count).collect()
}

#[test]
fn the_same_seed_yields_the_same_stream_and_another_seed_another() {
    let mixed = Job { read_percent: 70, ..job() };
    assert_eq!(stream(&mixed, 0, 1000), stream(&mixed, 0, 1000));
    assert_ne!(stream(&mixed, 0, 1000), stream(&Job { seed: 8, ..mixed.clone() }, 0, 1000));
    let two = Job { jobs: 2, ..mixed };
    assert_ne!(stream(&two, 0, 1000), stream(&two, 1, 1000));
}

#[test]
fn the_share_of_reads_does_not_change_which_blocks_are_visited() {
    let offsets = |percent| -> Vec<u64> {
        stream(&Job { read_percent: percent, ..job() }, 0, 1000).iter().map(|access| access.offset_bytes).collect()
    };
    assert_eq!(offsets(100), offsets(30));
}

#[test]
fn random_blocks_are_aligned_and_uniformly_distributed_over_the_test_region() {
    let wide = Job { span_bytes: 100 * 4096 + 4095, ..job() };
    let mut visits = [0_u32; 100];
    for access in stream(&wide, 0, 100_000) {
        assert_eq!(access.offset_bytes % 4096, 0);
        visits[usize::try_from(access.offset_bytes / 4096).expect("a block number")] += 1;
    }
    // 1,000 visits each are expected; six standard deviations are 190.
    assert!(visits.iter().all(|count| count.abs_diff(1000) < 190), "{visits:?}");
}

#[test]
fn each_hundred_operations_have_the_exact_share_of_reads() {
    for percent in [0_u8, 1, 30, 50, 70, 99, 100] {
        let accesses = stream(&Job { read_percent: percent, ..job() }, 0, 10_000);
        for hundred in accesses.chunks(100) {
            let reads = hundred.iter().filter(|access| access.class == Class::Read).count();
            assert_eq!(reads, usize::from(percent), "of {hundred:?}");
        }
    }
}

#[test]
fn a_sequential_stream_starts_at_a_seeded_block_and_wraps_at_the_end_of_the_test_region() {
    let sequential = Job { pattern: Pattern::Sequential, ..job() };
    let blocks: Vec<u64> = stream(&sequential, 0, 600).iter().map(|access| access.offset_bytes / 4096).collect();
    assert!(blocks.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 256), "{blocks:?}");
    let starts: HashSet<u64> =
        (0..50).map(|seed| stream(&Job { seed, ..sequential.clone() }, 0, 1)[0].offset_bytes).collect();
    assert!(starts.len() > 30, "{} different starts", starts.len());
}

#[test]
fn threads_of_one_queue_share_a_sequential_stream() {
    let sequential = Job { engine: Engine::Psync, pattern: Pattern::Sequential, queue_depth: 2, ..job() };
    let shared = Shared::new(&sequential);
    let mut workers = [Accesses::new(&sequential, 0, &shared), Accesses::new(&sequential, 1, &shared)];
    let blocks: Vec<u64> =
        (0..100).filter_map(|turn| workers[turn % 2].draw()).map(|access| access.offset_bytes / 4096).collect();
    assert!(blocks.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 256), "{blocks:?}");
}

#[test]
fn each_of_several_jobs_has_a_sequential_stream_in_its_own_share() {
    let sequential = Job { pattern: Pattern::Sequential, jobs: 4, ..job() };
    let shared = Shared::new(&sequential);
    for worker in 0..4 {
        let mut accesses = Accesses::new(&sequential, worker, &shared);
        let blocks: Vec<u64> =
            (0..200).filter_map(|_| accesses.draw()).map(|access| access.offset_bytes / 4096).collect();
        let first = u64::from(worker) * 64;
        assert!(blocks.iter().all(|block| (first..first + 64).contains(block)), "job {worker}: {blocks:?}");
        assert_eq!(blocks.iter().collect::<HashSet<_>>().len(), 64, "job {worker} leaves out a part of its share");
    }
}

#[test]
fn the_threads_of_one_psync_queue_share_its_stream_and_two_queues_do_not() {
    let sequential = Job { engine: Engine::Psync, pattern: Pattern::Sequential, queue_depth: 2, jobs: 2, ..job() };
    assert_eq!((sequential.workers(), sequential.slots(), sequential.in_flight()), (4, 1, 4));
    let shared = Shared::new(&sequential);
    let mut blocks = [Vec::new(), Vec::new()];
    for worker in 0..4 {
        let mut accesses = Accesses::new(&sequential, worker, &shared);
        let drawn = (0..64).filter_map(|_| accesses.draw()).map(|access| access.offset_bytes / 4096);
        blocks[worker as usize / 2].extend(drawn);
    }
    for (queue, drawn) in blocks.iter().enumerate() {
        assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 128, "queue {queue}");
    }
}

// One block of each kind of data, written by one worker.
fn block_of(data: Data, block_size_bytes: u32, worker: u32) -> Vec<u8> {
    let write = Job { read_percent: 0, block_size_bytes, data, ..job() };
    Written::of(&write, 4, worker).block(0, block_size_bytes)
}

#[test]
fn compressible_data_is_half_zeros_in_every_4_kib_and_zeros_are_all_zeros() {
    for size in [512, 4096, 65536] {
        let unit = size.min(4096) as usize;
        for page in block_of(Data::Compressible, size, 0).chunks(unit) {
            assert!(page[unit / 2..].iter().all(|byte| *byte == 0), "{size}");
            assert!(page[..unit / 2].chunks(8).all(|word| word.iter().any(|byte| *byte != 0)), "{size}");
        }
        assert!(block_of(Data::Zeros, size, 0).iter().all(|byte| *byte == 0), "{size}");
    }
}

#[test]
fn no_two_workers_write_the_same_data() {
    assert_ne!(block_of(Data::Random, 4096, 0), block_of(Data::Random, 4096, 1));
}

#[test]
fn writes_carry_data_that_neither_repeats_nor_compresses() {
    let write = Job { read_percent: 0, block_size_bytes: 16384, ..job() };
    let mut written = Written::of(&write, 4, 0);
    let mut pages = HashSet::new();
    let mut counts = [0_u64; 256];
    for round in 0..400_u32 {
        for page in written.block(round % 4, 16384).chunks(4096) {
            assert!(pages.insert(page.to_vec()), "a page was written twice");
            for byte in page {
                counts[usize::from(*byte)] += 1;
            }
        }
    }
    // Every byte value is expected 25,600 times. The writes come from 2 MiB of random data, in which each value occurs
    // 8,192 times with a standard deviation of 90: six of those, times 25,600 / 8,192.
    assert!(counts.iter().all(|count| count.abs_diff(25_600) < 1_700), "{counts:?}");
}

#[test]
fn reads_and_writes_use_separate_memory() {
    let mixed = Job { read_percent: 50, ..job() };
    let mut written = Written::of(&mixed, 4, 0);
    let reads: Vec<usize> = (0..4).map(|slot| written.place(slot, Direction::Read, 4096)).collect();
    for round in 0..4000_u32 {
        let write = written.place(round % 4, Direction::Write, 4096);
        assert!(reads.iter().all(|read| write.abs_diff(*read) >= 4096));
    }
}
