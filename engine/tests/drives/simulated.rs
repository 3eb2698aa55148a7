//! Simulated queueing systems in virtual time: results match theory.
#![allow(clippy::float_arithmetic)] // Theory needs floats.

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, job};
use iosonde_engine::cell::{Interval, JobResult, Outcome};
use iosonde_engine::clock::Clock;
use iosonde_engine::job::{Engine, Job};
use iosonde_engine::pattern::{ArrivalKind, OpenLoop};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{Drive, IoCommand, Model, QueueingModel, Service, VirtualClock, flush_all};
use iosonde_engine::target::Target;

const SECOND: u64 = 1_000 * MS;
const US: u64 = 1_000;

fn model(servers: u32, service: Service, service_ns: u64) -> Model {
    Model::Queueing(QueueingModel { size_bytes: 1 << 20, servers, service, service_ns })
}

fn simulated() -> Job {
    Job { engine: Engine::Simulation, warmup_ns: 0, measure_ns: SECOND, interval_ns: 100 * MS, ..job() }
}

/// Runs a job on a new drive. Returns its intervals and its result.
fn run(job: &Job, model: &Model, seed: u64) -> (Vec<Interval>, JobResult) {
    DriveBay::of(Drive::new(model, seed)).run(job)
}

struct Measured {
    count: u64,
    latency_ns_mean: f64,
    in_flight_ns: u64,
}

#[allow(clippy::cast_precision_loss)]
fn measured(intervals: &[Interval]) -> Measured {
    let measured = intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    let totals = measured.clone().filter_map(|interval| interval.operations.get(&Class::Read));
    let count: u64 = totals.clone().map(|totals| totals.count).sum();
    let sum: u64 = totals.map(|totals| totals.latency_ns_sum).sum();
    Measured {
        count,
        latency_ns_mean: sum as f64 / count as f64,
        in_flight_ns: measured.map(|interval| interval.in_flight_ns).sum(),
    }
}

#[test]
fn the_throughput_of_c_busy_servers_is_c_over_the_service_time() {
    for (servers, depth) in [(1, 1), (1, 8), (4, 4), (4, 32), (16, 8)] {
        let job = Job { queue_depth: depth, ..simulated() };
        let (intervals, result) = run(&job, &model(servers, Service::Constant, 100 * US), 1);
        let expected = u64::from(servers.min(depth)) * SECOND / (100 * US);
        assert_eq!(result.outcome, Outcome::Finished);
        let seen = measured(&intervals);
        assert!(seen.count.abs_diff(expected) * 100 <= expected, "{} of {expected}", seen.count);
        assert_eq!(seen.in_flight_ns, u64::from(depth) * SECOND, "the queue is full at every moment");
    }
}

#[test]
fn intervals_have_the_requested_length_in_virtual_time() {
    let (intervals, result) = run(&simulated(), &model(1, Service::Constant, 100 * US), 1);
    let bounds: Vec<(u64, u64)> = intervals.iter().map(|interval| (interval.start_ns, interval.end_ns)).collect();
    assert_eq!(bounds, (0..10).map(|number| (number * 100 * MS, (number + 1) * 100 * MS)).collect::<Vec<_>>());
    assert_eq!((result.measured_ns, result.intervals_merged, result.cpu), (SECOND, 0, None));
}

#[test]
fn a_job_with_an_amount_and_a_limit_ends_with_whichever_is_first() {
    // One server and 100 µs: 1,000 operations in 100 ms.
    let ended = |limit_ns, blocks: u64| {
        let job = Job { amount_bytes: Some(blocks * 4096), limit_ns: Some(limit_ns), ..simulated() };
        let (intervals, result) = run(&job, &model(1, Service::Constant, 100 * US), 1);
        assert_eq!((result.outcome, result.failure), (Outcome::Finished, None));
        (measured(&intervals).count, result.measured_ns, result.censored.count)
    };
    assert_eq!(ended(SECOND, 1_000), (1_000, 100 * MS, 0));
    assert_eq!(ended(50 * MS, 1_000), (499, 50 * MS, 4));
    // The limit may fall within an interval.
    assert_eq!(ended(150 * MS, 1 << 20), (1_499, 150 * MS, 4));
}

#[test]
fn a_limit_needs_an_amount_and_is_at_most_thirty_days() {
    let target = Target::simulation(1 << 20);
    let refused = |job: Job| job.check(&target).expect_err("refused").message;
    assert_eq!(refused(Job { limit_ns: Some(1), ..simulated() }), "limit_ns requires amount_bytes");
    for limit_ns in [0, 31 * 86_400 * SECOND] {
        let job = Job { amount_bytes: Some(4096), limit_ns: Some(limit_ns), ..simulated() };
        assert!(refused(job).starts_with(&format!("limit_ns is {limit_ns}; the range is 1 to")));
    }
}

#[test]
fn the_same_seed_yields_the_same_records_and_another_seed_others() {
    let model = model(2, Service::Exponential, 100 * US);
    let (first, second, other) =
        (run(&simulated(), &model, 7), run(&simulated(), &model, 7), run(&simulated(), &model, 8));
    assert_eq!(first, second);
    assert_ne!(first.1.drives, other.1.drives);
    assert_ne!(first.0, other.0);
}

#[test]
#[allow(clippy::cast_precision_loss)]
fn an_open_loop_on_an_exponential_server_has_the_response_time_of_m_m_1() {
    // Mean service time 100 µs at half load: the mean response time is 100 µs / (1 - 0.5).
    let pace = Some(OpenLoop { rate_per_s: 5_000, arrivals: ArrivalKind::Poisson });
    let job = Job { pace, queue_depth: 1024, measure_ns: 200 * SECOND, interval_ns: 10 * SECOND, ..simulated() };
    let (intervals, _) = run(&job, &model(1, Service::Exponential, 100 * US), 3);
    let times = intervals.iter().filter_map(|interval| interval.operations[&Class::Read].response.as_ref());
    let sum: u64 = times.map(|times| times.ns_sum).sum();
    let seen = measured(&intervals);
    let mean_ns = sum as f64 / seen.count as f64;
    assert!((mean_ns / 200_000.0 - 1.0).abs() < 0.02, "{mean_ns} ns");
    assert!((seen.count as f64 / 1_000_000.0 - 1.0).abs() < 0.01, "{} arrivals", seen.count);
    assert!((seen.latency_ns_mean - mean_ns).abs() < 1.0, "nothing waits outside of a queue this deep");
}

#[test]
fn several_workers_share_a_drive() {
    let job = Job { jobs: 4, queue_depth: 2, ..simulated() };
    let (intervals, _) = run(&job, &model(4, Service::Constant, 100 * US), 1);
    let seen = measured(&intervals);
    assert!(seen.count.abs_diff(40_000) <= 400, "{}", seen.count);
    assert_eq!(seen.in_flight_ns, 8 * SECOND);
}

#[test]
fn flushing_all_drives_takes_as_long_as_the_slowest_one() {
    let mut drives = [100, 300, 200].map(|us| Drive::new(&model(1, Service::Constant, us * US), 1));
    let clock = VirtualClock::default();
    clock.move_to(SECOND);
    assert_eq!(flush_all(&mut drives, &clock), Ok(()));
    assert_eq!(clock.now(), SECOND + 300 * US);
    assert!(drives.iter().all(|drive| drive.simulated().next_ns() == u64::MAX), "nothing is left in them");
}

#[test]
fn a_drive_with_too_long_a_backlog_accepts_no_more_and_does_not_overflow() {
    let mut drive = Drive::new(&model(1, Service::Constant, 3_600 * SECOND), 1);
    let io = IoCommand { operation: Operation::Read, offset_bytes: 0, length_bytes: 4096 };
    for tag in 0..6_000_000 {
        drive.simulation().submit(tag, tag, &io);
    }
    let mut last = None;
    while let Some((tag, _)) = drive.simulation().take_completion(u64::MAX - 1) {
        last = Some(tag);
    }
    assert!(last.is_some_and(|last| (300_000..400_000).contains(&last)), "{last:?}");
}

/// A second of reads of a drive with one server, which is asked for 64 at a time.
fn deep_queue_of(service_ns: u64) -> JobResult {
    let job = Job { queue_depth: 64, ..simulated() };
    run(&job, &model(1, Service::Constant, service_ns), 1).1
}

#[test]
fn a_queue_that_takes_a_minute_to_complete_after_the_end_is_waited_for() {
    let result = deep_queue_of(900 * MS);
    assert_eq!((result.outcome, &result.failure), (Outcome::Finished, &None));
    assert_eq!((result.censored.count, result.censored.latency_ns_max), (64, 64 * 900 * MS));
}

#[test]
fn a_queue_that_takes_longer_than_five_minutes_is_given_up() {
    let result = deep_queue_of(10 * SECOND);
    let message = result.failure.expect("it failed").message;
    assert_eq!((result.outcome, message.as_str()), (Outcome::Failed, "34 operations did not complete within 300 s"));
}

#[test]
fn a_queue_of_which_nothing_completes_for_half_a_minute_is_given_up() {
    let result = deep_queue_of(40 * SECOND);
    let message = result.failure.expect("it failed").message;
    assert_eq!((result.outcome, message.as_str()), (Outcome::Failed, "64 operations did not complete within 30 s"));
}
