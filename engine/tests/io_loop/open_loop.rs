//! Open loops: arrivals, and operations that have to wait.

use std::sync::Arc;

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, WorkerRig, job};
use iosonde_engine::cell::{Interval, JobContext, Outcome, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::job::{Engine, Job, Limits};
use iosonde_engine::pattern::{ArrivalKind, Arrivals, OpenLoop};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::sim::{Drive, Model, QueueingModel, Service};
use iosonde_engine::target::Target;
use iosonde_engine::worker::Step;

const SECOND: u64 = 1_000 * MS;
const ONE_SERVER: Model =
    Model::Queueing(QueueingModel { size_bytes: 1 << 20, servers: 1, service: Service::Constant, service_ns: 2 * MS });

fn paced(rate_per_s: u64, arrivals: ArrivalKind) -> Job {
    Job { pace: Some(OpenLoop { rate_per_s, arrivals }), ..job() }
}

fn times(job: &Job, worker: u32, count: usize) -> Vec<u64> {
    let mut arrivals = Arrivals::of(job, worker).expect("the job has a pace");
    arrivals.begin(5);
    (0..count).map(|_| arrivals.take()).collect()
}

#[test]
fn constant_arrivals_have_equal_intervals_without_drift() {
    let found = times(&paced(3, ArrivalKind::Constant), 0, 7);
    let expected: Vec<u64> = (0..7).map(|number| 5 + number * SECOND / 3).collect();
    assert_eq!(found, expected);
}

#[test]
fn workers_take_turns_in_one_constant_stream() {
    let job = Job { jobs: 2, ..paced(1_000, ArrivalKind::Constant) };
    let mut both = [times(&job, 0, 4), times(&job, 1, 4)].concat();
    both.sort_unstable();
    assert_eq!(both, times(&Job { jobs: 1, ..job }, 0, 8));
}

#[test]
#[allow(clippy::float_arithmetic, clippy::cast_precision_loss)]
fn poisson_arrivals_have_the_requested_rate_and_exponential_intervals() {
    let count = 200_000;
    for rate_per_s in [10_000, 100_000, 300_000, 600_000] {
        let found = times(&paced(rate_per_s, ArrivalKind::Poisson), 0, count);
        let mean_ns = 1e9 / rate_per_s as f64;
        let mut distances: Vec<f64> = found.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / mean_ns).collect();
        distances.sort_by(f64::total_cmp);
        // Kolmogorov-Smirnov test: the largest difference of both distributions, whose 99.9 % quantile is 1.95 /
        // sqrt(n).
        let n = distances.len() as f64;
        let furthest = distances.iter().enumerate().map(|(rank, distance)| {
            let expected = 1.0 - (-distance).exp();
            (expected - rank as f64 / n).abs().max((expected - (rank + 1) as f64 / n).abs())
        });
        let furthest = furthest.fold(0.0, f64::max);
        assert!(furthest < 1.95 / n.sqrt(), "{furthest} at {rate_per_s}");
        // The standard deviation of the mean is 1 / sqrt(n) of the mean.
        let mean = distances.iter().sum::<f64>() / n;
        assert!((mean - 1.0).abs() < 3.3 / n.sqrt(), "{mean} at {rate_per_s}");
    }
}

#[test]
fn arrivals_at_a_full_queue_wait_and_their_response_latency_starts_at_the_intended_start() {
    // One at a time, 2 ms each, with an arrival every millisecond: the n-th completes at 2 (n + 1) ms and arrived at n
    // ms.
    let job = Job {
        engine: Engine::Simulation,
        queue_depth: 1,
        warmup_ns: 0,
        measure_ns: 20 * MS,
        interval_ns: 20 * MS,
        ..paced(1_000, ArrivalKind::Constant)
    };
    let (intervals, result) = DriveBay::of(Drive::new(&ONE_SERVER, 1)).run(&job);
    let reads = &intervals[0].operations[&Class::Read];
    let (response, lag) = (reads.response.as_ref().expect("paced"), reads.lag.as_ref().expect("paced"));
    assert_eq!((reads.count, reads.latency_ns_min, reads.latency_ns_max), (9, 2 * MS, 2 * MS));
    let responses: u64 = (0..9).map(|number| 2 * (number + 1) - number).sum();
    assert_eq!((response.ns_sum, response.ns_max), (responses * MS, 10 * MS));
    assert_eq!((lag.ns_min, lag.ns_max), (0, 8 * MS));
    // None is dropped: nine are complete, one is in flight, and the arrival at 10 ms is the oldest that waits.
    assert_eq!(result.outcome, Outcome::Finished);
    assert_eq!((result.censored.count, result.censored.waiting_age_ns_max), (1, Some(10 * MS)));
    assert_eq!(result.measured_ns, 20 * MS, "what waits makes nothing longer");
    let host_lag = reads.host_lag.as_ref().expect("paced");
    assert_eq!(host_lag.ns_max, 0, "the queue was full; the engine was not late");
}

#[test]
fn an_engine_that_is_late_while_the_queue_has_room_has_host_lag() {
    let timed = Job { warmup_ns: 0, measure_ns: 30 * MS, interval_ns: 30 * MS, queue_depth: 16, ..job() };
    let job = Job { pace: paced(1_000, ArrivalKind::Constant).pace, ..timed };
    let mut rig = WorkerRig::new(&job, MS / 10, 1);
    assert_eq!(rig.worker.step(), Step::Running);
    // The engine is not scheduled for 5 ms, in which five operations arrive.
    rig.clock.advance(5 * MS);
    while rig.worker.step() == Step::Running {
        rig.clock.advance(MS / 100);
    }
    let end = rig.worker.finish();
    let reads = end.tally.class(Class::Read);
    assert!((4 * MS - MS / 10..=5 * MS).contains(&reads.host_lag.ns_max), "{}", reads.host_lag.ns_max);
    assert_eq!(reads.host_lag.ns_max, reads.lag.ns_max);
    assert_eq!(reads.count, 30, "and catches up with every one of them");
}

#[test]
fn a_ring_in_real_time_achieves_the_requested_rate() {
    for arrivals in [ArrivalKind::Constant, ArrivalKind::Poisson] {
        let job = Job { engine: Engine::Null, measure_ns: 300 * MS, interval_ns: 300 * MS, ..paced(20_000, arrivals) };
        let targets = [Target::null(1 << 20)];
        let context = JobContext {
            targets: &targets,
            clock: Monotonic::start(),
            stop: Arc::default(),
            limits: Limits::default(),
        };
        let mut measured = 0;
        let mut add = |interval: Interval| {
            if interval.phase == Phase::Measure {
                measured += interval.operations.get(&Class::Read).map_or(0, |reads| reads.count);
            }
        };
        run_job(&job, &context, &mut |_| {}, &mut add, &mut |_| {}, &mut |_| {}).expect("a null target takes anything");
        // 6,000 are expected. The standard deviation of a Poisson stream is 77, and a busy machine leaves the last
        // milliseconds undone.
        assert!((5_000..=6_400).contains(&measured), "{measured} with {arrivals:?}");
    }
}
