//! A worker in real time: a machine, the ring that its operations go through, and the clock that it lives by.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Recorder;
use super::batch::BatchSize;
use super::end::WorkerEnd;
use super::looks::{Launch, Looks};
use super::machine::{Machine, MachineParts, Step};
use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::{Accesses, Arrivals, Payload};
use crate::record::Phase;
use crate::ring::{Completion, Ring, passing};
use crate::verify::Ledger;

/// What a worker is made of.
pub struct WorkerParts<R, C> {
    /// The way to the kernel.
    pub ring: R,
    /// Time.
    pub clock: C,
    /// Where operations go.
    pub accesses: Accesses,
    /// What they carry; None where nobody looks at the data.
    pub payload: Option<Payload>,
    /// Where it is kept account of writes; None where nobody will verify them.
    pub ledger: Option<Arc<Ledger>>,
    /// When they are wanted; None to keep the queue full.
    pub arrivals: Option<Arrivals>,
    /// Where counts go.
    pub recorder: Recorder,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
}

/// One queue, kept full.
pub struct Worker<R, C> {
    machine: Machine,
    ring: R,
    clock: C,
    batch_size: BatchSize,
    looks: Looks,
    completions: Vec<Completion>,
}

impl<R: Ring, C: Clock> Worker<R, C> {
    /// A worker that starts at `start_ns`.
    pub fn new(job: &Job, parts: WorkerParts<R, C>, start_ns: u64) -> Self {
        let WorkerParts { ring, clock, accesses, payload, ledger, arrivals, recorder, stop } = parts;
        let machine = Machine::new(job, MachineParts { accesses, payload, ledger, arrivals, recorder, stop }, start_ns);
        let slots = job.slots();
        Self {
            machine,
            ring,
            clock,
            batch_size: BatchSize::of(slots),
            looks: Looks::of(job, start_ns),
            completions: Vec::with_capacity(slots as usize * 2),
        }
    }

    /// Where the worker stands: the phase that counts go to, or None once measuring is over.
    #[inline]
    pub fn phase(&self) -> Option<Phase> {
        self.machine.phase()
    }

    /// One round: launch what can be launched, hand it over, take what came back, turn the page where it is time.
    #[inline]
    pub fn step(&mut self) -> Step {
        let launch = self.launch();
        let is_sampled = self.looks.is_next_timed();
        let (wait_for, timeout_ns) = if is_sampled { (0, 0) } else { self.machine.patience(|| self.clock.now()) };
        if let Err(error) = self.ring.submit(wait_for, timeout_ns)
            && !passing(&error)
        {
            self.machine.fail(Failure::from_io(FailureKind::Io, "the ring broke off", &error), self.clock.now());
            return Step::Done;
        }
        let begin_ns = self.sweep(is_sampled);
        // One stamp for the whole sweep, behind it: no operation is stamped before it was done.
        let now = self.clock.now();
        self.machine.turn(now);
        let found = self.completions.len();
        self.machine.add_backlog(self.looks.look(begin_ns, now, found, launch, self.machine.phase()));
        self.machine.complete(now, &self.completions);
        self.completions.clear();
        self.batch_size.learn(launch.count, found, wait_for > 0, self.machine.in_flight());
        self.machine.end(now)
    }

    // Fills the queue, up to one batch.
    #[inline]
    fn launch(&mut self) -> Launch {
        let older = self.machine.in_flight();
        let now = if self.machine.is_timed() { self.clock.now() } else { 0 };
        let count = self.machine.plan(now, self.batch_size.now(), self.ring.buffers());
        if count == 0 {
            return Launch { count, at_ns: u64::MAX, older };
        }
        let at_ns = self.clock.now();
        self.machine.begin(at_ns, |request| self.ring.push(request));
        Launch { count, at_ns, older }
    }

    // Takes all that is done; when it began, where the sweep is sampled or goes back to the kernel, which takes long.
    #[inline]
    fn sweep(&mut self, is_sampled: bool) -> u64 {
        let mut begin_ns = if is_sampled { self.clock.now() } else { 0 };
        self.ring.reap(&mut self.completions);
        while self.ring.holds_back() {
            begin_ns = if begin_ns > 0 { begin_ns } else { self.clock.now() };
            let found = self.completions.len();
            self.ring.uncover();
            self.ring.reap(&mut self.completions);
            if self.completions.len() == found {
                break;
            }
        }
        begin_ns
    }

    /// What is left when no more steps are wanted. The ring is given up; see [`Ring`] on what the kernel still has of it.
    #[must_use]
    pub fn finish(self) -> WorkerEnd {
        let sqpoll_wakeups = self.ring.sqpoll_wakeups();
        WorkerEnd { sqpoll_wakeups, ..self.machine.finish(self.batch_size.largest(), self.looks) }
    }
}
