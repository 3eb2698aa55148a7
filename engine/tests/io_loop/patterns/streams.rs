//! The streams of whole jobs.

use std::collections::{HashMap, HashSet};

use iosonde_engine::job::{Engine, Job, Pattern, SizeShare, Zone};
use iosonde_engine::pattern::{Access, Accesses, Shared};
use iosonde_engine::record::Class;

use crate::common::{Written, job};

const BLOCK: u64 = 4096;

fn stream(job: &Job, count: usize) -> Vec<Access> {
    let mut accesses = Accesses::new(job, 0, &Shared::new(job));
    std::iter::from_fn(|| accesses.draw()).take(count).collect()
}

// The accesses of all workers in round-robin order.
fn together(job: &Job, count: usize) -> Vec<Access> {
    let shared = Shared::new(job);
    let mut workers: Vec<Accesses> = (0..job.workers()).map(|worker| Accesses::new(job, worker, &shared)).collect();
    let turns = (0..count).map_while(|turn| workers[turn % job.workers() as usize].draw());
    turns.collect()
}

fn blocks(accesses: &[Access]) -> Vec<u64> {
    accesses.iter().map(|access| access.offset_bytes / BLOCK).collect()
}

fn composite() -> Vec<SizeShare> {
    // The block sizes of the SNIA's composite workload, in sectors, with their shares in percent.
    let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128];
    let weights = [4, 1, 1, 1, 1, 1, 1, 67, 10, 7, 3, 3];
    let shares = sizes.iter().zip(weights);
    shares.map(|(sectors, weight)| SizeShare { size_bytes: sectors * 512, weight }).collect()
}

fn mixed_sizes() -> Job {
    Job { block_size_bytes: 65_536, block_sizes: composite(), span_bytes: 16 << 20, ..job() }
}

#[test]
fn a_permutation_visits_every_block_once_before_any_repeats_in_another_order() {
    let once = Job { pattern: Pattern::Permutation, span_bytes: 250 * BLOCK + 17, ..job() };
    let drawn = blocks(&stream(&once, 500));
    for round in drawn.chunks(250) {
        assert_eq!(round.iter().collect::<HashSet<_>>().len(), 250);
        assert!(round.iter().all(|block| *block < 250));
    }
    assert_ne!(drawn[..250], drawn[250..]);
}

#[test]
fn all_workers_on_a_target_share_a_permutation() {
    for engine in [Engine::Null, Engine::Psync] {
        let once = Job { engine, pattern: Pattern::Permutation, jobs: 3, ..job() };
        let drawn = blocks(&together(&once, 512));
        assert_eq!(drawn[..256].iter().collect::<HashSet<_>>().len(), 256);
        assert_eq!(drawn[256..].iter().collect::<HashSet<_>>().len(), 256);
    }
}

#[test]
fn each_target_has_its_own_permutation() {
    let two = Job { pattern: Pattern::Permutation, targets: 2, ..job() };
    let drawn = blocks(&together(&two, 512));
    let (one, other): (Vec<u64>, Vec<u64>) = drawn.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
    assert_ne!(one, other);
    assert!([one, other].iter().all(|each| each.iter().collect::<HashSet<_>>().len() == 256));
}

#[test]
fn an_amount_of_the_whole_test_region_covers_it_exactly_once() {
    let whole = Job { pattern: Pattern::Permutation, jobs: 2, amount_bytes: Some(1 << 20), ..job() };
    let drawn = blocks(&together(&whole, 10_000));
    assert_eq!((drawn.len(), drawn.iter().collect::<HashSet<_>>().len()), (256, 256));
}

#[test]
fn a_job_goes_on_where_the_one_before_it_ended() {
    let fast = Pattern::FastRandom { over_provisioning_permille: 150 };
    for pattern in [Pattern::Sequential, Pattern::Permutation, fast] {
        let whole = Job { pattern, read_percent: 0, jobs: 1, amount_bytes: Some(294 * BLOCK), ..job() };
        let drawn = blocks(&together(&whole, 10_000));
        let part = Job { amount_bytes: Some(100 * BLOCK), ..whole.clone() };
        let rest = Job { done_bytes: 100 * BLOCK, ..whole.clone() };
        let both = [blocks(&together(&part, 10_000)), blocks(&together(&rest, 10_000))].concat();
        assert_eq!(both, drawn, "{:?}", whole.pattern);
    }
}

#[test]
fn a_random_job_goes_on_with_other_blocks_than_the_one_before_it() {
    let part = Job { jobs: 1, amount_bytes: Some(64 * BLOCK), ..job() };
    let rest = Job { amount_bytes: Some(128 * BLOCK), done_bytes: 64 * BLOCK, ..part.clone() };
    let (before, after) = (blocks(&together(&part, 100)), blocks(&together(&rest, 100)));
    assert_eq!((before.len(), after.len()), (64, 64));
    assert_ne!(before, after);
}

#[test]
fn hot_blocks_are_contiguous_unless_they_are_scattered() {
    let zones = vec![
        Zone { accesses_permille: 900, space_permille: 100 },
        Zone { accesses_permille: 100, space_permille: 900 },
    ];
    let hot = |scattered| {
        let pattern = Pattern::HotSpots { zones: zones.clone(), scattered };
        let mut visits: HashMap<u64, u32> = HashMap::new();
        for block in blocks(&stream(&Job { pattern, span_bytes: 1000 * BLOCK, ..job() }, 100_000)) {
            *visits.entry(block).or_default() += 1;
        }
        let mut hot: Vec<u64> = visits.into_iter().filter(|(_, count)| *count > 400).map(|(block, _)| block).collect();
        hot.sort_unstable();
        hot
    };
    assert!(hot(false).into_iter().eq(0..100));
    let scattered = hot(true);
    assert_eq!(scattered.len(), 100);
    let halves = scattered.iter().filter(|block| **block < 500).count();
    assert!((25..75).contains(&halves), "{halves} of 100 lie in the first half");
}

#[test]
fn all_workers_have_the_same_hot_blocks() {
    let pattern = Pattern::Zipf { exponent_permille: 1_500, scattered: true };
    let two = Job { pattern, jobs: 2, span_bytes: 100_000 * BLOCK, ..job() };
    let shared = Shared::new(&two);
    let hottest = [0, 1].map(|worker| {
        let mut accesses = Accesses::new(&two, worker, &shared);
        let mut visits: HashMap<u64, u32> = HashMap::new();
        for _ in 0..10_000 {
            *visits.entry(accesses.draw().expect("no amount").offset_bytes).or_default() += 1;
        }
        visits.into_iter().max_by_key(|(_, count)| *count).expect("there are some").0
    });
    assert_eq!(hottest[0], hottest[1]);
    assert_ne!(hottest[0], 0, "the first block is the hottest only where ranks are not scattered");
}

#[test]
fn jumps_have_their_exact_share_and_the_run_continues_after_them() {
    let runs = Job { pattern: Pattern::Runs { jump_percent: 10 }, span_bytes: 1_000_000 * BLOCK, ..job() };
    let drawn = blocks(&stream(&runs, 10_001));
    let jumps = drawn.windows(2).filter(|pair| pair[1] != (pair[0] + 1) % 1_000_000).count();
    // Of the first ten thousand, a thousand jump; the first and the last may do so as well.
    assert!((999..=1001).contains(&jumps), "{jumps}");
}

#[test]
fn a_stride_visits_every_block() {
    let strided = Job { pattern: Pattern::Strided { stride_bytes: 16 * BLOCK }, ..job() };
    let drawn = blocks(&stream(&strided, 256));
    assert!(drawn.windows(2).filter(|pair| pair[1] == pair[0] + 16).count() >= 239, "{drawn:?}");
    assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 256);
}

#[test]
fn every_pattern_stays_within_its_test_region() {
    let zones = vec![Zone { accesses_permille: 1000, space_permille: 1000 }];
    for pattern in [
        Pattern::Random,
        Pattern::Sequential,
        Pattern::Permutation,
        Pattern::FastRandom { over_provisioning_permille: 150 },
        Pattern::Zipf { exponent_permille: 990, scattered: true },
        Pattern::Pareto { share_permille: 200, scattered: false },
        Pattern::HotSpots { zones, scattered: true },
        Pattern::Strided { stride_bytes: 3 * BLOCK },
        Pattern::Runs { jump_percent: 50 },
    ] {
        let part = Job { pattern, offset_bytes: 8 * BLOCK, span_bytes: 10 * BLOCK, ..job() };
        let drawn = blocks(&stream(&part, 1000));
        let seen: HashSet<u64> = drawn.into_iter().collect();
        assert_eq!(seen, (8..18).collect(), "{:?}", part.pattern);
    }
}

#[test]
fn mixed_sizes_have_their_exact_shares_within_the_test_region() {
    for pattern in [
        Pattern::Random,
        Pattern::Sequential,
        Pattern::Zipf { exponent_permille: 990, scattered: true },
        Pattern::Runs { jump_percent: 20 },
    ] {
        let mixed = Job { pattern: pattern.clone(), ..mixed_sizes() };
        let drawn = stream(&mixed, 10_000);
        for hundred in drawn.chunks(100) {
            for share in composite() {
                let count = hundred.iter().filter(|access| access.length_bytes == share.size_bytes).count();
                assert_eq!(count, share.weight as usize, "{pattern:?}, {} bytes", share.size_bytes);
            }
        }
        let end = |access: &Access| access.offset_bytes + u64::from(access.length_bytes);
        assert!(drawn.iter().all(|access| end(access) <= mixed.span_bytes), "{pattern:?}");
    }
}

#[test]
fn random_blocks_of_mixed_sizes_are_aligned_to_their_own_size() {
    let drawn = stream(&mixed_sizes(), 10_000);
    assert!(drawn.iter().all(|access| access.offset_bytes % u64::from(access.length_bytes) == 0));
}

#[test]
fn a_sequential_stream_of_mixed_sizes_is_contiguous() {
    let mixed = Job { pattern: Pattern::Sequential, ..mixed_sizes() };
    let drawn = stream(&mixed, 1000);
    let follow = |pair: &&[Access]| pair[1].offset_bytes == pair[0].offset_bytes + u64::from(pair[0].length_bytes);
    let kept = drawn.windows(2).filter(follow).count();
    // The stream of about 8 MiB wraps at most once, where one block ends at the end.
    assert!(kept >= 997, "{kept}");
}

#[test]
fn an_amount_of_mixed_sizes_is_never_exceeded_and_hardly_missed() {
    let mixed = Job { amount_bytes: Some(1 << 20), ..mixed_sizes() };
    let bytes: u64 = stream(&mixed, 100_000).iter().map(|access| u64::from(access.length_bytes)).sum();
    assert!(bytes <= 1 << 20 && bytes > (1 << 20) - 65_536, "{bytes}");
}

#[test]
fn reads_writes_and_trims_have_exact_shares() {
    let mixed = Job { read_percent: 65, trim_percent: 5, ..job() };
    for hundred in stream(&mixed, 10_000).chunks(100) {
        let counts = [Class::Read, Class::Write, Class::Trim]
            .map(|class| hundred.iter().filter(|access| access.class == class).count());
        assert_eq!(counts, [65, 30, 5]);
    }
}

#[test]
fn compressible_data_is_half_zeros_for_all_mixed_sizes() {
    let mixed = Job { read_percent: 0, data: iosonde_engine::job::Data::Compressible, ..mixed_sizes() };
    let mut written = Written::of(&mixed, 2, 0);
    for share in composite() {
        let length = share.size_bytes as usize;
        let block = written.block(0, share.size_bytes);
        let zeros: usize = block.iter().map(|byte| usize::from(*byte == 0)).sum();
        assert!(zeros.abs_diff(length / 2) < length / 64 + 16, "{zeros} of {length}");
    }
}
