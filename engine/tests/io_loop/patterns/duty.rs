//! Duty cycles: a time of submission, then a time without, on a fixed grid.

use std::sync::Arc;
use std::time::{Duration, Instant};

use iosonde_engine::cell::{Interval, JobContext, JobResult, Outcome, run_job};
use iosonde_engine::clock::{Clock, Monotonic};
use iosonde_engine::job::{Engine, Job, Limits, Sync};
use iosonde_engine::pattern::{ArrivalKind, Burst, Duty, OpenLoop};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::sim::{Drive, Model, QueueingModel, Service};
use iosonde_engine::target::Target;

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, WorkerRig, job};

const SERVICE_NS: u64 = 100_000;
const SECOND: u64 = 1_000 * MS;

fn duty(on_ns: u64, off_ns: u64) -> Job {
    Job {
        engine: Engine::Simulation,
        duty: Some(Duty { on_ns, off_ns }),
        warmup_ns: 0,
        measure_ns: 120 * MS,
        interval_ns: 10 * MS,
        ..job()
    }
}

fn queueing(service_ns: u64) -> Drive {
    let model = QueueingModel { size_bytes: 1 << 20, servers: 4, service: Service::Constant, service_ns };
    Drive::new(&Model::Queueing(model), 1)
}

fn run(job: &Job) -> (Vec<Interval>, JobResult) {
    let (intervals, result) = DriveBay::of(queueing(SERVICE_NS)).run(job);
    assert_eq!((result.outcome, &result.failure), (Outcome::Finished, &None));
    (intervals, result)
}

fn counts(intervals: &[Interval]) -> Vec<u64> {
    intervals.iter().map(|interval| interval.operations.values().map(|totals| totals.count).sum()).collect()
}

#[test]
fn each_interval_is_wholly_on_or_off() {
    let (intervals, _) = run(&duty(10 * MS, 30 * MS));
    // 100 service times at depth 4; those that complete at the very end of an on-time belong to the interval after it.
    assert_eq!(counts(&intervals), [396, 4, 0, 0].repeat(3));
}

#[test]
fn the_grid_does_not_move_with_the_last_completion() {
    let (intervals, _) = DriveBay::of(queueing(7 * MS)).run(&duty(10 * MS, 30 * MS));
    // Submitted at 0 and 7 ms, and again at 40 and 47 ms, although the last ones complete at 14 ms.
    assert_eq!(counts(&intervals), [4, 4, 0, 0].repeat(3));
}

#[test]
fn the_grid_begins_with_the_warm_up() {
    let (intervals, _) = run(&Job { warmup_ns: 20 * MS, measure_ns: 80 * MS, ..duty(10 * MS, 30 * MS) });
    assert_eq!(intervals.iter().filter(|interval| interval.phase == Phase::Warmup).count(), 2);
    assert_eq!(counts(&intervals), [396, 4, 0, 0, 396, 4, 0, 0, 396, 4]);
}

#[test]
fn off_times_of_a_day_are_no_failure_with_a_time_or_with_an_amount() {
    let day_ns = 86_400 * SECOND;
    let long = Job { measure_ns: 4 * day_ns, interval_ns: day_ns, ..duty(MS, day_ns - MS) };
    let (intervals, result) = run(&long);
    assert_eq!((counts(&intervals), result.measured_ns), (vec![40; 4], 4 * day_ns));
    // 40 operations a day: the last ones complete on the third.
    let (_, result) = run(&Job { amount_bytes: Some(90 * 4096), ..long });
    assert!((2 * day_ns..2 * day_ns + MS).contains(&result.measured_ns), "{}", result.measured_ns);
}

#[test]
fn a_write_at_the_end_of_an_on_time_is_still_flushed() {
    let job = Job { read_percent: 0, sync: Sync::Fdatasync, queue_depth: 1, ..duty(10 * MS, 30 * MS) };
    let (intervals, result) = run(&job);
    let total =
        |class| intervals.iter().filter_map(|each| each.operations.get(&class)).map(|each| each.count).sum::<u64>();
    assert_eq!((total(Class::Write), total(Class::Commit), result.censored.count), (150, 150, 0));
}

#[test]
fn a_worker_sleeps_through_an_off_time() {
    let job = Job { measure_ns: 1_200 * MS, interval_ns: 100 * MS, ..duty(100 * MS, 1_100 * MS) };
    let mut rig = WorkerRig::new(&job, MS, 20);
    let mut steps = 0;
    while rig.clock.now() < 1_150 * MS {
        let before_ns = rig.clock.now();
        rig.worker.step();
        steps += u32::from(before_ns > 101 * MS);
        if rig.clock.now() == before_ns {
            rig.clock.advance(10_000);
        }
    }
    // It sleeps for up to 50 ms at a time, and only stays awake for the last 60 µs of each interval.
    assert!(steps < 200, "{steps}");
}

#[test]
fn real_workers_use_no_cpu_in_an_off_time() {
    let target = Target::null(1 << 20);
    let job = Job { engine: Engine::Null, measure_ns: SECOND, interval_ns: 100 * MS, ..duty(100 * MS, 900 * MS) };
    let context = JobContext {
        targets: std::slice::from_ref(&target),
        clock: Monotonic::start(),
        stop: Arc::default(),
        limits: Limits::default(),
    };
    let (mut intervals, begun) = (Vec::new(), Instant::now());
    let result = run_job(&job, &context, &mut |_| {}, &mut |found| intervals.push(found), &mut |_| {}, &mut |_| {});
    let result = result.expect("the job can be run");
    assert_eq!((result.outcome, &result.failure), (Outcome::Finished, &None));
    assert!(begun.elapsed() < Duration::from_secs(20));
    let counts = counts(&intervals);
    assert!(counts[0] > 0 && counts[2..].iter().all(|count| *count == 0), "{counts:?}");
    let threads = result.cpu.expect("real time").threads;
    let spent_ns: u64 = threads.iter().map(|thread| thread.user_ns + thread.system_ns).sum();
    assert!(spent_ns < 400 * MS, "{spent_ns} ns, of which 100 ms were on-time");
}

#[test]
fn a_duty_cycle_that_cannot_be_kept_is_refused() {
    let target = Target::simulation(1 << 20);
    let refused = |job: &Job| job.check(&target).expect_err("refused").message;
    assert!(refused(&duty(MS - 1, MS)).contains("the range is 1000000 to"));
    assert!(refused(&duty(MS, 31 * 86_400 * SECOND)).contains("the range is 1000000 to"));
    let pace = Some(OpenLoop { rate_per_s: 10, arrivals: ArrivalKind::Constant });
    assert!(refused(&Job { pace, ..duty(MS, MS) }).contains("cannot be combined"));
    let burst = Some(Burst { operations: 1, think_ns: 0 });
    assert!(refused(&Job { burst, ..duty(MS, MS) }).contains("cannot be combined"));
    let off = Job { warmup_ns: 10 * MS, measure_ns: 30 * MS, ..duty(10 * MS, 30 * MS) };
    assert_eq!(refused(&off), "the measurement time lies within an off-time of duty");
    assert_eq!(Job { measure_ns: 30 * MS + 1, ..off }.check(&target), Ok(()));
}
