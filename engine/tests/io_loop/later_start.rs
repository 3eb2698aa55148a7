//! A worker with a start in the future: nothing is submitted or recorded before, and then it behaves as any other.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::common::{MS, ManualClock, ScriptedRing, WorkerRig, job};
use iosonde_engine::clock::Clock;
use iosonde_engine::job::{Engine, Job, Sync};
use iosonde_engine::pattern::{Accesses, ArrivalKind, Arrivals, Burst, Duty, OpenLoop, Shared};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::ring::SharedBuffers;
use iosonde_engine::worker::{Machine, MachineParts, Step, recorder_pair};

/// The start of the worker.
const START_NS: u64 = 130 * MS;
/// The step of the clock when the worker does not wait.
const TICK_NS: u64 = 10_000;
const STEPS_MAX: usize = 1_000_000;

fn forms() -> Vec<Job> {
    let pace = |arrivals| Some(OpenLoop { rate_per_s: 2_000, arrivals });
    vec![
        job(),
        Job { warmup_ns: 0, ..job() },
        Job { warmup_ns: 0, queue_depth: 64, ..job() },
        Job { engine: Engine::IoUring, read_percent: 0, sync: Sync::Fdatasync, ..job() },
        Job { pace: pace(ArrivalKind::Constant), ..job() },
        Job { pace: pace(ArrivalKind::Poisson), warmup_ns: 0, ..job() },
        Job { burst: Some(Burst { operations: 6, think_ns: 3 * MS }), ..job() },
        Job { duty: Some(Duty { on_ns: 3 * MS, off_ns: 5 * MS }), ..job() },
        Job { amount_bytes: Some(1 << 20), ..job() },
        Job { amount_bytes: Some(1 << 30), limit_ns: Some(25 * MS), ..job() },
    ]
}

fn rig(job: &Job, start_ns: u64) -> WorkerRig {
    let clock = ManualClock::default();
    let ring = ScriptedRing::new(&clock, MS);
    WorkerRig::starting(job, ring, clock, 8, start_ns)
}

/// One interval: its phase, its times since the start, operations in flight, and for each class the count and the sum
/// of latencies.
type Line = (Phase, u64, u64, u64, Vec<(u64, u64)>);

/// Runs a worker to its end. Asserts that nothing is submitted before its start.
fn played(job: &Job, start_ns: u64) -> (Vec<Line>, u64) {
    let mut rig = rig(job, start_ns);
    let mut still = 0;
    for number in 0.. {
        assert!(number < STEPS_MAX, "the worker did not end: {job:?}");
        let before_ns = rig.clock.now();
        let step = rig.worker.step();
        assert!(before_ns >= start_ns || rig.seen.borrow().is_empty(), "at {before_ns} of {job:?}");
        if step == Step::Done {
            break;
        }
        // One round in 64 does not wait; that must not change anything.
        still = if rig.clock.now() == before_ns { still + 1 } else { 0 };
        if still == 2 {
            rig.clock.advance(TICK_NS);
            still = 0;
        }
    }
    let WorkerRig { worker, mut spares, seen, .. } = rig;
    let end = worker.finish();
    assert_eq!((end.failure, end.faults.failed()), (None, 0));
    let mut tallies: Vec<_> = std::iter::from_fn(|| spares.full.pop().ok()).collect();
    tallies.push(end.tally);
    let lines = tallies.iter().map(|tally| {
        let counts = Class::ALL.map(|class| tally.class(class)).map(|class| (class.count, class.latency_ns_sum));
        (tally.phase, tally.start_ns - start_ns, tally.end_ns - start_ns, tally.in_flight_ns, counts.to_vec())
    });
    let seen = seen.borrow().len() as u64;
    (lines.collect(), seen)
}

#[test]
fn a_later_start_does_not_change_the_results() {
    for job in forms() {
        let now = played(&job, 0);
        let later = played(&job, START_NS);
        assert_eq!(later, now, "{job:?}");
        assert!(later.1 > 10, "{} operations of {job:?}", later.1);
    }
}

#[test]
fn a_worker_in_virtual_time_plans_nothing_before_its_start() {
    for job in forms() {
        let (recorder, _spares) = recorder_pair(&job, 8, None);
        let parts = MachineParts {
            accesses: Accesses::new(&job, 0, &Shared::new(&job)),
            payload: None,
            ledger: None,
            arrivals: Arrivals::of(&job, 0),
            recorder,
            stop: Arc::default(),
            heard_ns: Arc::default(),
        };
        let mut machine = Machine::new(&job, parts, START_NS);
        let mut planned = |now| machine.plan(now, 64, &mut SharedBuffers::none());
        assert_eq!(planned(START_NS - 1), 0, "{job:?}");
        assert!(planned(START_NS + MS) > 0 || matches!(job.pace, Some(pace) if pace.rate_per_s < 10_000), "{job:?}");
        assert!(machine.deadline() >= START_NS, "{job:?}");
    }
}

#[test]
fn a_worker_sleeps_until_shortly_before_its_start() {
    let mut rig = rig(&job(), START_NS);
    let mut steps = 0;
    while START_NS - rig.clock.now() > MS {
        rig.worker.step();
        steps += 1;
        assert!(steps < 10, "{steps} steps, and it is {}", rig.clock.now());
    }
}

#[test]
fn a_worker_stopped_before_its_start_ends_at_once_without_records() {
    for job in forms() {
        let mut rig = rig(&job, START_NS);
        rig.worker.step();
        rig.stop.store(true, Ordering::Relaxed);
        let (stop_ns, seen) = (rig.clock.now(), Rc::clone(&rig.seen));
        let (end, mut spares) = rig.run();
        assert!(end.stopped && stop_ns < START_NS, "{job:?}");
        assert_eq!((seen.borrow().len(), end.censored.count, end.unreturned), (0, 0, 0));
        assert_eq!((end.tally.start_ns, end.tally.end_ns, end.tally.in_flight_ns), (START_NS, START_NS, 0));
        assert!(spares.full.pop().is_err(), "an interval before the start of {job:?}");
        assert!(end.reap_gaps.buckets.filled().next().is_none());
    }
}
