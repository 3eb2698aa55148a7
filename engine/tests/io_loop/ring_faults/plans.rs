//! Each kind of fault with each kind of load.

use std::sync::Arc;

use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Job, Pattern, Sync};
use iosonde_engine::pattern::{Accesses, ArrivalKind, Burst, Duty, OpenLoop, Shared};
use iosonde_engine::record::FaultKind;
use iosonde_engine::ring::{Completion, NullRing, Request, Ring, RingFacts, SharedBuffers, is_transient};
use iosonde_engine::worker::{
    DRAIN_NS_MAX, HostMonitor, RETRY_NS_MAX, SILENCE_NS_MAX, Step, Worker, WorkerParts, recorder_pair,
};

use super::rig::{SECOND, SLACK_NS, end_ns, run};
use crate::common::faulty_ring::Fault;
use crate::common::{MS, ManualClock, job};

/// Loads: closed and open loops, with and without flushes, shallow and deep queues.
fn loads() -> Vec<Job> {
    let half = Job { read_percent: 50, warmup_ns: 5 * MS, measure_ns: 30 * MS, ..job() };
    let pace = |arrivals| Some(OpenLoop { rate_per_s: 5_000, arrivals });
    vec![
        Job { queue_depth: 1, ..half.clone() },
        Job { queue_depth: 32, ..half.clone() },
        Job { sync: Sync::Fdatasync, flush_every: 3, queue_depth: 4, ..half.clone() },
        Job { sync: Sync::Fdatasync, read_percent: 0, queue_depth: 1, ..half.clone() },
        Job { pace: pace(ArrivalKind::Constant), ..half.clone() },
        Job { pace: pace(ArrivalKind::Poisson), queue_depth: 32, sync: Sync::Fdatasync, ..half.clone() },
        Job { burst: Some(Burst { operations: 10, think_ns: MS }), ..half.clone() },
        Job { duty: Some(Duty { on_ns: 7 * MS, off_ns: 3 * MS }), ..half.clone() },
        Job { trim_percent: 25, queue_depth: 7, ..half },
    ]
}

#[test]
fn without_faults_all_loads_end_in_time_and_balance() {
    for load in loads() {
        let outcome = run(&load, &[]);
        assert_eq!((outcome.failure(), outcome.end.faults.failed()), (None, 0), "{load:?}");
        assert!(outcome.completed > 50 && outcome.ended_ns < end_ns(&load) + SLACK_NS, "{load:?}");
        assert_eq!(outcome.end.unreturned, 0);
    }
}

#[test]
fn errors_of_a_bad_range_are_counted_and_the_job_continues() {
    for errno in [libc::EIO, libc::ENODATA, libc::EREMOTEIO, libc::EILSEQ] {
        for load in loads() {
            let outcome = run(&load, &[Fault::Range { offset_bytes: 0, length_bytes: 64 << 10, errno }]);
            assert_eq!(outcome.failure(), None, "{load:?}");
            let failed = outcome.end.faults.failed();
            assert!(failed > 2 && failed < outcome.log.started / 2, "{failed} of {}", outcome.log.started);
            let kinds = outcome.end.faults.kinds();
            assert!(kinds.iter().all(|fault| fault.errno.0 == errno && fault.offset_bytes_first < 64 << 10));
            assert!(outcome.ended_ns < end_ns(&load) + SLACK_NS);
        }
    }
}

#[test]
fn persistent_errors_end_the_job_at_once() {
    for (errno, kind) in [
        (libc::ENOSPC, FailureKind::NoSpace),
        (libc::EDQUOT, FailureKind::NoSpace),
        (libc::ENXIO, FailureKind::Io),
        (libc::EROFS, FailureKind::Io),
        (libc::ENODEV, FailureKind::Io),
        (libc::ENOTCONN, FailureKind::Io),
    ] {
        for load in loads() {
            let outcome = run(&load, &[Fault::Range { offset_bytes: 512 << 10, length_bytes: 512 << 10, errno }]);
            assert_eq!(outcome.failure(), Some(kind), "{load:?}");
            assert!(outcome.end.faults.failed() <= u64::from(load.slots()), "{}", outcome.end.faults.failed());
            assert_eq!(outcome.end.failure.and_then(|failure| failure.errno), Some(errno));
            assert!(outcome.ended_ns < end_ns(&load) + SLACK_NS);
        }
    }
}

#[test]
fn short_transfers_are_failed_operations_without_bytes() {
    for load in loads() {
        let outcome = run(&load, &[Fault::Short { permille: 50, moved_bytes: 512 }]);
        assert_eq!(outcome.failure(), None, "{load:?}");
        let kinds = outcome.end.faults.kinds();
        assert!(!kinds.is_empty() && kinds.iter().all(|fault| (fault.kind, fault.errno.0) == (FaultKind::Short, 0)));
        assert_eq!(outcome.end.faults.failed(), outcome.log.failed);
        assert_eq!(outcome.bytes % 4096, 0);
        assert_eq!(outcome.log.retried, 0, "what is short is not submitted again");
    }
}

#[test]
fn repeated_eagain_is_retried_and_every_retry_is_counted() {
    for load in loads() {
        for errno in [libc::EAGAIN, libc::EINTR] {
            let outcome = run(&load, &[Fault::Again { permille: 800, errno }]);
            assert_eq!((outcome.failure(), outcome.end.faults.failed()), (None, 0), "{load:?}");
            assert!(outcome.completed > 10 && outcome.retries() > outcome.completed, "{load:?}");
        }
    }
}

#[test]
fn thousands_of_retries_lose_nothing_and_are_part_of_the_latency() {
    for depth in [1, 16] {
        let load = Job { queue_depth: depth, measure_ns: 2 * SECOND, interval_ns: 100 * MS, ..job() };
        // Each takes 100 µs: at depth 1 half a second, in which one operation is retried repeatedly.
        let outcome = run(&load, &[Fault::AgainInARow { from: 100, count: 5_000 }]);
        assert_eq!((outcome.failure(), outcome.end.faults.failed()), (None, 0));
        assert_eq!((outcome.retries(), outcome.log.retried), (5_000, 5_000));
        let retrying_ns = 5_000 * 100_000 / u64::from(depth);
        assert!(outcome.latency_ns_max >= retrying_ns, "{} of {retrying_ns}", outcome.latency_ns_max);
    }
}

#[test]
fn eagain_for_half_a_minute_is_an_error() {
    for load in [Job { queue_depth: 1, ..job() }, Job { queue_depth: 3, ..job() }] {
        let fill = Job { pattern: Pattern::Sequential, read_percent: 0, amount_bytes: Some(1 << 20), ..load };
        let outcome = run(&fill, &[Fault::AgainInARow { from: 20, count: u64::MAX / 2 }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Io));
        assert_eq!(outcome.end.failure.and_then(|failure| failure.errno), Some(libc::EAGAIN));
        assert!(outcome.ended_ns < RETRY_NS_MAX + DRAIN_NS_MAX + SLACK_NS, "{}", outcome.ended_ns);
        assert!((1..=3).contains(&outcome.end.faults.failed()));
    }
}

#[test]
fn an_operation_to_be_retried_at_the_end_is_censored_with_its_full_age() {
    let load = Job { queue_depth: 2, ..job() };
    let outcome = run(&load, &[Fault::AgainInARow { from: 50, count: 1_000_000 }]);
    assert_eq!((outcome.failure(), outcome.end.censored.count), (None, 2));
    assert!(outcome.end.censored.age_ns_min > 30 * MS, "{}", outcome.end.censored.age_ns_min);
    assert!(outcome.ended_ns < end_ns(&load) + SLACK_NS, "an operation to be retried is not waited for");
}

#[test]
fn transient_submission_errors_lose_nothing() {
    for errno in [libc::EAGAIN, libc::EINTR, libc::EBUSY] {
        for load in loads() {
            let outcome = run(&load, &[Fault::Submit { permille: 500, errno }]);
            assert_eq!((outcome.failure(), outcome.end.faults.failed()), (None, 0), "{load:?}");
            assert!(outcome.log.refused > 20 && outcome.completed > 20, "{load:?}");
        }
    }
}

#[test]
fn a_ring_that_accepts_nothing_is_stuck_after_the_drain() {
    for load in loads() {
        let outcome = run(&load, &[Fault::Submit { permille: 1000, errno: libc::EBUSY }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Stuck), "{load:?}");
        assert!(outcome.ended_ns < end_ns(&load) + DRAIN_NS_MAX + SLACK_NS);
        assert_eq!(outcome.completed, 0);
    }
}

#[test]
fn a_broken_ring_ends_the_job_and_reports_operations_still_in_flight() {
    for load in loads() {
        let outcome = run(&load, &[Fault::Submit { permille: 1000, errno: libc::EBADF }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Io), "{load:?}");
        assert!(outcome.ended_ns < SLACK_NS, "nothing more can complete");
        assert!(outcome.end.unreturned > 0 || load.pace.is_some(), "nothing had arrived yet");
    }
}

#[test]
fn delays_of_seconds_are_measured_or_censored_and_lose_nothing() {
    for load in loads() {
        let outcome = run(&load, &[Fault::Delay { permille: 10, extra_ns: 5 * SECOND }]);
        assert_eq!((outcome.failure(), outcome.end.faults.failed(), outcome.end.unreturned), (None, 0, 0), "{load:?}");
        assert!(outcome.end.censored.latency_ns_max >= 5 * SECOND, "{load:?}");
        assert!(outcome.ended_ns < end_ns(&load) + 5 * SECOND + SLACK_NS);
    }
    let long = Job { queue_depth: 2, warmup_ns: 0, measure_ns: 20 * SECOND, interval_ns: SECOND, ..job() };
    let outcome = run(&long, &[Fault::Delay { permille: 1, extra_ns: 5 * SECOND }]);
    assert!(outcome.latency_ns_max >= 5 * SECOND);
}

#[test]
fn operations_that_never_complete_are_stuck_and_censored_half_a_minute_after_the_end() {
    for load in loads() {
        let outcome = run(&load, &[Fault::Lost { permille: 20 }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Stuck), "{load:?}");
        assert!(outcome.ended_ns >= end_ns(&load) + DRAIN_NS_MAX);
        assert!(outcome.ended_ns < end_ns(&load) + DRAIN_NS_MAX + SLACK_NS);
        assert!(outcome.end.unreturned > 0 && outcome.end.censored.count >= u64::from(outcome.end.unreturned));
    }
}

#[test]
fn a_job_with_an_amount_that_completes_nothing_ends_within_two_minutes() {
    for depth in [1, 8] {
        let whole = Job { pattern: Pattern::Sequential, read_percent: 0, queue_depth: depth, ..job() };
        let fill = Job { amount_bytes: Some(1 << 20), ..whole };
        let outcome = run(&fill, &[Fault::Gone { at_ns: MS, errno: libc::EIO, loses_in_flight: true }]);
        // Later operations fail at once; the slots of lost operations are waited for.
        assert!(outcome.failure().is_some());
        let outcome = run(&fill, &[Fault::Lost { permille: 1000 }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Stuck));
        assert_eq!((outcome.completed, outcome.end.unreturned), (0, depth));
        assert!(outcome.ended_ns < SILENCE_NS_MAX + DRAIN_NS_MAX + SLACK_NS, "{}", outcome.ended_ns);
    }
}

#[test]
fn a_target_that_disappears_ends_the_job() {
    for (errno, loses_in_flight) in [(libc::ENXIO, false), (libc::ENXIO, true), (libc::EIO, false), (libc::EIO, true)] {
        for load in loads() {
            let outcome = run(&load, &[Fault::Gone { at_ns: 10 * MS, errno, loses_in_flight }]);
            let waited = if loses_in_flight { DRAIN_NS_MAX } else { 0 };
            assert!(outcome.ended_ns < end_ns(&load) + waited + SLACK_NS, "{load:?}");
            assert!(outcome.completed > 0 && outcome.end.faults.failed() + outcome.end.censored.count > 0, "{load:?}");
            if errno == libc::ENXIO && !loses_in_flight {
                assert_eq!(outcome.failure(), Some(FailureKind::Io), "{load:?}");
            }
        }
    }
}

#[test]
fn a_failure_after_the_end_is_not_censored_as_well() {
    let load = Job { queue_depth: 4, ..job() };
    let late = Fault::Delay { permille: 1000, extra_ns: 10 * SECOND };
    let outcome = run(&load, &[late, Fault::Range { offset_bytes: 0, length_bytes: 1 << 20, errno: libc::ETIMEDOUT }]);
    assert_eq!((outcome.completed, outcome.end.faults.failed(), outcome.end.censored.count), (0, 4, 0));
    assert_eq!(outcome.end.faults.kinds()[0].errno.0, libc::ETIMEDOUT);
}

/// Delivers one completion twice.
struct Twice(NullRing);

impl Ring for Twice {
    fn push(&mut self, request: Request) {
        self.0.push(request);
    }

    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> std::io::Result<()> {
        self.0.submit(wait_for, timeout_ns)
    }

    fn reap(&mut self, into: &mut Vec<Completion>) {
        self.0.reap(into);
        into.extend(into.last().copied());
    }

    fn buffers(&mut self) -> &mut SharedBuffers {
        self.0.buffers()
    }

    fn facts(&self) -> RingFacts {
        self.0.facts()
    }
}

#[test]
#[should_panic(expected = "a completion of an operation that is not in flight")]
fn an_invented_completion_panics() {
    let load = job();
    let (recorder, _spares) = recorder_pair(&load, 8, None);
    let parts = WorkerParts {
        ring: Twice(NullRing::bare(load.slots())),
        clock: ManualClock::default(),
        accesses: Accesses::new(&load, 0, &Shared::new(&load)),
        payload: None,
        ledger: None,
        arrivals: None,
        recorder,
        host_monitor: HostMonitor::none(),
        stop: Arc::default(),
        heard_ns: Arc::default(),
    };
    let mut worker = Worker::new(&load, parts, 0);
    while worker.step() == Step::Running {}
}

#[test]
fn transient_errors_are_those_after_which_a_ring_is_usable() {
    let is_passing = |errno| is_transient(&std::io::Error::from_raw_os_error(errno));
    assert!([libc::EINTR, libc::EAGAIN, libc::EBUSY, libc::ETIME].into_iter().all(is_passing));
    assert!(![libc::EBADF, libc::ENXIO, libc::EFAULT, libc::EIO].into_iter().any(is_passing));
}
