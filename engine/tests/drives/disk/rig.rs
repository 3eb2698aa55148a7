//! A disk model, jobs for it, and its expected positioning times.

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, job};
use iosonde_engine::cell::{Interval, JobResult, Outcome};
use iosonde_engine::job::{Engine, Job, Pattern};
use iosonde_engine::record::Class;
use iosonde_engine::sim::{DiskModel, Drive, Model};

pub const SECOND: u64 = 1_000 * MS;
pub const MIB: u64 = 1 << 20;
pub const GB: u64 = 1_000_000_000;

/// Based on data sheets of 7,200 rpm data-centre disks: 4.16 ms mean rotational latency, about 8 ms mean seek time, 261
/// MB/s at the outer and 115 MB/s at the inner diameter, 256 MiB of cache.
pub fn model() -> DiskModel {
    DiskModel {
        size_bytes: 16_000 * GB / 4096 * 4096,
        rotation_rpm: 7_200,
        heads: 18,
        zones: 24,
        track_outer_bytes: 2_437_120,
        track_inner_bytes: 1_081_344,
        seek_track_ns: MS,
        seek_knee_permille: 300,
        seek_knee_ns: 7_800_000,
        seek_full_ns: 16 * MS,
        head_switch_ns: 800_000,
        write_settle_ns: 200_000,
        command_ns: 50_000,
        interface_bytes_per_s: 550_000_000,
        queue_depth: 32,
        queue_age_ns_max: 500 * MS,
        write_cache_bytes: 128 * MIB,
        write_cache_stretches: 512,
        destage_idle_ns: 20 * MS,
        read_ahead_bytes: 8 * MIB,
        read_ahead_bytes_min: 4 * MIB,
        read_ahead_segments: 16,
    }
}

/// One zone, so that every track is equally likely.
pub fn even() -> DiskModel {
    DiskModel { zones: 1, ..model() }
}

pub fn random_reads() -> Job {
    Job {
        engine: Engine::Simulation,
        span_bytes: model().size_bytes,
        queue_depth: 1,
        warmup_ns: 0,
        measure_ns: 200 * SECOND,
        interval_ns: 10 * SECOND,
        ..job()
    }
}

/// At the outer diameter; the start within the test region is drawn from the seed.
pub fn sequential_reads() -> Job {
    Job {
        span_bytes: 8 * GB,
        pattern: Pattern::Sequential,
        block_size_bytes: 131_072,
        measure_ns: 10 * SECOND,
        interval_ns: SECOND,
        ..random_reads()
    }
}

pub fn random_writes() -> Job {
    Job { read_percent: 0, ..random_reads() }
}

/// A disk in its factory state.
pub fn bay(model: &DiskModel) -> DriveBay {
    DriveBay::of(Drive::new(&Model::Disk(model.clone()), 1))
}

pub fn run(job: &Job, model: &DiskModel) -> (Vec<Interval>, JobResult) {
    let (intervals, result) = bay(model).run(job);
    assert_eq!((result.outcome, &result.failure), (Outcome::Finished, &None));
    (intervals, result)
}

pub fn count(intervals: &[Interval], class: Class) -> u64 {
    intervals.iter().filter_map(|interval| interval.operations.get(&class)).map(|totals| totals.count).sum()
}

pub fn latency_ns_sum(intervals: &[Interval], class: Class) -> u64 {
    intervals.iter().filter_map(|interval| interval.operations.get(&class)).map(|totals| totals.latency_ns_sum).sum()
}

pub fn per_s(count: u64, job: &Job) -> f64 {
    count as f64 * SECOND as f64 / job.measure_ns as f64
}

pub fn iops(job: &Job, model: &DiskModel, class: Class) -> f64 {
    per_s(count(&run(job, model).0, class), job)
}

pub fn mb_per_s(job: &Job, model: &DiskModel, class: Class) -> f64 {
    iops(job, model, class) * f64::from(job.block_size_bytes) / 1e6
}

/// The mean of the seek curve over two uniformly distributed cylinders: their distance, as a fraction x of the full
/// stroke, has the density 2 (1 - x).
pub fn seek_ns_mean(model: &DiskModel) -> f64 {
    let knee = f64::from(model.seek_knee_permille) / 1000.0;
    let [track, at_knee, full] = [model.seek_track_ns, model.seek_knee_ns, model.seek_full_ns].map(|ns| ns as f64);
    let short = 2.0 * knee - knee * knee;
    let root = 4.0 / 3.0 * knee.powf(1.5) - 4.0 / 5.0 * knee.powf(2.5);
    let line = (1.0 - knee) * (1.0 - knee) / 3.0;
    track * short + (at_knee - track) / knee.sqrt() * root + at_knee * (1.0 - short) + (full - at_knee) * line
}
