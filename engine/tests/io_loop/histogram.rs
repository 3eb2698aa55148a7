//! The histogram compared with `HdrHistogram`, and its layout in the record.

use hdrhistogram::Histogram as Oracle;
use iosonde_engine::record::{BUCKETS, BUCKETS_PER_OCTAVE, Histogram, TimeDistribution, bucket_of};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The lowest value of a bucket, derived from the definition of the layout.
fn low(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / BUCKETS_PER_OCTAVE).saturating_sub(1);
    (bucket - shift * BUCKETS_PER_OCTAVE) << shift
}

/// Width of a bucket.
fn width(bucket: usize) -> u64 {
    1 << (bucket as u64 / BUCKETS_PER_OCTAVE).saturating_sub(1)
}

/// The value at a rank (1 is the smallest): the midpoint of its bucket.
fn value_at_rank(histogram: &Histogram, rank: u64) -> u64 {
    let mut seen = 0;
    for (bucket, count) in histogram.filled() {
        seen += count;
        if seen >= rank {
            return low(bucket) + width(bucket) / 2;
        }
    }
    panic!("rank {rank} is beyond {seen} values");
}

/// Typical latencies of a drive: mostly near 80 µs, with a tail of milliseconds and rare seconds.
fn latencies(seed: u64, count: usize) -> Vec<u64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let draw = |random: &mut Xoshiro256PlusPlus| match random.next_u64() % 1000 {
        0 => 1_000_000_000 + random.next_u64() % 9_000_000_000,
        1..20 => 1_000_000 + random.next_u64() % 50_000_000,
        _ => 60_000 + random.next_u64() % 40_000,
    };
    (0..count).map(|_| draw(&mut random)).collect()
}

#[test]
fn every_value_is_within_its_bucket_and_buckets_ascend() {
    let edges = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1, (1 << bit) + 1]);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let anywhere: Vec<u64> = (0..200_000).map(|round| random.next_u64() >> (round % 64)).collect();
    let mut last = (0, 0);
    let mut values: Vec<u64> = edges.chain(anywhere).chain([u64::MAX]).collect();
    values.sort_unstable();
    for value in values {
        let bucket = bucket_of(value);
        assert!(low(bucket) <= value && value - low(bucket) < width(bucket), "{value} in {bucket}");
        assert!(bucket >= last.1, "{value} after {}", last.0);
        last = (value, bucket);
    }
    assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
}

#[test]
fn the_middle_of_a_bucket_is_within_0_4_percent() {
    for value in latencies(2, 100_000) {
        let bucket = bucket_of(value);
        let middle = low(bucket) + width(bucket) / 2;
        assert!(middle.abs_diff(value) * 1000 <= value * 4, "{value} stands as {middle}");
    }
}

#[test]
fn percentiles_agree_with_hdrhistogram_within_both_resolutions() {
    for seed in 1..=5 {
        let mut ours = Histogram::new();
        let mut oracle = Oracle::<u64>::new_with_bounds(1, 60_000_000_000, 4).expect("bounds that make sense");
        let values = latencies(seed, 100_000);
        for value in &values {
            ours.record(*value);
            oracle.record(*value).expect("within bounds");
        }
        for rank in [1, 50_000, 90_000, 95_000, 99_000, 99_900, 99_990, 100_000] {
            let (mine, theirs) = (value_at_rank(&ours, rank), oracle_at_rank(&oracle, rank));
            assert!(mine.abs_diff(theirs) * 1000 <= theirs * 5, "seed {seed}, rank {rank}: {mine} against {theirs}");
        }
    }
}

/// The reference value at exactly the same rank; its own percentiles round ranks differently.
fn oracle_at_rank(oracle: &Oracle<u64>, rank: u64) -> u64 {
    let mut seen = 0;
    for step in oracle.iter_recorded() {
        seen += step.count_at_value();
        if seen >= rank {
            return oracle.median_equivalent(step.value_iterated_to());
        }
    }
    panic!("rank {rank} is beyond {seen} values");
}

#[test]
fn merging_is_adding_counts() {
    let values = latencies(9, 20_000);
    let (first, second) = values.split_at(7_000);
    let whole = filled_with(&values);
    let mut merged = filled_with(first);
    merged.add(&filled_with(second));
    assert_eq!(merged, whole);
}

fn filled_with(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for value in values {
        histogram.record(*value);
    }
    histogram
}

#[test]
fn a_sum_of_times_saturates() {
    let mut distribution = TimeDistribution::new(Histogram::new());
    distribution.record(u64::MAX - 1);
    distribution.record(7);
    assert_eq!((distribution.ns_sum, distribution.ns_min, distribution.ns_max), (u64::MAX, 7, u64::MAX - 1));
    let other = distribution.clone();
    distribution.add(&other);
    assert_eq!(distribution.ns_sum, u64::MAX);
}
