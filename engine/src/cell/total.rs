//! Sums the final reports of all workers to the result of a job.

use super::collector::Collector;
use super::decisions::Decisions;
use super::frequency_monitor::CpuFrequency;
use super::granted::merged;
use super::kernel_threads::{KernelThreads, KernelThreadsCpu};
use super::processor_monitor::ProcessorMonitor;
use super::result::{CpuUse, EngineFacts, Interval, JobResult, Outcome, TargetShare, ThreadCpu, Times};
use super::thread::{Granted, WorkerReport};
use crate::clock::{Clock, Monotonic};
use crate::failure::{Failure, FailureKind};
use crate::host::{ClockPair, Usage, steal_ns};
use crate::job::Job;
use crate::record::{Class, Faults, Phase, Slowest, Tally, TimeDistribution};
use crate::ring::RingFacts;
use crate::sim::VirtualClock;
use crate::worker::Censored;

/// Resources used up to a point in time.
#[derive(Clone, Copy)]
struct Spent {
    process: Usage,
    steal_ns: u64,
}

/// Clocks and resource usage at the start or end of the measurement.
pub struct Snapshot {
    clocks: ClockPair,
    source: &'static str,
    // None in virtual time, where CPU time is meaningless.
    usage: Option<Spent>,
}

impl Snapshot {
    /// A snapshot in real time.
    pub fn real(clock: Monotonic) -> Self {
        Self {
            clocks: ClockPair::now(&clock),
            source: Monotonic::SOURCE,
            usage: Some(Spent { process: Usage::of_process(), steal_ns: steal_ns() }),
        }
    }

    /// A snapshot in virtual time. All clocks have the same value.
    pub fn simulated(clock: &VirtualClock) -> Self {
        let now = clock.now();
        let clocks = ClockPair { engine_ns: now, wall_ns: now, raw_ns: now };
        Self { clocks, source: VirtualClock::SOURCE, usage: None }
    }
}

/// Forwards intervals, sums their measurement time, and asks whether the job goes on.
pub struct IntervalForwarder {
    measured_ns: u64,
    decisions: Decisions,
}

impl IntervalForwarder {
    /// For the intervals of a job.
    pub fn of(job: &Job) -> Self {
        Self { measured_ns: 0, decisions: Decisions::of(job) }
    }

    /// The measurement time after which it asks next; `u64::MAX` if it does not.
    pub fn next_decision_ns(&self) -> u64 {
        self.decisions.next_ns()
    }

    /// Forwards what all workers have reported. Calls `deciding` with the measurement time at each moment of a
    /// decision, after all intervals up to it.
    pub fn add_ready(
        &mut self,
        collector: &mut Collector,
        interval: &mut dyn FnMut(Interval),
        deciding: &mut dyn FnMut(u64),
    ) {
        while let Some(tally) = collector.take_next() {
            self.add(&tally, interval);
            if tally.phase == Phase::Measure && self.decisions.take(self.measured_ns) {
                deciding(self.measured_ns);
            }
        }
    }

    /// Forwards the remainder after every worker has ended.
    pub fn add_rest(&mut self, collector: &mut Collector, interval: &mut dyn FnMut(Interval)) {
        for phase in [Phase::Warmup, Phase::Measure] {
            if let Some(tally) = collector.rest(phase) {
                self.add(&tally, interval);
            }
        }
    }

    fn add(&mut self, tally: &Tally, interval: &mut dyn FnMut(Interval)) {
        // A job that is stopped between two intervals has just begun another one.
        let is_empty = Class::ALL.into_iter().all(|class| tally.class(class).count == 0);
        if self.measured_ns > 0 && tally.start_ns == tally.end_ns && is_empty {
            return;
        }
        if tally.phase == Phase::Measure {
            self.measured_ns += tally.end_ns - tally.start_ns;
        }
        interval(Interval::from(tally));
    }
}

/// The sum of the workers' final reports.
#[derive(Default)]
pub struct Total {
    intervals_merged: u64,
    slowest: Slowest,
    faults: Faults,
    censored: Censored,
    failure: Option<Failure>,
    stopped: bool,
    threads: Vec<ThreadCpu>,
    kernel_threads: KernelThreads,
    sqpoll_wakeups: u64,
    // CPU time since the start of the measurement; None for engines without a ring on a target.
    kernel_threads_ns: Option<KernelThreadsCpu>,
    frequency: Option<CpuFrequency>,
    batch_max: u32,
    sweep_ns_max: u64,
    reap_gaps: Option<TimeDistribution>,
    // By worker: the number of its target, and the features of its ring.
    granted: Vec<(usize, RingFacts)>,
    buffer_bytes: Option<u64>,
}

impl Total {
    /// Adds the report of a worker on the given target, and returns its final tally.
    pub fn add(&mut self, report: WorkerReport, target: usize) -> Box<Tally> {
        let target = u32::try_from(target).expect("the number of targets has a bound");
        self.intervals_merged = self.intervals_merged.max(report.intervals_merged);
        self.slowest.add(&report.slowest, target);
        self.faults.add(&report.faults, target);
        self.censored.add(&report.censored);
        self.fail(report.failure);
        self.stopped |= report.stopped;
        self.batch_max = self.batch_max.max(report.batch_max);
        self.sqpoll_wakeups += report.sqpoll_wakeups;
        self.sweep_ns_max = self.sweep_ns_max.max(report.sweep_ns_max);
        match &mut self.reap_gaps {
            Some(gaps) => gaps.add(&report.reap_gaps),
            None => self.reap_gaps = Some(report.reap_gaps),
        }
        self.threads.extend(report.cpu);
        report.tally
    }

    /// Adds what a worker on the given target was granted before it started.
    pub fn grant(&mut self, target: usize, granted: Granted) {
        self.granted.push((target, granted.facts));
        if let Some(bytes) = granted.buffer_bytes {
            *self.buffer_bytes.get_or_insert(0) += bytes;
        }
    }

    /// Records the kernel threads, and their CPU time since the start of the measurement.
    pub fn set_kernel_threads(&mut self, most: KernelThreads, cpu_ns: KernelThreadsCpu) {
        self.kernel_threads = most;
        self.kernel_threads_ns = Some(cpu_ns);
    }

    /// Adds to the slowest operations what their CPUs did around them.
    pub fn add_processors(&mut self, monitor: &ProcessorMonitor) {
        for io in self.slowest.entries() {
            let (submit_ns, reap_ns) = (io.submit_ns(), io.reap_ns);
            if let Some(host) = &mut io.host {
                host.processor = monitor.part_of(host.cpu, submit_ns, reap_ns);
            }
        }
    }

    /// Records the frequency of the workers' CPUs.
    pub fn set_frequency(&mut self, found: Option<CpuFrequency>) {
        self.frequency = found;
    }

    /// Records a failure; see [`Failure::after`].
    pub fn fail(&mut self, failure: Option<Failure>) {
        if let Some(failure) = failure {
            self.failure = Some(failure.after(self.failure.take()));
        }
    }

    /// The failure so far.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Whether operations did not complete, so that nothing may wait for the target any more.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Stuck)
    }

    /// The result of a job that was measured between two snapshots.
    pub fn result(
        self,
        job: &Job,
        forwarder: &IntervalForwarder,
        shares: &[TargetShare],
        before: &Snapshot,
        after: &Snapshot,
    ) -> JobResult {
        let cpu = before.usage.zip(after.usage).map(|(before, after)| {
            let process = after.process.since(&before.process);
            CpuUse {
                threads: self.threads,
                process_user_ns: process.user_ns,
                process_system_ns: process.system_ns,
                kernel_workers_ns: self.kernel_threads_ns.map(|spent| spent.workers_ns),
                sqpoll_threads_ns: self.kernel_threads_ns.map(|spent| spent.sqpoll_ns),
                steal_ns: after.steal_ns.saturating_sub(before.steal_ns),
                frequency: self.frequency,
            }
        });
        let facts = merged(&self.granted);
        let nothing = nothing_completed(job, shares, &self.faults).filter(|_| !self.stopped);
        let failure = self.failure.or(nothing);
        JobResult {
            outcome: match (&failure, self.stopped) {
                (Some(_), _) => Outcome::Failed,
                (None, true) => Outcome::Cut,
                (None, false) => Outcome::Finished,
            },
            failure,
            measured_ns: forwarder.measured_ns,
            intervals_merged: self.intervals_merged,
            targets: shares.to_vec(),
            censored: self.censored,
            slowest: self.slowest.ordered(),
            faults: self.faults.kinds().to_vec(),
            reap_granularity: self.reap_gaps.as_ref().and_then(Times::of),
            sweep_ns_max: (self.sweep_ns_max > 0).then_some(self.sweep_ns_max),
            devices: Vec::new(),
            cpu,
            clock_start: before.clocks,
            clock_end: after.clocks,
            engine: EngineFacts {
                engine: job.engine,
                workers: job.workers(),
                ring_flags: facts.ring_flags,
                poll_mode: facts.poll_mode,
                fixed_buffers: facts.fixed_buffers,
                fixed_file: facts.fixed_file,
                batch_max: self.batch_max,
                clock_source: before.source,
                kernel_workers: self.kernel_threads.workers,
                sqpoll_threads: self.kernel_threads.sqpoll,
                sqpoll_wakeups: self.sqpoll_wakeups,
                fallbacks: facts.fallbacks,
                buffer_bytes: self.buffer_bytes,
            },
            drives: Vec::new(),
        }
    }
}

// The failure if a class of operations completed nothing on any target. Each target is checked, because a sum over
// targets would hide an idle one.
fn nothing_completed(job: &Job, shares: &[TargetShare], faults: &Faults) -> Option<Failure> {
    let silent = job.classes().into_iter().find(|class| shares.iter().any(|share| share.count(*class) == 0))?;
    let place = if shares.len() > 1 { " on one of the targets" } else { "" };
    let message = format!("no {silent:?} completed within the measurement time{place}").to_lowercase();
    // An operation that would block is cancelled if the kernel cannot create an io-wq worker for it.
    if job.engine.is_ring_on_a_target() && faults.kinds().iter().any(|fault| fault.errno.0 == libc::ECANCELED) {
        let message = format!("{message}: the kernel cannot create more threads for io_uring");
        return Some(Failure { errno: Some(libc::EAGAIN), ..Failure::new(FailureKind::EngineRefused, message) });
    }
    Some(Failure::new(FailureKind::NothingCompleted, message))
}
