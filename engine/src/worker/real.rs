//! A worker in real time: a state machine with its ring and clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::Recorder;
use super::batch::BatchSize;
use super::final_report::FinalReport;
use super::host_monitor::{HostMonitor, Round};
use super::machine::{Machine, MachineParts, Step};
use super::reap_interval::{ReapIntervals, Submission};
use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::{Accesses, Arrivals, Payload};
use crate::record::Phase;
use crate::ring::{Completion, Ring, is_transient};
use crate::verify::Ledger;

/// The components of a worker.
pub struct WorkerParts<R, C> {
    /// The I/O engine.
    pub ring: R,
    /// The clock.
    pub clock: C,
    /// Offsets, classes and sizes.
    pub accesses: Accesses,
    /// Data buffers; None if no data is moved.
    pub payload: Option<Payload>,
    /// The ledger of a target that will be verified.
    pub ledger: Option<Arc<Ledger>>,
    /// Arrivals of an open loop; None for a closed loop.
    pub arrivals: Option<Arrivals>,
    /// Where tallies go.
    pub recorder: Recorder,
    /// Reads the counters of the worker's thread.
    pub host_monitor: HostMonitor,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
    /// When an operation of any worker last completed after the end of the job.
    pub heard_ns: Arc<AtomicU64>,
}

/// One queue.
pub struct Worker<R, C> {
    machine: Machine,
    ring: R,
    clock: C,
    batch_size: BatchSize,
    reap_intervals: ReapIntervals,
    host_monitor: HostMonitor,
    // The end of the last poll.
    polled_ns: u64,
    completions: Vec<Completion>,
}

impl<R: Ring, C: Clock> Worker<R, C> {
    /// A worker that starts at `start_ns`.
    pub fn new(job: &Job, parts: WorkerParts<R, C>, start_ns: u64) -> Self {
        let WorkerParts { ring, clock, accesses, payload, ledger, arrivals, recorder, host_monitor, stop, heard_ns } =
            parts;
        let parts = MachineParts { accesses, payload, ledger, arrivals, recorder, stop, heard_ns };
        let machine = Machine::new(job, parts, start_ns);
        let slots = job.slots();
        Self {
            machine,
            ring,
            clock,
            batch_size: BatchSize::of(slots),
            reap_intervals: ReapIntervals::of(job, start_ns),
            host_monitor,
            polled_ns: start_ns,
            completions: Vec::with_capacity(slots as usize * 2),
        }
    }

    /// The phase to which completions count, or None after the end of the measurement.
    #[inline]
    pub fn phase(&self) -> Option<Phase> {
        self.machine.phase()
    }

    /// One round: submits a batch, waits, reaps completions, and ends intervals.
    #[inline]
    pub fn step(&mut self) -> Step {
        let submission = self.submit_batch();
        let is_sampled = self.reap_intervals.is_next_timed();
        let (wait_for, timeout_ns) = if is_sampled { (0, 0) } else { self.machine.wait_limits(|| self.clock.now()) };
        if let Err(error) = self.ring.submit(wait_for, timeout_ns)
            && !is_transient(&error)
        {
            self.machine.fail(Failure::from_io(FailureKind::Io, "io_uring_enter", &error), self.clock.now());
            return Step::Done;
        }
        let begin_ns = self.reap_all(is_sampled);
        // All reaped completions get one timestamp. It is taken after reaping, so that no operation gets a timestamp
        // before its completion.
        let now = self.clock.now();
        self.machine.advance(now);
        let found = self.completions.len();
        self.machine.add_backlog(self.reap_intervals.record_poll(
            begin_ns,
            now,
            found,
            submission,
            self.machine.phase(),
        ));
        self.machine.complete(now, &self.completions);
        self.completions.clear();
        let wait_ns = if wait_for == 0 { now } else { submission.at_ns.min(now).max(self.polled_ns) };
        // Without a submission the worker waits from the start of the round.
        let wait_ns = if wait_for > 0 && submission.count == 0 { self.polled_ns } else { wait_ns };
        self.look_at_host(&Round { begin_ns: self.polled_ns, wait_ns, end_ns: now });
        self.polled_ns = now;
        self.batch_size.update(submission.count, found, wait_for > 0, self.machine.in_flight());
        self.machine.end(now)
    }

    // Adds to new entries in the table of the slowest operations what the host did around them.
    #[inline]
    fn look_at_host(&mut self, round: &Round) {
        let has_slow = self.machine.slowest().take_news();
        if has_slow && self.host_monitor.can_look() {
            self.add_host_parts(round);
        }
        self.host_monitor.read_if_due(round.end_ns);
    }

    #[cold]
    fn add_host_parts(&mut self, round: &Round) {
        let latencies = self.machine.slowest().entries().iter().filter(|io| io.reap_ns == round.end_ns);
        let latency_ns = latencies.map(|io| io.latency_ns).min().unwrap_or(0);
        let Some(reading) = self.host_monitor.look(round, latency_ns, || self.clock.now()) else { return };
        let slow = self.machine.slowest().entries().iter_mut().filter(|io| io.reap_ns == round.end_ns);
        for io in slow {
            io.host = self.host_monitor.readings().part_of(io.submit_ns(), round, &reading);
        }
    }

    // Submits up to one batch.
    #[inline]
    fn submit_batch(&mut self) -> Submission {
        let older = self.machine.in_flight();
        let now = if self.machine.is_timed() { self.clock.now() } else { 0 };
        let count = self.machine.plan(now, self.batch_size.now(), self.ring.buffers());
        if count == 0 {
            return Submission { count, at_ns: u64::MAX, older };
        }
        let at_ns = self.clock.now();
        self.machine.begin(at_ns, |request| self.ring.push(request));
        Submission { count, at_ns, older }
    }

    // Reaps all completions. Returns the start time if the round is sampled or a slow system call was needed, else 0.
    #[inline]
    fn reap_all(&mut self, is_sampled: bool) -> u64 {
        let mut begin_ns = if is_sampled { self.clock.now() } else { 0 };
        self.ring.reap(&mut self.completions);
        while self.ring.has_deferred_work() {
            begin_ns = if begin_ns > 0 { begin_ns } else { self.clock.now() };
            let found = self.completions.len();
            self.ring.run_deferred_work();
            self.ring.reap(&mut self.completions);
            if self.completions.len() == found {
                break;
            }
        }
        begin_ns
    }

    /// The final report, once no more steps are needed. Closes the ring. Resources that the kernel still uses are
    /// leaked.
    #[must_use]
    pub fn finish(self) -> FinalReport {
        let sqpoll_wakeups = self.ring.sqpoll_wakeups();
        FinalReport { sqpoll_wakeups, ..self.machine.finish(self.batch_size.largest(), self.reap_intervals) }
    }
}
