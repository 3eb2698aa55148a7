//! Simulated cloud volumes: limits for I/Os and bytes with burst buckets.

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, job};
use iosonde_engine::cell::Interval;
use iosonde_engine::job::{Engine, Job};
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{CompletionModel, Drive, IoCommand, Model, StateHash, Volume, VolumeModel};

const SECOND: u64 = 1_000 * MS;
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn model() -> VolumeModel {
    VolumeModel {
        capacity_bytes: 1 << 30,
        capacity_scale: 1,
        latency_ns: 500_000,
        latency_sigma_permille: 0,
        in_flight_max: 256,
        io_bytes_max: 256 * KIB,
        base_iops: 300,
        burst_iops: 3_000,
        bucket_io_credits: 27_000,
        base_bytes_per_s: 128 * MIB,
        burst_bytes_per_s: 128 * MIB,
        bucket_bytes: 0,
        bucket_start_permille: 1_000,
    }
}

fn job_of(block_bytes: u32, seconds: u64) -> Job {
    Job {
        engine: Engine::Simulation,
        span_bytes: 1 << 30,
        block_size_bytes: block_bytes,
        queue_depth: 64,
        warmup_ns: 0,
        measure_ns: seconds * SECOND,
        interval_ns: SECOND,
        ..job()
    }
}

/// The operations of each second.
fn counts(bay: &mut DriveBay, job: &Job) -> Vec<u64> {
    let count = |interval: &Interval| interval.operations.values().map(|totals| totals.count).sum();
    bay.run(job).0.iter().map(count).collect()
}

fn bay(model: &VolumeModel) -> DriveBay {
    model.check().expect("the model is valid");
    DriveBay::of(Drive::new(&Model::Volume(model.clone()), 1))
}

fn near(seen: u64, expected: u64) -> bool {
    seen.abs_diff(expected) * 200 <= expected
}

#[test]
fn a_full_bucket_gives_the_burst_rate_until_it_is_empty_and_then_the_base_rate() {
    // 27,000 credits, spent at 3,000 and earned at 300 a second, last for 10 s.
    let counts = counts(&mut bay(&model()), &job_of(4096, 20));
    assert!(counts[1..9].iter().all(|count| near(*count, 3_000)), "{counts:?}");
    assert!(counts[11..].iter().all(|count| near(*count, 300)), "{counts:?}");
}

#[test]
fn a_half_full_bucket_gives_half_of_the_burst() {
    let half = VolumeModel { bucket_start_permille: 500, ..model() };
    let counts = counts(&mut bay(&half), &job_of(4096, 12));
    assert!(counts[..4].iter().all(|count| *count > 2_900), "{counts:?}");
    assert!(counts[6..].iter().all(|count| near(*count, 300)), "{counts:?}");
}

#[test]
fn an_empty_bucket_fills_at_the_base_rate_while_the_volume_is_idle() {
    let mut bay = bay(&model());
    counts(&mut bay, &job_of(4096, 20));
    bay.clock.move_to(45 * SECOND);
    // 25 s of 300 credits are 7,500, which last for 2.78 s.
    let counts = counts(&mut bay, &job_of(4096, 8));
    assert!(counts[..2].iter().all(|count| *count > 2_900), "{counts:?}");
    assert!(counts[4..].iter().all(|count| near(*count, 300)), "{counts:?}");
}

#[test]
fn a_request_costs_a_credit_for_each_part_of_256_kib() {
    let small = VolumeModel { base_bytes_per_s: 1 << 33, burst_bytes_per_s: 1 << 33, ..model() };
    for (block_bytes, credits) in [(4096, 1), (256 << 10, 1), (257 << 10, 2), (1 << 20, 4)] {
        let counts = counts(&mut bay(&small), &job_of(block_bytes, 20));
        assert!(near(counts[14], 300 / credits), "{block_bytes}: {counts:?}");
    }
}

#[test]
fn the_limit_of_bytes_applies_to_large_requests_with_its_own_bucket() {
    // 100 MiB, spent at 40 and earned at 20 MiB a second, last for 5 s.
    let bytes = VolumeModel {
        base_iops: 100_000,
        burst_iops: 100_000,
        bucket_io_credits: 0,
        base_bytes_per_s: 20 * MIB,
        burst_bytes_per_s: 40 * MIB,
        bucket_bytes: 100 * MIB,
        ..model()
    };
    let counts = counts(&mut bay(&bytes), &job_of(64 << 10, 12));
    assert!(counts[1..4].iter().all(|count| near(*count, 640)), "{counts:?}");
    assert!(counts[6..].iter().all(|count| near(*count, 320)), "{counts:?}");
}

#[test]
fn a_request_larger_than_the_bucket_is_served_at_the_base_rate() {
    let tiny = VolumeModel { bucket_io_credits: 2, base_iops: 40, burst_iops: 400, ..model() };
    let counts = counts(&mut bay(&tiny), &job_of(1 << 20, 10));
    assert!(counts[2..].iter().all(|count| (9..=11).contains(count)), "{counts:?}");
}

#[test]
fn the_scale_divides_capacity_and_buckets_and_keeps_the_rates() {
    let scaled = VolumeModel { capacity_bytes: 10 << 30, capacity_scale: 10, bucket_io_credits: 270_000, ..model() };
    assert_eq!(scaled.size_bytes(), (10 << 30) / 10 / 4096 * 4096);
    assert_eq!(scaled.io_limit(), model().io_limit());
}

#[test]
fn requests_above_the_limit_of_requests_in_flight_wait() {
    // 8 requests of 500 µs: 16,000 a second, where the limit of I/Os would allow more.
    let few =
        VolumeModel { in_flight_max: 8, base_iops: 100_000, burst_iops: 100_000, bucket_io_credits: 0, ..model() };
    let counts = counts(&mut bay(&few), &job_of(4096, 2));
    assert!(counts.iter().all(|count| near(*count, 16_000)), "{counts:?}");
}

#[test]
fn a_flush_costs_no_credit() {
    let mut volume = Volume::new(&model(), 1);
    let flush = IoCommand { operation: Operation::Flush, offset_bytes: 0, length_bytes: 0 };
    let done = volume.complete(SECOND, &flush);
    assert_eq!((done.done_ns, volume.bucket_levels(SECOND).0), (SECOND + 500_000, 27_000));
}

#[test]
fn volumes_that_differ_in_their_credits_have_different_states() {
    let hash = |start| {
        let mut hash = StateHash::default();
        Volume::new(&VolumeModel { bucket_start_permille: start, ..model() }, 1).add_to(&mut hash);
        hash.value()
    };
    assert_ne!(hash(1_000), hash(999));
}

#[test]
fn models_that_cannot_be_simulated_are_refused_with_the_key_and_its_range() {
    let refused = |model: &VolumeModel| model.check().expect_err("it is refused").message;
    assert_eq!(
        refused(&VolumeModel { burst_iops: 299, ..model() }),
        "burst_iops is 299; the range is 300 to 1000000000"
    );
    assert_eq!(
        refused(&VolumeModel { bucket_io_credits: 0, ..model() }),
        "bucket_io_credits is 0; a burst rate above the base rate needs a bucket"
    );
    assert_eq!(
        refused(&VolumeModel { bucket_bytes: 1, ..model() }),
        "bucket_bytes is 1; without a burst rate above the base rate it must be 0"
    );
    assert_eq!(
        refused(&VolumeModel { capacity_scale: 128, ..model() }),
        "capacity_bytes / capacity_scale 128 is less than 16777216"
    );
}
