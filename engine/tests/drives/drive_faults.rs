//! Simulated drives with scheduled faults: their effect on the results.

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, job};
use iosonde_engine::cell::{Interval, JobResult, Outcome};
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Engine, Job, Pattern, Sync};
use iosonde_engine::record::{Class, FaultKind};
use iosonde_engine::sim::{
    Affected, Drive, FaultPlan, InFlight, Model, QueueingModel, Service, check_faults, flush_all,
};

const SECOND: u64 = 1_000 * MS;
const US: u64 = 1_000;
const SIZE_BYTES: u64 = 1 << 20;
/// The latency of a request without faults.
const SERVICE_NS: u64 = 100 * US;

/// Reads at queue depth 4 for a second, in intervals of a tenth.
fn reads() -> Job {
    Job { engine: Engine::Simulation, warmup_ns: 0, measure_ns: SECOND, interval_ns: 100 * MS, ..job() }
}

/// A drive with four servers at 100 µs per request.
fn model() -> Model {
    Model::Queueing(QueueingModel {
        size_bytes: SIZE_BYTES,
        servers: 4,
        service: Service::Constant,
        service_ns: SERVICE_NS,
    })
}

fn bay(faults: &[FaultPlan]) -> DriveBay {
    check_faults(faults, SIZE_BYTES).expect("they can happen");
    DriveBay::of(Drive::new(&model(), 1).with_faults(faults, 0))
}

fn run(job: &Job, faults: &[FaultPlan]) -> (Vec<Interval>, JobResult) {
    bay(faults).run(job)
}

fn counts(intervals: &[Interval]) -> Vec<u64> {
    intervals.iter().map(|interval| interval.operations.get(&Class::Read).map_or(0, |totals| totals.count)).collect()
}

fn failure(result: &JobResult) -> (FailureKind, Option<i32>) {
    let failure = result.failure.as_ref().expect("the job failed");
    (failure.kind, failure.errno)
}

/// Completions in a tenth of a second without faults: a thousand rounds of four.
const FULL: u64 = 4_000;

#[test]
fn a_drive_without_faults_is_the_drive_alone() {
    assert!(matches!(Drive::new(&model(), 1).with_faults(&[], 0), Drive::Queueing(_)));
}

#[test]
fn a_fault_that_never_happens_changes_only_the_state() {
    let later = [FaultPlan::Stall { from_ns: 3_600 * SECOND, until_ns: None }];
    let ((plain, plain_result), (seen, seen_result)) = (run(&reads(), &[]), run(&reads(), &later));
    assert_eq!(seen, plain);
    assert_eq!(seen_result.slowest, plain_result.slowest);
    assert_ne!(seen_result.drives[0].state_hash, plain_result.drives[0].state_hash);
}

#[test]
fn latency_spikes_show_as_the_slowest_operations_at_their_times() {
    let spikes =
        FaultPlan::LatencySpikes { from_ns: 50 * MS, period_ns: 200 * MS, length_ns: MS / 10, extra_ns: 10 * MS };
    let (intervals, result) = run(&reads(), &[spikes]);
    assert_eq!(result.outcome, Outcome::Finished);
    let slow: Vec<u64> =
        result.slowest.iter().filter(|slow| slow.latency_ns == SERVICE_NS + 10 * MS).map(|slow| slow.reap_ns).collect();
    assert_eq!(slow.len(), 20, "five spikes, each for the four requests that arrive within it");
    for spike in 0..5 {
        let reap_ns = (50 + 200 * spike) * MS + SERVICE_NS + 10 * MS;
        assert_eq!(slow.iter().filter(|seen| **seen == reap_ns).count(), 4, "{slow:?}");
    }
    let quiet: Vec<u64> =
        intervals.iter().skip(1).step_by(2).map(|interval| interval.operations[&Class::Read].latency_ns_max).collect();
    assert_eq!(quiet, [SERVICE_NS; 5]);
}

#[test]
fn a_media_error_fails_only_the_reads_that_overlap_it() {
    let error =
        FaultPlan::MediaError { from_ns: 0, offset_bytes: 10_000, length_bytes: 1, operations: Affected::Reads };
    let job = Job { measure_ns: 100 * MS, ..reads() };
    let (intervals, result) = run(&job, std::slice::from_ref(&error));
    assert_eq!(result.outcome, Outcome::Finished, "{:?}", result.failure);
    let [fault] = result.faults[..] else { panic!("one kind of fault: {:?}", result.faults) };
    assert_eq!((fault.kind, fault.operation, fault.errno.0), (FaultKind::Error, Class::Read, libc::EIO));
    assert_eq!(fault.offset_bytes_first, 8192, "the block that it lies in");
    let whole: u64 = counts(&intervals).iter().sum();
    assert_eq!(whole + fault.count + result.censored.count, FULL, "an error takes as long as a read");
    // One block of 256: 15.6 of 4,000.
    assert!((5..30).contains(&fault.count), "{}", fault.count);
    let writes = Job { read_percent: 0, ..job };
    assert_eq!(run(&writes, &[error]).1.faults, []);
}

#[test]
fn too_many_media_errors_end_the_job() {
    let error =
        FaultPlan::MediaError { from_ns: 0, offset_bytes: 0, length_bytes: SIZE_BYTES, operations: Affected::Both };
    let (_, result) = run(&reads(), &[error]);
    assert_eq!((result.outcome, failure(&result)), (Outcome::Failed, (FailureKind::Io, Some(libc::EIO))));
    assert!(result.failure.expect("it failed").message.contains("more than 1000"));
}

#[test]
fn without_tolerated_errors_the_first_one_ends_the_job() {
    let error =
        FaultPlan::MediaError { from_ns: 0, offset_bytes: 10_000, length_bytes: 1, operations: Affected::Reads };
    for amount_bytes in [None, Some(64 << 20)] {
        let (_, result) = run(&Job { failed_max: 0, amount_bytes, ..reads() }, std::slice::from_ref(&error));
        assert_eq!((result.outcome, failure(&result)), (Outcome::Failed, (FailureKind::Io, Some(libc::EIO))));
        let [fault] = result.faults[..] else { panic!("one kind of fault: {:?}", result.faults) };
        assert_eq!(fault.count, 1);
        let failed = result.failure.expect("it failed");
        assert_eq!(failed.message, "read at offset 8192: Input/output error (EIO)");
    }
}

#[test]
fn a_media_error_starts_at_its_time() {
    let error = FaultPlan::MediaError {
        from_ns: 2 * SECOND,
        offset_bytes: 0,
        length_bytes: SIZE_BYTES,
        operations: Affected::Writes,
    };
    let mut bay = bay(&[error]);
    let job = Job { read_percent: 0, ..reads() };
    assert_eq!(bay.run(&job).1.faults, []);
    bay.clock.move_to(2 * SECOND);
    assert_eq!(bay.run(&job).1.faults[0].operation, Class::Write);
}

#[test]
fn throttling_slows_the_drive_from_its_start_time_on() {
    let throttling = FaultPlan::Throttling { from_ns: 500 * MS, until_ns: Some(800 * MS), stretch_permille: 4_000 };
    let (intervals, result) = run(&reads(), &[throttling]);
    let seen = counts(&intervals);
    let expected = [FULL, FULL, FULL, FULL, FULL, FULL / 4, FULL / 4, FULL / 4, FULL, FULL];
    assert!(seen.iter().zip(expected).all(|(seen, expected)| seen.abs_diff(expected) <= 8), "{seen:?}");
    assert_eq!(intervals[6].operations[&Class::Read].latency_ns_max, 4 * SERVICE_NS);
    assert_eq!(result.drives[0].health.throttled_ns, Some(300 * MS));
}

#[test]
fn requests_complete_only_after_a_stall() {
    let stall = FaultPlan::Stall { from_ns: 250 * MS, until_ns: Some(550 * MS) };
    let (intervals, result) = run(&reads(), &[stall]);
    assert_eq!((result.outcome, &result.faults[..]), (Outcome::Finished, &[][..]));
    let seen = counts(&intervals);
    assert_eq!(seen[3..5], [0, 0], "{seen:?}");
    assert!(seen[2].abs_diff(FULL / 2) <= 8 && seen[5].abs_diff(FULL / 2) <= 8, "{seen:?}");
    assert_eq!(intervals[3].in_flight_ns, 4 * 100 * MS, "they wait all the time");
    let longest: Vec<u64> = result.slowest.iter().map(|slow| slow.latency_ns).filter(|ns| *ns > MS).collect();
    assert_eq!(longest, [300 * MS + SERVICE_NS; 4]);
}

#[test]
fn requests_of_a_stall_over_the_end_are_censored_and_waited_for() {
    let stall = FaultPlan::Stall { from_ns: 900 * MS, until_ns: Some(11 * SECOND) };
    let (_, result) = run(&reads(), &[stall]);
    assert_eq!(result.outcome, Outcome::Finished, "{:?}", result.failure);
    let censored = result.censored;
    // Requests that would have completed at the very start of the stall.
    let age_ns = 100 * MS + SERVICE_NS;
    assert_eq!((censored.count, censored.age_ns_min, censored.age_ns_max), (4, age_ns, age_ns));
    assert_eq!(censored.latency_ns_max, 10_100 * MS + SERVICE_NS);
    assert_eq!(censored.drain_ns, 10 * SECOND, "from the end to the last completion");
}

#[test]
fn an_endless_stall_ends_the_job_as_stuck_thirty_virtual_seconds_after_its_end() {
    let mut bay = bay(&[FaultPlan::Stall { from_ns: 900 * MS, until_ns: None }]);
    let (intervals, result) = bay.run(&reads());
    assert_eq!((result.outcome, failure(&result)), (Outcome::Failed, (FailureKind::Stuck, None)));
    assert_eq!(result.failure.expect("it failed").message, "4 operations did not complete within 30 s");
    assert_eq!(iosonde_engine::clock::Clock::now(&bay.clock), 31 * SECOND);
    assert_eq!((intervals.len(), result.censored.count, result.censored.drain_ns), (10, 4, 0));
}

#[test]
fn a_job_with_an_amount_ends_as_stuck_after_an_endless_stall() {
    let job = Job { amount_bytes: Some(SIZE_BYTES), read_percent: 0, pattern: Pattern::Sequential, ..reads() };
    let mut bay = bay(&[FaultPlan::Stall { from_ns: MS, until_ns: None }]);
    let (_, result) = bay.run(&job);
    assert_eq!(failure(&result), (FailureKind::Stuck, None));
    assert!(iosonde_engine::clock::Clock::now(&bay.clock) < 31 * SECOND);
}

#[test]
fn completions_after_the_end_of_their_job_are_dropped() {
    let mut bay = bay(&[FaultPlan::Stall { from_ns: 500 * MS, until_ns: Some(40 * SECOND) }]);
    // With more workers than the next job has, late completions would have no recipient.
    let stuck = bay.run(&Job { jobs: 4, ..reads() }).1;
    assert_eq!((failure(&stuck).0, stuck.censored.count), (FailureKind::Stuck, 16));
    bay.clock.move_to(39 * SECOND + 950 * MS);
    let (intervals, result) = bay.run(&reads());
    assert_eq!(result.outcome, Outcome::Finished, "{:?}", result.failure);
    let seen = counts(&intervals);
    assert!(seen[0] < FULL / 2 && seen[1..].iter().all(|count| count.abs_diff(FULL) <= 8), "{seen:?}");
    // Twelve old requests are served first: three rounds, and then its own.
    let waited_ns = 50 * MS + 4 * SERVICE_NS;
    assert_eq!(result.slowest.iter().map(|slow| slow.latency_ns).max(), Some(waited_ns));
}

#[test]
fn a_drive_that_disappears_fails_the_job_with_enodev() {
    for in_flight in [InFlight::Fail, InFlight::Lost] {
        let mut bay = bay(&[FaultPlan::Disappearance { from_ns: 250 * MS + 50 * US, in_flight }]);
        let (intervals, result) = bay.run(&reads());
        let gone_for_the_next = bay.run(&reads()).1;
        assert_eq!(counts(&intervals)[..2], [FULL - 4, FULL], "{in_flight:?}");
        match in_flight {
            InFlight::Fail => {
                assert_eq!(failure(&result), (FailureKind::Io, Some(libc::ENODEV)));
                assert_eq!(result.measured_ns, 250 * MS + 50 * US, "the job ends when its drive does");
                assert_eq!(result.faults[0].count, 4);
            }
            // No slot is free to submit again, and nothing indicates that the drive is gone.
            InFlight::Lost => {
                assert_eq!(failure(&result), (FailureKind::Stuck, None));
                assert_eq!((result.measured_ns, &result.faults[..]), (SECOND, &[][..]));
            }
        }
        assert_eq!(failure(&gone_for_the_next), (FailureKind::Io, Some(libc::ENODEV)));
    }
}

#[test]
fn an_open_loop_notices_a_lost_drive_at_the_next_arrival() {
    let pace = iosonde_engine::pattern::OpenLoop {
        rate_per_s: 1_000,
        arrivals: iosonde_engine::pattern::ArrivalKind::Constant,
    };
    let gone = FaultPlan::Disappearance { from_ns: 250 * MS + 50 * US, in_flight: InFlight::Lost };
    let (_, result) = run(&Job { pace: Some(pace), ..reads() }, &[gone]);
    // The failure of the next operation does not hide that one never completed.
    assert_eq!(failure(&result), (FailureKind::Stuck, Some(libc::ENODEV)));
    assert_eq!((result.measured_ns, result.censored.count), (251 * MS, 1), "the one of 250 ms never comes back");
}

#[test]
fn a_flush_on_a_lost_drive_fails() {
    let gone = FaultPlan::Disappearance { from_ns: 150 * US, in_flight: InFlight::Fail };
    let job = Job { read_percent: 0, sync: Sync::Fdatasync, ..reads() };
    let (_, result) = run(&job, &[gone]);
    assert_eq!((result.faults[0].operation, result.faults[0].errno.0), (Class::Flush, libc::ENODEV));
}

#[test]
fn the_same_faults_yield_the_same_records_and_others_another_state() {
    let spikes = |extra_ns| FaultPlan::LatencySpikes { from_ns: 0, period_ns: 7 * MS, length_ns: MS, extra_ns };
    let throttling = FaultPlan::Throttling { from_ns: 300 * MS, until_ns: None, stretch_permille: 1_337 };
    let (first, second) = (run(&reads(), &[spikes(MS), throttling.clone()]), run(&reads(), &[spikes(MS), throttling]));
    assert_eq!(first, second);
    assert_ne!(first.1.drives[0].state_hash, run(&reads(), &[spikes(MS)]).1.drives[0].state_hash);
}

#[test]
fn fault_times_start_when_the_drive_is_opened() {
    let stall = FaultPlan::Stall { from_ns: 250 * MS, until_ns: Some(550 * MS) };
    let mut bay = bay(&[]);
    bay.clock.move_to(77 * SECOND);
    bay.drives = vec![Drive::new(&model(), 1).with_faults(&[stall], 77 * SECOND)];
    assert_eq!(counts(&bay.run(&reads()).0)[3..5], [0, 0]);
}

#[test]
fn impossible_faults_are_rejected_with_key_value_and_range() {
    let refused = |fault: FaultPlan| {
        let failure = check_faults(&[FaultPlan::Stall { from_ns: 0, until_ns: None }, fault], SIZE_BYTES);
        let failure = failure.expect_err("it can't happen");
        assert_eq!(failure.kind, FailureKind::BadModel);
        failure.message
    };
    let spikes = FaultPlan::LatencySpikes { from_ns: 0, period_ns: 10, length_ns: 11, extra_ns: 1 };
    assert_eq!(refused(spikes), "faults[1].length_ns is 11; the range is 1 to 10");
    let error = |offset_bytes, length_bytes| FaultPlan::MediaError {
        from_ns: 0,
        offset_bytes,
        length_bytes,
        operations: Affected::Both,
    };
    assert_eq!(refused(error(1 << 20, 1)), "faults[1].offset_bytes is 1048576; the range is 0 to 1048575");
    assert_eq!(refused(error(4096, 1 << 20)), "faults[1].length_bytes is 1048576; the range is 1 to 1044480");
    let throttling = FaultPlan::Throttling { from_ns: 0, until_ns: None, stretch_permille: 999 };
    assert_eq!(refused(throttling), "faults[1].stretch_permille is 999; the range is 1000 to 1000000");
    let stall = FaultPlan::Stall { from_ns: 10, until_ns: Some(10) };
    assert_eq!(refused(stall), "faults[1].until_ns is 10; the range is 11 to 31536000000000000");
    let many = vec![FaultPlan::Stall { from_ns: 0, until_ns: None }; 65];
    let message = check_faults(&many, SIZE_BYTES).expect_err("too many").message;
    assert_eq!(message, "faults has 65 entries; the maximum is 64");
}

#[test]
fn a_lost_drive_cannot_be_flushed() {
    let gone = |in_flight| bay(&[FaultPlan::Disappearance { from_ns: SERVICE_NS / 2, in_flight }]);
    let failure =
        |mut bay: DriveBay| flush_all(&mut bay.drives, &bay.clock).expect_err("it is gone before the flush is done");
    let failed = failure(gone(InFlight::Fail));
    assert_eq!((failed.kind, failed.errno), (FailureKind::Io, Some(libc::ENODEV)));
    let lost = failure(gone(InFlight::Lost));
    assert_eq!((lost.kind, lost.message.as_str()), (FailureKind::Stuck, "a flush did not complete within 600 s"));
}
