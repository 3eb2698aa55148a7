//! A simulated hard disk: what is measured on it follows from its arm, its platters and its memory.
#![allow(clippy::float_arithmetic)] // Closed forms are made of real numbers.
#![allow(clippy::cast_precision_loss)] // Times and counts here are below 2^53.

mod common;

use std::sync::Arc;

use common::{MS, job};
use iosonde_engine::cell::{Bench, Interval, JobResult, Outcome, conduct_simulated};
use iosonde_engine::clock::Clock;
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Engine, Job, Pattern, Sync};
use iosonde_engine::record::Class;
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{DiskModel, Drive, Model, Serve, VirtualClock, flush_all};
use iosonde_engine::target::Target;

const SECOND: u64 = 1_000 * MS;
const MIB: u64 = 1 << 20;
const GB: u64 = 1_000_000_000;

/// Shaped after data sheets of 7,200 rpm data-centre disks: 4.16 ms mean rotational delay, about 8 ms mean seek, 261 MB/s
/// at the edge and 115 MB/s at the hub, 256 MiB of memory.
fn model() -> DiskModel {
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

/// One zone, so that every track is as likely as any other.
fn even() -> DiskModel {
    DiskModel { zones: 1, ..model() }
}

fn random_reads() -> Job {
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

/// At the edge: where in the span a stream begins, its seed says.
fn sequential_reads() -> Job {
    Job {
        span_bytes: 8 * GB,
        pattern: Pattern::Sequential,
        block_size_bytes: 131_072,
        measure_ns: 10 * SECOND,
        interval_ns: SECOND,
        ..random_reads()
    }
}

fn random_writes() -> Job {
    Job { read_percent: 0, ..random_reads() }
}

struct Bay {
    drive: [Drive; 1],
    clock: VirtualClock,
}

impl Bay {
    fn new(model: &DiskModel) -> Self {
        Self { drive: [Drive::new(&Model::Disk(model.clone()), 1)], clock: VirtualClock::default() }
    }

    /// Runs a job, behind those before it.
    fn run(&mut self, job: &Job) -> (Vec<Interval>, JobResult) {
        let targets = [Target::simulation(self.drive[0].simulation().size_bytes())];
        let mut bench = Bench { targets: &targets, drives: &mut self.drive, clock: &self.clock, stop: Arc::default() };
        let mut intervals = Vec::new();
        let result = conduct_simulated(job, &mut bench, &mut |_| {}, &mut |interval| intervals.push(interval));
        let result = result.expect("the job can be run");
        assert_eq!((result.outcome, &result.failure), (Outcome::Finished, &None));
        (intervals, result)
    }
}

fn run(job: &Job, model: &DiskModel) -> (Vec<Interval>, JobResult) {
    Bay::new(model).run(job)
}

fn count(intervals: &[Interval], class: Class) -> u64 {
    intervals.iter().filter_map(|interval| interval.operations.get(&class)).map(|totals| totals.count).sum()
}

fn latency_ns_sum(intervals: &[Interval], class: Class) -> u64 {
    intervals.iter().filter_map(|interval| interval.operations.get(&class)).map(|totals| totals.latency_ns_sum).sum()
}

fn per_s(count: u64, job: &Job) -> f64 {
    count as f64 * SECOND as f64 / job.measure_ns as f64
}

fn iops(job: &Job, model: &DiskModel, class: Class) -> f64 {
    per_s(count(&run(job, model).0, class), job)
}

fn mb_per_s(job: &Job, model: &DiskModel, class: Class) -> f64 {
    iops(job, model, class) * f64::from(job.block_size_bytes) / 1e6
}

/// The mean of the seek curve over two cylinders drawn evenly: their distance, as a part x of the stroke, has the density
/// 2 (1 - x).
fn seek_ns_mean(model: &DiskModel) -> f64 {
    let knee = f64::from(model.seek_knee_permille) / 1000.0;
    let [track, at_knee, full] = [model.seek_track_ns, model.seek_knee_ns, model.seek_full_ns].map(|ns| ns as f64);
    let short = 2.0 * knee - knee * knee;
    let root = 4.0 / 3.0 * knee.powf(1.5) - 4.0 / 5.0 * knee.powf(2.5);
    let line = (1.0 - knee) * (1.0 - knee) / 3.0;
    track * short + (at_knee - track) / knee.sqrt() * root + at_knee * (1.0 - short) + (full - at_knee) * line
}

#[test]
fn a_random_read_at_depth_1_takes_the_mean_seek_half_a_revolution_and_the_command() {
    let (model, job) = (even(), Job { measure_ns: 1_000 * SECOND, ..random_reads() });
    let (intervals, _) = run(&job, &model);
    let seen_ns = latency_ns_sum(&intervals, Class::Read) as f64 / count(&intervals, Class::Read) as f64;
    let half_a_revolution_ns = 30e9 / f64::from(model.rotation_rpm);
    let expected_ns = seek_ns_mean(&model) + half_a_revolution_ns + model.command_ns as f64;
    assert!((seen_ns / expected_ns - 1.0).abs() < 0.01, "{seen_ns} ns, and {expected_ns} by the closed form");
}

#[test]
fn a_data_centre_disk_gives_75_to_85_random_reads_a_second_at_depth_1_and_about_twice_that_at_32() {
    let alone = iops(&random_reads(), &model(), Class::Read);
    let many = iops(&Job { queue_depth: 32, ..random_reads() }, &model(), Class::Read);
    assert!((75.0..85.0).contains(&alone), "{alone} a second at depth 1");
    assert!((165.0..205.0).contains(&many), "{many} a second at depth 32");
}

#[test]
fn the_elevator_raises_throughput_with_depth_until_the_queue_is_full() {
    let depths = [1, 2, 4, 8, 16, 32];
    // With two, one waits while the other is served: there is nothing to choose from before three.
    let seen = depths.map(|depth| iops(&Job { queue_depth: depth, ..random_reads() }, &model(), Class::Read));
    assert!(seen.windows(2).skip(1).all(|pair| pair[1] > pair[0] * 1.1), "{seen:?}");
    let beyond = iops(&Job { queue_depth: 128, ..random_reads() }, &model(), Class::Read);
    assert!((beyond / seen[5] - 1.0).abs() < 0.03, "{beyond} at depth 128, {} at 32", seen[5]);
}

#[test]
fn a_queue_of_one_command_gains_nothing_from_depth() {
    let model = DiskModel { queue_depth: 1, ..model() };
    let alone = iops(&random_reads(), &model, Class::Read);
    let many = iops(&Job { queue_depth: 32, ..random_reads() }, &model, Class::Read);
    assert!((many / alone - 1.0).abs() < 0.02, "{alone} and {many}");
}

#[test]
fn no_command_is_passed_over_for_ever() {
    let job = Job { queue_depth: 32, ..random_reads() };
    let slowest = |age| {
        let (intervals, _) = run(&job, &DiskModel { queue_age_ns_max: age, ..model() });
        intervals.iter().map(|interval| interval.operations[&Class::Read].latency_ns_max).max().expect("there are some")
    };
    let (patient, hasty) = (slowest(60 * SECOND), slowest(300 * MS));
    // 31 others may be overdue as well, at a seek and a revolution each.
    assert!(hasty < 1_000 * MS && hasty < patient, "{hasty} ns with a bound, {patient} ns without");
}

#[test]
fn sequential_reads_go_at_the_rate_of_the_media() {
    let model = DiskModel { heads: 1, head_switch_ns: 0, ..even() };
    let revolution_s = 60.0 / f64::from(model.rotation_rpm);
    let skew_s = (model.seek_track_ns + model.write_settle_ns) as f64 / 1e9;
    let expected = model.track_outer_bytes as f64 / (revolution_s + skew_s) / 1e6;
    for (block_size_bytes, queue_depth) in [(4096, 32), (65_536, 1), (131_072, 32), (1 << 20, 4)] {
        let job = Job { block_size_bytes, queue_depth, ..sequential_reads() };
        let seen = mb_per_s(&job, &model, Class::Read);
        assert!(
            (seen / expected - 1.0).abs() < 0.02,
            "{seen} MB/s of {expected} with {block_size_bytes} at {queue_depth}"
        );
    }
}

#[test]
fn the_outer_zone_is_faster_than_the_inner() {
    let outer = mb_per_s(&sequential_reads(), &model(), Class::Read);
    // All tracks as long as those of the innermost zone: a job's span always begins at the edge.
    let hub = DiskModel { track_outer_bytes: model().track_inner_bytes, ..model() };
    let inner = mb_per_s(&sequential_reads(), &hub, Class::Read);
    assert!((256.0..266.0).contains(&outer), "{outer} MB/s at the edge");
    assert!((110.0..120.0).contains(&inner), "{inner} MB/s at the hub");
}

#[test]
fn bandwidth_falls_over_the_span() {
    let model = DiskModel { size_bytes: 8 * GB / 4096 * 4096, ..model() };
    let job = Job {
        span_bytes: model.size_bytes,
        amount_bytes: Some(model.size_bytes),
        block_size_bytes: 1 << 20,
        interval_ns: 2 * SECOND,
        ..sequential_reads()
    };
    let (intervals, _) = run(&job, &model);
    let whole = &intervals[..intervals.len() - 1];
    let rates: Vec<u64> = whole.iter().map(|interval| interval.operations[&Class::Read].bytes / 2_000_000).collect();
    let (fastest, slowest) = (rates.iter().max().expect("some"), rates.iter().min().expect("some"));
    assert!((250..=266).contains(fastest) && (110..=130).contains(slowest), "{rates:?}");
    // It begins somewhere and goes on at the edge once it has come to the hub, where the only rise is.
    let rises = rates.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
    assert!(rises <= 2, "{rates:?}");
}

#[test]
fn without_read_ahead_a_small_sequential_read_waits_for_a_revolution() {
    let model = DiskModel { read_ahead_bytes: 0, ..model() };
    let job = Job { block_size_bytes: 4096, ..sequential_reads() };
    let seen = iops(&job, &model, Class::Read);
    assert!((115.0..=121.0).contains(&seen), "{seen} a second, at 120 revolutions a second");
}

#[test]
fn several_streams_share_what_one_would_have() {
    let together = |streams: u32, model: &DiskModel| {
        let (queue_depth, jobs) = (1, streams);
        mb_per_s(&Job { queue_depth, jobs, ..sequential_reads() }, model, Class::Read)
    };
    let (alone, four, eight) = (together(1, &model()), together(4, &model()), together(8, &model()));
    assert!((0.4..0.9).contains(&(four / alone)), "{four} MB/s by four, {alone} by one");
    assert!((0.4..0.9).contains(&(eight / alone)), "{eight} MB/s by eight, {alone} by one");
    let single = DiskModel { read_ahead_segments: 1, ..model() };
    assert!(together(4, &single) < alone / 10.0, "one segment is never there any more when its stream comes back");
    let hasty = DiskModel { read_ahead_bytes_min: 0, ..model() };
    assert!(together(4, &hasty) < alone / 10.0, "a head that leaves for whoever waits reads nothing ahead");
    for other in [single, hasty] {
        assert!((together(1, &other) / alone - 1.0).abs() < 1e-9, "a stream alone has no use for them");
    }
}

#[test]
fn a_random_read_waits_for_a_stream_no_longer_than_its_least_read_ahead_takes() {
    let reads_beside_a_stream = |read_ahead_bytes_min| {
        let mut drive = Drive::new(&Model::Disk(DiskModel { read_ahead_bytes_min, ..model() }), 1);
        let drive = drive.simulation();
        let read = |offset_bytes| Serve { operation: Operation::Read, offset_bytes, length_bytes: 131_072 };
        let (mut now_ns, mut longest_ns, mut next, mut far) = (0, 0, 0, 8_000 * GB / 4096 * 4096);
        drive.submit(0, 0, &read(next));
        drive.submit(0, 1, &read(far));
        let mut asked_ns = 0;
        while now_ns < 20 * SECOND {
            now_ns = drive.next_ns();
            while let Some((ticket, _)) = drive.take_done(now_ns) {
                if ticket == 1 {
                    (longest_ns, asked_ns, far) = ((now_ns - asked_ns).max(longest_ns), now_ns, far + GB / 4096 * 4096);
                    drive.submit(now_ns, 1, &read(far));
                } else {
                    next += 131_072;
                    drive.submit(now_ns, 0, &read(next));
                }
            }
        }
        longest_ns
    };
    let (without_ns, with_ns) = (reads_beside_a_stream(0), reads_beside_a_stream(4 * MIB));
    let held_ns = 4 * MIB * 1_000 / 250;
    assert!(with_ns > without_ns && with_ns < without_ns + held_ns * 3 / 2, "{without_ns} and {with_ns} ns");
}

#[test]
fn the_write_cache_absorbs_a_burst_and_then_falls_to_the_rate_of_the_media() {
    let job = Job { read_percent: 0, block_size_bytes: 1 << 20, ..sequential_reads() };
    let job = Job { measure_ns: 4 * SECOND, interval_ns: 100 * MS, ..job };
    let (intervals, _) = run(&job, &model());
    let rate = |interval: &Interval| interval.operations[&Class::Write].bytes / 100_000;
    let (first, last) = (rate(&intervals[0]), rate(&intervals[39]));
    assert!((500..=551).contains(&first), "{first} MB/s at first: the interface's rate");
    let steady: u64 = intervals[20..].iter().map(rate).sum::<u64>() / 20;
    assert!((250..=266).contains(&steady), "{steady} MB/s in the end, {last} in the last interval");
}

#[test]
fn sorted_destaging_gives_more_random_writes_than_reads() {
    let job = Job { queue_depth: 32, warmup_ns: 200 * SECOND, ..random_writes() };
    let model = model();
    let cached = {
        let intervals = run(&job, &model).0;
        count(&intervals[20..], Class::Write) as f64 / 200.0
    };
    let reads = iops(&Job { queue_depth: 32, ..random_reads() }, &model, Class::Read);
    assert!(cached > 1.3 * reads, "{cached} writes and {reads} reads a second");
}

#[test]
fn a_write_that_must_be_durable_waits_for_the_media_and_another_does_not() {
    let mean_ns = |sync, cache| {
        let job = Job { sync, measure_ns: 20 * SECOND, ..random_writes() };
        let (intervals, _) =
            run(&job, &DiskModel { write_cache_bytes: cache, write_cache_stretches: 1 << 20, ..model() });
        latency_ns_sum(&intervals, Class::Write) / count(&intervals, Class::Write)
    };
    let (cached, durable, without) =
        (mean_ns(Sync::None, 4096 * MIB), mean_ns(Sync::Dsync, 4096 * MIB), mean_ns(Sync::None, 0));
    assert!(cached < 100_000, "{cached} ns into the cache");
    assert!((11 * MS..14 * MS).contains(&durable), "{durable} ns onto the media");
    assert!(durable.abs_diff(without) < durable / 50, "{durable} ns, and {without} ns without a cache");
}

#[test]
fn a_flush_waits_until_the_cache_is_on_the_media() {
    let job = Job { sync: Sync::Fdatasync, measure_ns: 20 * SECOND, ..random_writes() };
    let (intervals, result) = run(&job, &model());
    let flushes = count(&intervals, Class::Flush);
    let (flush_ns, write_ns) =
        (latency_ns_sum(&intervals, Class::Flush) / flushes, latency_ns_sum(&intervals, Class::Write) / flushes);
    assert!((10 * MS..14 * MS).contains(&flush_ns), "{flush_ns} ns for a flush");
    assert!(write_ns < 100_000, "{write_ns} ns for a write");
    let health = result.drives[0].health;
    assert!(health.host_written_bytes - health.media_written_bytes <= 4096, "one write may be left: {health:?}");
}

#[test]
fn a_flush_after_a_burst_takes_as_long_as_emptying_the_cache() {
    let mut drive = Drive::new(&Model::Disk(model()), 1);
    let drive = drive.simulation();
    let write = Serve { operation: Operation::Write, offset_bytes: 0, length_bytes: 1 << 20 };
    for number in 0..64 {
        drive.submit(0, number, &Serve { offset_bytes: number << 20, ..write });
    }
    let mut done = Vec::new();
    let mut now_ns = 0;
    while done.len() < 64 {
        now_ns = drive.next_ns();
        done.extend(drive.take_done(now_ns));
    }
    drive.submit(now_ns, 64, &Serve { operation: Operation::Flush, offset_bytes: 0, length_bytes: 0 });
    let mut flushed = None;
    let mut then_ns = now_ns;
    while flushed.is_none() {
        then_ns = drive.next_ns();
        flushed = drive.take_done(then_ns);
    }
    assert_eq!(flushed, Some((64, 0)));
    assert_eq!(drive.health().media_written_bytes, 64 * MIB);
    let whole_ns = 64 * MIB * 1_000 / 250;
    assert!(then_ns > whole_ns && then_ns - now_ns < whole_ns, "{then_ns} ns, of which {now_ns} for the burst");
}

#[test]
fn after_a_fill_all_of_it_is_on_the_media_once_it_was_made_durable() {
    let mut bay = Bay::new(&model());
    let amount_bytes = 256 * MIB;
    let fill = Job {
        read_percent: 0,
        block_size_bytes: 1 << 20,
        queue_depth: 8,
        span_bytes: amount_bytes,
        amount_bytes: Some(amount_bytes),
        ..sequential_reads()
    };
    let (_, result) = bay.run(&fill);
    let cached_bytes = amount_bytes - result.drives[0].health.media_written_bytes;
    assert!(cached_bytes > model().write_cache_bytes / 2, "{cached_bytes} bytes are left in the cache");
    let begun_ns = bay.clock.now();
    assert_eq!(flush_all(&mut bay.drive, &bay.clock), Ok(()));
    let whole_ns = cached_bytes * 1_000 / 261;
    let took_ns = bay.clock.now() - begun_ns;
    assert!((whole_ns * 9 / 10..whole_ns * 11 / 10).contains(&took_ns), "{took_ns} ns for {cached_bytes} bytes");
    assert_eq!(bay.drive[0].simulated().health().media_written_bytes, amount_bytes);
}

#[test]
fn neighbouring_writes_are_one_stretch_and_others_are_not() {
    let model = DiskModel { write_cache_stretches: 8, ..model() };
    let taken_at_once = |apart_bytes: u64| {
        let mut drive = Drive::new(&Model::Disk(model.clone()), 1);
        let drive = drive.simulation();
        for number in 0..32 {
            let offset_bytes = GB / 4096 * 4096 + number * apart_bytes;
            drive.submit(0, number, &Serve { operation: Operation::Write, offset_bytes, length_bytes: 4096 });
        }
        let mut taken = 0;
        while drive.next_ns() < MS {
            taken += drive.take_done(drive.next_ns()).iter().len();
        }
        taken
    };
    assert_eq!((taken_at_once(4096), taken_at_once(MIB)), (32, 8));
}

#[test]
fn a_flush_behind_random_writes_takes_a_few_seconds() {
    let mut bay = Bay::new(&model());
    bay.run(&Job { queue_depth: 32, measure_ns: 20 * SECOND, ..random_writes() });
    let begun_ns = bay.clock.now();
    assert_eq!(flush_all(&mut bay.drive, &bay.clock), Ok(()));
    let took_ns = bay.clock.now() - begun_ns;
    assert!((SECOND..4 * SECOND).contains(&took_ns), "{took_ns} ns");
}

#[test]
fn formatting_forgets_the_cache() {
    let mut drive = Drive::new(&Model::Disk(model()), 1);
    let drive = drive.simulation();
    drive.submit(0, 0, &Serve { operation: Operation::Write, offset_bytes: 0, length_bytes: 4096 });
    let now_ns = drive.next_ns();
    assert_eq!(drive.take_done(now_ns), Some((0, 4096)));
    drive.format(now_ns);
    drive.submit(10 * SECOND, 1, &Serve { operation: Operation::Flush, offset_bytes: 0, length_bytes: 0 });
    let ready_ns = drive.next_ns();
    assert_eq!((ready_ns, drive.take_done(ready_ns)), (10 * SECOND + model().command_ns, Some((1, 0))));
    assert_eq!(drive.health().media_written_bytes, 0);
}

#[test]
fn the_same_seed_gives_the_same_records_and_another_seed_another_angle() {
    let job = Job { queue_depth: 8, read_percent: 70, measure_ns: 30 * SECOND, ..random_reads() };
    let (first, second) = (run(&job, &model()), run(&job, &model()));
    assert_eq!(first, second);
    let mut other = Bay::new(&model());
    other.drive = [Drive::new(&Model::Disk(model()), 2)];
    assert_ne!(other.run(&job).1.drives, first.1.drives);
}

#[test]
fn littles_law_holds_to_the_nanosecond() {
    for (queue_depth, read_percent) in [(1, 100), (2, 100), (1, 50), (2, 0)] {
        let job = Job { queue_depth, read_percent, measure_ns: 20 * SECOND, ..random_reads() };
        let (intervals, result) = run(&job, &model());
        let in_flight_ns: u64 = intervals.iter().map(|interval| interval.in_flight_ns).sum();
        let latency_ns = latency_ns_sum(&intervals, Class::Read) + latency_ns_sum(&intervals, Class::Write);
        // With two in flight at the end, the youngest and the oldest are all of them.
        let ages_ns = [0, result.censored.age_ns_min, result.censored.age_ns_min + result.censored.age_ns_max]
            [usize::try_from(result.censored.count).expect("at most two")];
        assert_eq!(in_flight_ns, latency_ns + ages_ns);
        assert_eq!(in_flight_ns, u64::from(queue_depth) * job.measure_ns);
    }
}

#[test]
fn the_disk_keeps_its_state_from_job_to_job() {
    let mut bay = Bay::new(&model());
    let job = Job { queue_depth: 4, read_percent: 50, measure_ns: 10 * SECOND, ..random_reads() };
    let (first, second) = (bay.run(&job), bay.run(&job));
    assert_ne!(first.1.drives, second.1.drives);
    assert!(second.1.drives[0].health.host_read_bytes > first.1.drives[0].health.host_read_bytes);
}

#[test]
fn what_cannot_be_a_disk_is_refused_with_key_value_and_range() {
    let refused = |model: DiskModel| {
        let failure = model.check().expect_err("it can't be simulated");
        assert_eq!(failure.kind, FailureKind::BadModel);
        failure.message
    };
    assert_eq!(model().check(), Ok(()));
    assert_eq!(refused(DiskModel { heads: 0, ..model() }), "heads is 0; it goes from 1 to 64");
    assert_eq!(refused(DiskModel { size_bytes: 5000, ..model() }), "size_bytes is 5000; it is a multiple of 4096");
    assert_eq!(refused(DiskModel { rotation_rpm: 10, ..model() }), "rotation_rpm is 10; it goes from 1000 to 100000");
    let message = refused(DiskModel { track_inner_bytes: 4 * MIB, ..model() });
    assert_eq!(message, "track_inner_bytes is 4194304; it goes from 4096 to 2437120");
    let message = refused(DiskModel { seek_full_ns: MS, ..model() });
    assert_eq!(message, "seek_full_ns is 1000000; it goes from 7800000 to 1000000000");
    assert_eq!(refused(DiskModel { queue_depth: 257, ..model() }), "queue_depth is 257; it goes from 1 to 256");
}
