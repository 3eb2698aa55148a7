//! Each kind of fault, in each way to load a target.

use std::sync::Arc;

use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Job, Pattern, Sync};
use iosonde_engine::pattern::{Accesses, ArrivalKind, Burst, Pace, Shared};
use iosonde_engine::record::FaultKind;
use iosonde_engine::ring::{Completion, NullRing, Request, Ring, RingTruth, SharedBuffers, passing};
use iosonde_engine::worker::{DRAIN_NS_MAX, RETRY_NS_MAX, SILENCE_NS_MAX, Step, Worker, WorkerParts, recorder_pair};

use crate::common::faulty::Fault;
use crate::common::{MS, ManualClock, job};
use crate::rig::{SECOND, SLACK_NS, end_ns, run};

/// The ways to load a target: closed and open, with flushes and without, shallow and deep.
fn ways() -> Vec<Job> {
    let half = Job { read_percent: 50, warmup_ns: 5 * MS, measure_ns: 30 * MS, ..job() };
    let pace = |arrivals| Some(Pace { rate_per_s: 5_000, arrivals });
    vec![
        Job { queue_depth: 1, ..half.clone() },
        Job { queue_depth: 32, ..half.clone() },
        Job { sync: Sync::Fdatasync, flush_every: 3, queue_depth: 4, ..half.clone() },
        Job { sync: Sync::Fdatasync, read_percent: 0, queue_depth: 1, ..half.clone() },
        Job { pace: pace(ArrivalKind::Constant), ..half.clone() },
        Job { pace: pace(ArrivalKind::Poisson), queue_depth: 32, sync: Sync::Fdatasync, ..half.clone() },
        Job { burst: Some(Burst { operations: 10, think_ns: MS }), ..half.clone() },
        Job { trim_percent: 25, queue_depth: 7, ..half },
    ]
}

#[test]
fn without_faults_all_ways_end_in_time_and_balance() {
    for way in ways() {
        let outcome = run(&way, &[]);
        assert_eq!((outcome.failure(), outcome.end.faults.lost()), (None, 0), "{way:?}");
        assert!(outcome.completed > 50 && outcome.ended_ns < end_ns(&way) + SLACK_NS, "{way:?}");
        assert_eq!(outcome.end.unreturned, 0);
    }
}

#[test]
fn errors_of_a_bad_stretch_are_counted_and_the_job_goes_on() {
    for errno in [libc::EIO, libc::ENODATA, libc::EREMOTEIO, libc::EILSEQ] {
        for way in ways() {
            let outcome = run(&way, &[Fault::Range { offset_bytes: 0, length_bytes: 64 << 10, errno }]);
            assert_eq!(outcome.failure(), None, "{way:?}");
            let failed = outcome.end.faults.lost();
            assert!(failed > 2 && failed < outcome.books.started / 2, "{failed} of {}", outcome.books.started);
            let kinds = outcome.end.faults.kinds();
            assert!(kinds.iter().all(|fault| fault.errno.0 == errno && fault.offset_bytes_first < 64 << 10));
            assert!(outcome.ended_ns < end_ns(&way) + SLACK_NS);
        }
    }
}

#[test]
fn errors_that_the_next_operation_meets_as_well_end_the_job_at_the_first() {
    for (errno, kind) in [
        (libc::ENOSPC, FailureKind::NoSpace),
        (libc::EDQUOT, FailureKind::NoSpace),
        (libc::ENXIO, FailureKind::Io),
        (libc::EROFS, FailureKind::Io),
        (libc::ENODEV, FailureKind::Io),
        (libc::ENOTCONN, FailureKind::Io),
    ] {
        for way in ways() {
            let outcome = run(&way, &[Fault::Range { offset_bytes: 512 << 10, length_bytes: 512 << 10, errno }]);
            assert_eq!(outcome.failure(), Some(kind), "{way:?}");
            assert!(outcome.end.faults.lost() <= u64::from(way.slots()), "{}", outcome.end.faults.lost());
            assert_eq!(outcome.end.failure.and_then(|failure| failure.errno), Some(errno));
            assert!(outcome.ended_ns < end_ns(&way) + SLACK_NS);
        }
    }
}

#[test]
fn short_transfers_are_lost_operations_that_move_no_bytes() {
    for way in ways() {
        let outcome = run(&way, &[Fault::Short { permille: 50, moved_bytes: 512 }]);
        assert_eq!(outcome.failure(), None, "{way:?}");
        let kinds = outcome.end.faults.kinds();
        assert!(!kinds.is_empty() && kinds.iter().all(|fault| (fault.kind, fault.errno.0) == (FaultKind::Short, 0)));
        assert_eq!(outcome.end.faults.lost(), outcome.books.failed);
        assert_eq!(outcome.bytes % 4096, 0);
        assert_eq!(outcome.books.tried_again, 0, "what is short is not submitted again");
    }
}

#[test]
fn storms_of_eagain_are_ridden_out_and_every_attempt_is_counted() {
    for way in ways() {
        for errno in [libc::EAGAIN, libc::EINTR] {
            let outcome = run(&way, &[Fault::Again { permille: 800, errno }]);
            assert_eq!((outcome.failure(), outcome.end.faults.lost()), (None, 0), "{way:?}");
            assert!(outcome.completed > 10 && outcome.retries() > outcome.completed, "{way:?}");
        }
    }
}

#[test]
fn a_storm_of_many_thousand_answers_loses_nothing_and_is_in_the_latency_of_whom_it_met() {
    for depth in [1, 16] {
        let way = Job { queue_depth: depth, measure_ns: 2 * SECOND, interval_ns: 100 * MS, ..job() };
        // Each takes 100 us: at depth 1 half a second, in which one operation is tried again and again.
        let outcome = run(&way, &[Fault::AgainInARow { from: 100, count: 5_000 }]);
        assert_eq!((outcome.failure(), outcome.end.faults.lost()), (None, 0));
        assert_eq!((outcome.retries(), outcome.books.tried_again), (5_000, 5_000));
        let storm_ns = 5_000 * 100_000 / u64::from(depth);
        assert!(outcome.latency_ns_max >= storm_ns, "{} of {storm_ns}", outcome.latency_ns_max);
    }
}

#[test]
fn a_target_that_says_eagain_for_half_a_minute_takes_nothing_any_more() {
    for way in [Job { queue_depth: 1, ..job() }, Job { queue_depth: 3, ..job() }] {
        let fill = Job { pattern: Pattern::Sequential, read_percent: 0, amount_bytes: Some(1 << 20), ..way };
        let outcome = run(&fill, &[Fault::AgainInARow { from: 20, count: u64::MAX / 2 }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Io));
        assert_eq!(outcome.end.failure.and_then(|failure| failure.errno), Some(libc::EAGAIN));
        assert!(outcome.ended_ns < RETRY_NS_MAX + DRAIN_NS_MAX + SLACK_NS, "{}", outcome.ended_ns);
        assert!((1..=3).contains(&outcome.end.faults.lost()));
    }
}

#[test]
fn what_waits_to_be_submitted_again_at_the_end_is_censored_with_its_whole_age() {
    let way = Job { queue_depth: 2, ..job() };
    let outcome = run(&way, &[Fault::AgainInARow { from: 50, count: 1_000_000 }]);
    assert_eq!((outcome.failure(), outcome.end.censored.count), (None, 2));
    assert!(outcome.end.censored.age_ns_min > 30 * MS, "{}", outcome.end.censored.age_ns_min);
    assert!(outcome.ended_ns < end_ns(&way) + SLACK_NS, "nobody waits for what was given back");
}

#[test]
fn a_ring_that_refuses_to_hand_over_for_a_moment_loses_nothing() {
    for errno in [libc::EAGAIN, libc::EINTR, libc::EBUSY] {
        for way in ways() {
            let outcome = run(&way, &[Fault::Submit { permille: 500, errno }]);
            assert_eq!((outcome.failure(), outcome.end.faults.lost()), (None, 0), "{way:?}");
            assert!(outcome.books.refused > 20 && outcome.completed > 20, "{way:?}");
        }
    }
}

#[test]
fn a_ring_that_takes_nothing_any_more_is_stuck_after_the_drain() {
    for way in ways() {
        let outcome = run(&way, &[Fault::Submit { permille: 1000, errno: libc::EBUSY }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Stuck), "{way:?}");
        assert!(outcome.ended_ns < end_ns(&way) + DRAIN_NS_MAX + SLACK_NS);
        assert_eq!(outcome.completed, 0);
    }
}

#[test]
fn a_ring_that_breaks_ends_the_job_and_says_that_its_memory_is_still_in_use() {
    for way in ways() {
        let outcome = run(&way, &[Fault::Submit { permille: 1000, errno: libc::EBADF }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Io), "{way:?}");
        assert!(outcome.ended_ns < SLACK_NS, "nothing more can come back");
        assert!(outcome.end.unreturned > 0 || way.pace.is_some(), "nothing was wanted yet");
    }
}

#[test]
fn delays_of_seconds_are_in_the_figures_or_censored_and_cost_no_operation() {
    for way in ways() {
        let outcome = run(&way, &[Fault::Delay { permille: 10, extra_ns: 5 * SECOND }]);
        assert_eq!((outcome.failure(), outcome.end.faults.lost(), outcome.end.unreturned), (None, 0, 0), "{way:?}");
        assert!(outcome.end.censored.latency_ns_max >= 5 * SECOND, "{way:?}");
        assert!(outcome.ended_ns < end_ns(&way) + 5 * SECOND + SLACK_NS);
    }
    let long = Job { queue_depth: 2, warmup_ns: 0, measure_ns: 20 * SECOND, interval_ns: SECOND, ..job() };
    let outcome = run(&long, &[Fault::Delay { permille: 1, extra_ns: 5 * SECOND }]);
    assert!(outcome.latency_ns_max >= 5 * SECOND);
}

#[test]
fn what_never_comes_back_is_stuck_and_censored_half_a_minute_after_the_end() {
    for way in ways() {
        let outcome = run(&way, &[Fault::Lost { permille: 20 }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Stuck), "{way:?}");
        assert!(outcome.ended_ns >= end_ns(&way) + DRAIN_NS_MAX);
        assert!(outcome.ended_ns < end_ns(&way) + DRAIN_NS_MAX + SLACK_NS);
        assert!(outcome.end.unreturned > 0 && outcome.end.censored.count >= u64::from(outcome.end.unreturned));
    }
}

#[test]
fn a_fill_from_which_nothing_comes_back_ends_within_two_minutes() {
    for depth in [1, 8] {
        let whole = Job { pattern: Pattern::Sequential, read_percent: 0, queue_depth: depth, ..job() };
        let fill = Job { amount_bytes: Some(1 << 20), ..whole };
        let outcome = run(&fill, &[Fault::Gone { at_ns: MS, errno: libc::EIO, loses_in_flight: true }]);
        // What is asked afterwards fails at once: the slots that it was lost from are waited for.
        assert!(outcome.failure().is_some());
        let outcome = run(&fill, &[Fault::Lost { permille: 1000 }]);
        assert_eq!(outcome.failure(), Some(FailureKind::Stuck));
        assert_eq!((outcome.completed, outcome.end.unreturned), (0, depth));
        assert!(outcome.ended_ns < SILENCE_NS_MAX + DRAIN_NS_MAX + SLACK_NS, "{}", outcome.ended_ns);
    }
}

#[test]
fn a_target_that_vanishes_ends_the_job_whatever_becomes_of_what_is_in_flight() {
    for (errno, loses_in_flight) in [(libc::ENXIO, false), (libc::ENXIO, true), (libc::EIO, false), (libc::EIO, true)] {
        for way in ways() {
            let outcome = run(&way, &[Fault::Gone { at_ns: 10 * MS, errno, loses_in_flight }]);
            let waited = if loses_in_flight { DRAIN_NS_MAX } else { 0 };
            assert!(outcome.ended_ns < end_ns(&way) + waited + SLACK_NS, "{way:?}");
            assert!(outcome.completed > 0 && outcome.end.faults.lost() + outcome.end.censored.count > 0, "{way:?}");
            if errno == libc::ENXIO && !loses_in_flight {
                assert_eq!(outcome.failure(), Some(FailureKind::Io), "{way:?}");
            }
        }
    }
}

#[test]
fn what_fails_after_the_end_is_a_failure_and_not_censored_as_well() {
    let way = Job { queue_depth: 4, ..job() };
    let late = Fault::Delay { permille: 1000, extra_ns: 10 * SECOND };
    let outcome = run(&way, &[late, Fault::Range { offset_bytes: 0, length_bytes: 1 << 20, errno: libc::ETIMEDOUT }]);
    assert_eq!((outcome.completed, outcome.end.faults.lost(), outcome.end.censored.count), (0, 4, 0));
    assert_eq!(outcome.end.faults.kinds()[0].errno.0, libc::ETIMEDOUT);
}

/// Gives one completion twice.
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

    fn truth(&self) -> RingTruth {
        self.0.truth()
    }
}

#[test]
#[should_panic(expected = "a completion of an operation that is not in flight")]
fn a_ring_that_makes_completions_up_is_a_mistake_of_ours() {
    let way = job();
    let (recorder, _spares) = recorder_pair(&way, 8, None);
    let parts = WorkerParts {
        ring: Twice(NullRing::bare(way.slots())),
        clock: ManualClock::default(),
        accesses: Accesses::new(&way, 0, &Shared::new(&way)),
        payload: None,
        ledger: None,
        arrivals: None,
        recorder,
        stop: Arc::default(),
    };
    let mut worker = Worker::new(&way, parts, 0);
    while worker.step() == Step::Running {}
}

#[test]
fn passing_errors_are_those_after_which_a_ring_goes_on() {
    let is_passing = |errno| passing(&std::io::Error::from_raw_os_error(errno));
    assert!([libc::EINTR, libc::EAGAIN, libc::EBUSY, libc::ETIME].into_iter().all(is_passing));
    assert!(![libc::EBADF, libc::ENXIO, libc::EFAULT, libc::EIO].into_iter().any(is_passing));
}
