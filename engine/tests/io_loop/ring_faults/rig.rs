//! A worker on a faulty ring, and the records of both.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use iosonde_engine::clock::Clock;
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::Job;
use iosonde_engine::pattern::{Accesses, Arrivals, Payload, Shared};
use iosonde_engine::record::{Class, FaultKind};
use iosonde_engine::ring::{NullRing, Ring};
use iosonde_engine::worker::{FinalReport, HostMonitor, Step, Worker, WorkerParts, recorder_pair};

use crate::common::faulty_ring::{Fault, FaultyRing, RingLog};
use crate::common::{MS, ManualClock};

pub const SECOND: u64 = 1_000_000_000;
/// Covers anything within a round: a sleep of the worker, an interval, a call.
pub const SLACK_NS: u64 = 200 * MS;
/// More steps than any correct worker needs.
pub const STEPS_MAX: u64 = 20_000_000;
pub const CLASSES: [Class; 4] = [Class::Read, Class::Write, Class::Trim, Class::Flush];

/// The records of a worker and its ring for the same job.
pub struct Outcome {
    pub end: FinalReport,
    pub log: RingLog,
    pub ended_ns: u64,
    pub completed: u64,
    pub bytes: u64,
    pub latency_ns_max: u64,
}

impl Outcome {
    pub fn failure(&self) -> Option<FailureKind> {
        self.end.failure.as_ref().map(|failure| failure.kind)
    }

    pub fn retries(&self) -> u64 {
        let kinds = self.end.faults.kinds().iter().filter(|fault| fault.kind == FaultKind::Retry);
        kinds.map(|fault| fault.count).sum()
    }

    /// Every operation is counted exactly once.
    pub fn assert_whole(&self, about: &str) {
        let (end, log) = (&self.end, &self.log);
        let (failed, censored) = (end.faults.failed(), end.censored.count);
        assert_eq!(
            log.started,
            self.completed + failed + censored,
            "{about}: started, against completed {}, failed {failed}, censored {censored}",
            self.completed
        );
        assert!(self.completed <= log.whole && self.bytes <= log.bytes, "{about}: more than there was");
        assert!(failed <= log.failed + log.again, "{about}: {failed} failed, of {}", log.failed);
        let waiting = log.to_retry.iter().flatten().count() as u64;
        let retries = self.retries();
        assert!(
            log.retried <= retries && retries <= log.retried + waiting,
            "{about}: {retries} retries, of which {} were made and {waiting} at most were due",
            log.retried
        );
        assert_eq!(u64::from(end.unreturned), log.out(), "{about}: never completed");
        assert!(end.censored.age_ns_min <= end.censored.age_ns_max, "{about}");
        assert!(self.latency_ns_max <= log.latency_ns_max, "{about}: latency");
    }
}

pub fn run_on<R: Ring>(job: &Job, ring: R, payload: Option<Payload>, faults: &[Fault], seed: u64) -> Outcome {
    let clock = ManualClock::default();
    let ring = FaultyRing::new(ring, job.slots(), &clock, 100_000, faults, seed);
    let log: Rc<RefCell<RingLog>> = Rc::clone(&ring.log);
    let (recorder, mut spares) = recorder_pair(job, 12, None);
    let parts = WorkerParts {
        ring,
        clock: clock.clone(),
        accesses: Accesses::new(job, 0, &Shared::new(job)),
        payload,
        ledger: None,
        arrivals: Arrivals::of(job, 0),
        recorder,
        host_monitor: HostMonitor::none(),
        stop: Arc::default(),
        heard_ns: Arc::default(),
    };
    let mut worker = Worker::new(job, parts, 0);
    let steps = (0..STEPS_MAX).find(|_| worker.step() == Step::Done);
    assert!(steps.is_some(), "the worker did not end, at {} ns of its time: {faults:?} {job:?}", clock.now());
    let end = worker.finish();
    let mut tallies: Vec<_> = std::iter::from_fn(|| spares.full.pop().ok()).collect();
    tallies.push(end.tally.clone());
    let sum = |of: &dyn Fn(Class) -> Vec<u64>| -> u64 { CLASSES.iter().flat_map(|class| of(*class)).sum() };
    let completed = sum(&|class| tallies.iter().map(|tally| tally.class(class).count).collect());
    let bytes = sum(&|class| {
        let moves = matches!(class, Class::Read | Class::Write);
        tallies.iter().filter(|_| moves).map(|tally| tally.class(class).bytes).collect()
    });
    let latencies = tallies.iter().flat_map(|tally| CLASSES.map(|class| tally.class(class).latency_ns_max));
    let latency_ns_max = latencies.max().unwrap_or(0);
    let log = log.borrow().clone();
    Outcome { end, log, ended_ns: clock.now(), completed, bytes, latency_ns_max }
}

pub fn run(job: &Job, faults: &[Fault]) -> Outcome {
    run_seeded(job, faults, 11)
}

pub fn run_seeded(job: &Job, faults: &[Fault], seed: u64) -> Outcome {
    let outcome = run_on(job, NullRing::bare(job.slots()), None, faults, seed);
    outcome.assert_whole(&format!("seed {seed}, {faults:?}, {job:?}"));
    outcome
}

/// The end of the measurement.
pub fn end_ns(job: &Job) -> u64 {
    job.warmup_ns + job.measure_ns
}
