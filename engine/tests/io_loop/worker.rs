//! The I/O loop, on a scripted ring with a manual clock.

use std::sync::atomic::Ordering;

use crate::common::{MS, ManualClock, ScriptedRing, WorkerRig, job};
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Job, Sync};
use iosonde_engine::record::{Class, FaultKind, Phase, Tally};
use iosonde_engine::ring::Operation;
use iosonde_engine::worker::{FinalReport, Step, TallyReceiver};

/// All tallies of a run in order, including the final one.
fn tallies(end: &FinalReport, spares: &mut TallyReceiver) -> Vec<Tally> {
    let mut all: Vec<Tally> = std::iter::from_fn(|| spares.full.pop().ok()).map(|tally| *tally).collect();
    all.push((*end.tally).clone());
    all
}

fn measured(all: &[Tally], class: Class) -> u64 {
    all.iter().filter(|tally| tally.phase == Phase::Measure).map(|tally| tally.class(class).count).sum()
}

#[test]
fn throughput_is_depth_over_service_time() {
    let (end, mut spares) = WorkerRig::new(&job(), MS, 8).run();
    let all = tallies(&end, &mut spares);
    // 4 in flight, 1 ms each: 4 per millisecond. The poll at the very end of the 30 ms finds censored operations.
    assert_eq!(measured(&all, Class::Read), 4 * 30);
    assert_eq!(end.failure, None);
}

#[test]
fn a_whole_queue_is_submitted_if_each_batch_completes_at_once() {
    let job = Job { queue_depth: 32, ..job() };
    let clock = ManualClock::default();
    let mut ring = ScriptedRing::new(&clock, MS / 100);
    ring.is_done_at_once = true;
    assert_eq!(WorkerRig::on(&job, ring, clock, 8).run().0.batch_max, 32);
}

#[test]
fn batches_stay_small_while_operations_wait_for_the_target() {
    let job = Job { queue_depth: 32, ..job() };
    assert_eq!(WorkerRig::new(&job, MS, 8).run().0.batch_max, 4);
}

#[test]
fn the_submission_timestamp_precedes_the_start_of_every_operation_in_a_batch() {
    let job = Job { queue_depth: 32, ..job() };
    let clock = ManualClock::default();
    let mut ring = ScriptedRing::new(&clock, MS);
    ring.push_ns = MS / 100;
    let (end, mut spares) = WorkerRig::on(&job, ring, clock, 8).run();
    let all = tallies(&end, &mut spares);
    let shortest = all.iter().map(|tally| tally.class(Class::Read)).filter(|class| class.count > 0);
    let shortest = shortest.map(|class| class.latency_ns_min).min();
    assert!(end.batch_max > 1, "no operation shared a batch");
    assert!(shortest.is_some_and(|shortest| shortest >= MS), "an operation took {shortest:?} ns, and needs {MS}");
}

#[test]
fn warm_up_is_recorded_separately_and_intervals_are_contiguous() {
    let (end, mut spares) = WorkerRig::new(&job(), MS, 8).run();
    let all = tallies(&end, &mut spares);
    let phases: Vec<Phase> = all.iter().map(|tally| tally.phase).collect();
    assert_eq!(phases, [Phase::Warmup, Phase::Measure, Phase::Measure, Phase::Measure]);
    for pair in all.windows(2) {
        assert_eq!(pair[0].end_ns, pair[1].start_ns);
        assert_eq!(pair[0].interval_last + 1, pair[1].interval_first);
    }
    assert_eq!((all[0].start_ns, all[3].end_ns), (0, 40 * MS));
}

#[test]
fn achieved_depth_is_the_time_weighted_number_in_flight() {
    let (end, mut spares) = WorkerRig::new(&job(), MS, 8).run();
    let in_flight: u64 = tallies(&end, &mut spares).iter().map(|tally| tally.in_flight_ns).sum();
    assert_eq!(in_flight, 4 * 40 * MS);
}

#[test]
fn littles_law_holds_for_latencies_and_operations_in_flight() {
    let (end, mut spares) = WorkerRig::new(&job(), 3 * MS, 8).run();
    let all = tallies(&end, &mut spares);
    let latencies: u64 = all.iter().map(|tally| tally.class(Class::Read).latency_ns_sum).sum();
    let in_flight: u64 = all.iter().map(|tally| tally.in_flight_ns).sum();
    let censored = 4 * end.censored.age_ns_max;
    assert_eq!(latencies + censored, in_flight);
}

#[test]
fn operations_in_flight_at_the_end_are_censored_with_their_age() {
    let (end, _) = WorkerRig::new(&job(), 7 * MS, 8).run();
    // 35 is a multiple of seven: the last four were submitted then, five milliseconds before the end.
    assert_eq!(end.censored.count, 4);
    assert_eq!((end.censored.age_ns_min, end.censored.age_ns_max), (5 * MS, 5 * MS));
    assert_eq!((end.censored.latency_ns_max, end.censored.drain_ns), (7 * MS, 2 * MS));
}

#[test]
fn a_stalled_device_still_gets_its_intervals_and_its_end() {
    let (end, mut spares) = WorkerRig::new(&job(), 200 * MS, 8).run();
    let all = tallies(&end, &mut spares);
    assert_eq!(all.len(), 4);
    assert_eq!(measured(&all, Class::Read), 0);
    assert_eq!((end.censored.count, end.censored.age_ns_max), (4, 40 * MS));
}

#[test]
fn operations_that_never_complete_end_the_job_as_stuck() {
    let (end, _) = WorkerRig::new(&job(), u64::MAX / 2, 8).run();
    assert_eq!(end.failure.map(|failure| failure.kind), Some(FailureKind::Stuck));
}

#[test]
fn eagain_is_retried_and_the_latency_counts_from_the_first_submission() {
    let rig = WorkerRig::new(&Job { queue_depth: 1, ..job() }, MS, 8);
    rig.script.borrow_mut().extend([None, Some(-libc::EAGAIN), None]);
    let seen = std::rc::Rc::clone(&rig.seen);
    let (end, mut spares) = rig.run();
    let all = tallies(&end, &mut spares);
    let retries: Vec<_> = end.faults.kinds().iter().map(|fault| (fault.kind, fault.errno.0, fault.count)).collect();
    assert_eq!(retries, [(FaultKind::Retry, libc::EAGAIN, 1)]);
    assert_eq!(all[0].class(Class::Read).latency_ns_max, 2 * MS);
    assert_eq!(seen.borrow()[1].offset_bytes, seen.borrow()[2].offset_bytes);
    assert_eq!(end.faults.failed(), 0);
}

#[test]
fn eio_is_counted_with_its_offset_and_the_job_continues() {
    let rig = WorkerRig::new(&job(), MS, 8);
    rig.script.borrow_mut().extend([None, Some(-libc::EIO)]);
    let seen = std::rc::Rc::clone(&rig.seen);
    let (end, mut spares) = rig.run();
    let fault = end.faults.kinds()[0];
    assert_eq!((fault.kind, fault.errno.0, fault.count), (FaultKind::Error, libc::EIO, 1));
    assert_eq!(fault.offset_bytes_first, seen.borrow()[1].offset_bytes);
    assert_eq!(end.failure, None);
    assert_eq!(measured(&tallies(&end, &mut spares), Class::Read), 4 * 30);
}

#[test]
fn a_device_that_fails_everything_ends_the_job() {
    let rig = WorkerRig::new(&job(), MS / 1000, 8);
    rig.script.borrow_mut().extend(vec![Some(-libc::EIO); 5000]);
    let (end, _) = rig.run();
    assert_eq!(end.failure.map(|failure| failure.kind), Some(FailureKind::Io));
    assert!(end.faults.failed() > 1000 && end.faults.failed() < 1100, "{}", end.faults.failed());
}

#[test]
fn a_full_disk_ends_the_job_at_once_with_the_offset() {
    let rig = WorkerRig::new(&Job { read_percent: 0, ..job() }, MS, 8);
    rig.script.borrow_mut().push_back(Some(-libc::ENOSPC));
    let offset = std::rc::Rc::clone(&rig.seen);
    let (end, _) = rig.run();
    let failure = end.failure.expect("a full disk is a failure");
    assert_eq!((failure.kind, failure.errno), (FailureKind::NoSpace, Some(libc::ENOSPC)));
    assert_eq!(failure.offset_bytes, Some(offset.borrow()[0].offset_bytes));
}

#[test]
fn a_short_transfer_is_counted_as_a_fault() {
    let rig = WorkerRig::new(&job(), MS, 8);
    rig.script.borrow_mut().extend([Some(512), None]);
    let (end, mut spares) = rig.run();
    let fault = end.faults.kinds()[0];
    assert_eq!((fault.kind, fault.errno.0, fault.count), (FaultKind::Short, 0, 1));
    let bytes: u64 = tallies(&end, &mut spares).iter().map(|tally| tally.class(Class::Read).bytes).sum();
    assert_eq!(bytes % 4096, 0);
}

#[test]
fn a_read_of_zero_bytes_means_a_truncated_file() {
    let rig = WorkerRig::new(&job(), MS, 8);
    rig.script.borrow_mut().push_back(Some(0));
    let (end, _) = rig.run();
    assert_eq!(end.failure.map(|failure| failure.kind), Some(FailureKind::Changed));
}

#[test]
fn each_write_is_followed_by_its_flush_and_both_form_a_commit() {
    let write = Job { read_percent: 0, queue_depth: 1, sync: Sync::Fdatasync, ..job() };
    let rig = WorkerRig::new(&write, MS, 8);
    let seen = std::rc::Rc::clone(&rig.seen);
    let (end, mut spares) = rig.run();
    let operations: Vec<Operation> = seen.borrow().iter().take(4).map(|request| request.operation).collect();
    assert_eq!(operations, [Operation::Write, Operation::Flush, Operation::Write, Operation::Flush]);
    let all = tallies(&end, &mut spares);
    assert_eq!(measured(&all, Class::Write), measured(&all, Class::Flush));
    let commit = all[1].class(Class::Commit);
    assert_eq!((commit.latency_ns_min, commit.latency_ns_max), (2 * MS, 2 * MS));
    assert_eq!(commit.bytes, 4096 * commit.count);
}

#[test]
fn a_failed_fdatasync_ends_the_job_at_once() {
    let write = Job { read_percent: 0, queue_depth: 1, sync: Sync::Fdatasync, ..job() };
    let rig = WorkerRig::new(&write, MS, 8);
    rig.script.borrow_mut().extend([None, None, None, Some(-libc::EIO)]);
    let (end, _) = rig.run();
    let failure = end.failure.expect("the job failed");
    assert_eq!((failure.kind, failure.errno), (FailureKind::Io, Some(libc::EIO)));
    assert!(failure.message.starts_with("fdatasync failed: "), "{}", failure.message);
    assert_eq!(end.faults.failed(), 1);
}

#[test]
fn o_dsync_writes_are_submitted_as_such() {
    let rig = WorkerRig::new(&Job { read_percent: 0, sync: Sync::Dsync, ..job() }, MS, 8);
    let seen = std::rc::Rc::clone(&rig.seen);
    rig.run();
    assert!(seen.borrow().iter().all(|request| request.operation == Operation::WriteDsync));
}

#[test]
fn a_stop_ends_the_job_and_keeps_its_results() {
    let mut rig = WorkerRig::new(&Job { queue_depth: 1, ..job() }, MS, 8);
    while iosonde_engine::clock::Clock::now(&rig.clock) < 25 * MS {
        assert_eq!(rig.worker.step(), Step::Running);
    }
    rig.stop.store(true, Ordering::Relaxed);
    let (end, mut spares) = rig.run();
    let all = tallies(&end, &mut spares);
    assert!(end.stopped);
    // It is noticed after the current round, whose completions count.
    assert_eq!(all.last().map(|tally| tally.end_ns), Some(26 * MS));
    assert_eq!(measured(&all, Class::Read), 17);
}

#[test]
fn an_amount_is_transferred_exactly_with_each_block_once() {
    let fill = Job {
        pattern: iosonde_engine::job::Pattern::Sequential,
        read_percent: 0,
        amount_bytes: Some(1 << 20),
        ..job()
    };
    let rig = WorkerRig::new(&fill, MS, 8);
    let seen = std::rc::Rc::clone(&rig.seen);
    let (end, mut spares) = rig.run();
    let mut offsets: Vec<u64> = seen.borrow().iter().map(|request| request.offset_bytes).collect();
    offsets.sort_unstable();
    assert_eq!(offsets, (0..256).map(|block| block * 4096).collect::<Vec<u64>>());
    assert_eq!(measured(&tallies(&end, &mut spares), Class::Write), 256);
    assert_eq!(end.censored.count, 0);
}

#[test]
fn intervals_without_a_spare_tally_are_merged_but_never_across_the_end_of_warm_up() {
    let long = Job { measure_ns: 60 * MS, warmup_ns: 30 * MS, ..job() };
    let (end, mut spares) = WorkerRig::new(&long, MS, 0).run();
    let all = tallies(&end, &mut spares);
    let spans: Vec<_> = all.iter().map(|tally| (tally.phase, tally.interval_first, tally.interval_last)).collect();
    assert_eq!(spans, [(Phase::Warmup, 0, 2), (Phase::Measure, 3, 8)]);
    assert_eq!(end.intervals_merged, 2 + 5);
    assert_eq!(measured(&all, Class::Read), 4 * 60);
}

#[test]
fn the_slowest_operations_are_kept_with_their_details() {
    let (end, _) = WorkerRig::new(&job(), MS, 8).run();
    let slowest = end.slowest.ordered();
    assert_eq!(slowest.len(), 64);
    assert!(slowest.iter().all(|io| io.latency_ns == MS && io.length_bytes == 4096 && io.reap_ns >= 10 * MS));
}

// Latencies of reads at a depth that all complete at the same time, if the kernel delivers some at a time.
fn latencies_of_simultaneous_completions(
    depth: u32,
    seen_at_once: usize,
    uncover_ns: u64,
) -> (FinalReport, Vec<(u64, u64)>) {
    let job = Job { queue_depth: depth, amount_bytes: Some(u64::from(depth) * 4096), ..job() };
    let clock = ManualClock::default();
    let mut ring = ScriptedRing::new(&clock, MS);
    (ring.seen_at_once, ring.uncover_ns) = (seen_at_once, uncover_ns);
    let (end, mut spares) = WorkerRig::on(&job, ring, clock, 8).run();
    let all = tallies(&end, &mut spares);
    let reads = all.iter().map(|tally| tally.class(Class::Read)).filter(|reads| reads.count > 0);
    let distribution = reads.map(|reads| (reads.latency_ns_min, reads.latency_ns_max)).collect();
    (end, distribution)
}

#[test]
fn operations_that_complete_at_the_same_time_have_equal_latencies() {
    for depth in [8, 20, 128] {
        assert_eq!(latencies_of_simultaneous_completions(depth, usize::MAX, 0).1, [(MS, MS)], "depth {depth}");
    }
}

#[test]
fn latencies_are_equal_even_if_the_kernel_delivers_a_few_at_a_time() {
    for (depth, sweeps) in [(8, 1), (20, 1), (128, 7)] {
        // The first twenty are visible when the worker wakes; each further poll is a system call.
        let beyond_ns = (sweeps - 1) * MS / 100;
        let (end, distribution) = latencies_of_simultaneous_completions(depth, 20, MS / 100);
        assert_eq!(distribution, [(MS + beyond_ns, MS + beyond_ns)], "depth {depth}");
        assert_eq!(end.sweep_ns_max, beyond_ns, "depth {depth}");
    }
}

#[test]
fn the_backlog_is_completed_but_not_reaped_and_at_most_what_was_in_flight() {
    let busy = Job { queue_depth: 32, measure_ns: 300 * MS, ..job() };
    let clock = ManualClock::default();
    let mut ring = ScriptedRing::new(&clock, MS / 10);
    // Pushing takes as long as service: half of the queue waits to be reaped.
    ring.push_ns = MS / 100;
    let (end, mut spares) = WorkerRig::on(&busy, ring, clock, 400).run();
    let all = tallies(&end, &mut spares);
    let (in_flight_ns, backlog_ns) =
        all.iter().fold((0, 0), |sum, tally| (sum.0 + tally.in_flight_ns, sum.1 + tally.backlog_ns));
    assert!(backlog_ns > 0 && backlog_ns < in_flight_ns, "{backlog_ns} of {in_flight_ns}");
    // With nothing in flight before, at most half of the time since the submission.
    let nothing = Job { queue_depth: 8, ..busy };
    let clock = ManualClock::default();
    let mut ring = ScriptedRing::new(&clock, MS / 100);
    (ring.is_done_at_once, ring.push_ns) = (true, MS / 100);
    let (end, mut spares) = WorkerRig::on(&nothing, ring, clock, 400).run();
    let all = tallies(&end, &mut spares);
    let (in_flight_ns, backlog_ns) =
        all.iter().fold((0, 0), |sum, tally| (sum.0 + tally.in_flight_ns, sum.1 + tally.backlog_ns));
    assert!(backlog_ns > 0 && backlog_ns < in_flight_ns, "{backlog_ns} of {in_flight_ns}");
    let (end, mut spares) = WorkerRig::new(&Job { measure_ns: 300 * MS, ..job() }, MS, 400).run();
    let idle: u64 = tallies(&end, &mut spares).iter().map(|tally| tally.backlog_ns).sum();
    assert_eq!(idle, 0, "a worker that sleeps until a completion has no backlog");
}
