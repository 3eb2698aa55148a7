//! What a worker decides, apart from whoever moves its time and its operations: what goes out and when, what comes back and
//! when it ends. In: times, and completions. Out: requests, tallies, and when it wants to be asked again.

mod account;
mod launch;
mod settle;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::end::{Censored, WorkerEnd};
use super::looks::Looks;
use super::verdict::Mishap;
use super::{Recorder, Window};
use crate::failure::{Failure, FailureKind};
use crate::job::{Job, Sync};
use crate::pattern::{Accesses, Arrivals, Bursts, Payload};
use crate::record::{Class, Faults, Phase, Slowest};
use crate::verify::Ledger;

/// How long operations may take to come back after the end, before the job is called stuck.
pub const DRAIN_NS_MAX: u64 = 30_000_000_000;
/// How long nothing may come back in a job without an end in time, before it is called stuck. With the drain behind it that
/// is two minutes, which is what an engine may be silent for.
pub const SILENCE_NS_MAX: u64 = 90_000_000_000;
/// The longest sleep in the kernel, so that a stop is heard.
const SLEEP_NS_MAX: u64 = 50_000_000;
/// How long before an arrival a worker on a real clock stops sleeping: the kernel wakes it late by this much, or less.
const WAKE_NS: u64 = 60_000;
/// What a slot does when it is launched next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Fresh,
    Flush,
    Again,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    class: Class,
    next: Next,
    offset_bytes: u64,
    length_bytes: u32,
    // When the schedule wanted it; with the queue kept full, when it was submitted.
    intended_ns: u64,
    // When it could have been submitted: it was wanted, and there was a place for it.
    due_ns: u64,
    submit_ns: u64,
    // When the write was submitted that a flush belongs to.
    commit_ns: u64,
    in_flight: bool,
    // Begun when measuring ended, and not known to have failed since.
    is_censored: bool,
    // Where in the ring's memory its data lies.
    buffer_at: usize,
    // The number of the write, where the target is to be verified.
    sequence: u64,
}

/// Whether the worker wants to be stepped again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Yes.
    Running,
    /// No: everything has come back, or never will.
    Done,
}

/// What decides what operations are.
pub struct MachineParts {
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

/// One queue, kept full. It asks nobody for the time, and hands nothing over by itself.
pub struct Machine {
    accesses: Accesses,
    payload: Option<Payload>,
    ledger: Option<Arc<Ledger>>,
    arrivals: Option<Arrivals>,
    recorder: Recorder,
    stop: Arc<AtomicBool>,
    // Nothing goes out before.
    start_ns: u64,
    // Whether anything has gone out.
    has_begun: bool,
    window: Window,
    slots: Box<[Slot]>,
    // Free for a new operation.
    ready: Vec<u32>,
    // Since when there is one, or was one last.
    ready_since_ns: u64,
    // With an operation that goes on: a flush behind its write, or another try.
    unfinished: Vec<u32>,
    // Planned, and not begun.
    batch: Vec<u32>,
    bursts: Option<Bursts>,
    sync: Sync,
    flush_every: u64,
    // How many writes are to come back before the next flush.
    writes_to_flush: u64,
    in_flight: u32,
    in_flight_since_ns: u64,
    // When something came back last.
    back_ns: u64,
    exhausted: bool,
    drain_since_ns: Option<u64>,
    slowest: Slowest,
    faults: Faults,
    censored: Censored,
    failure: Option<Failure>,
    stopped: bool,
}

impl Machine {
    /// A queue that starts at `start_ns`.
    pub fn new(job: &Job, parts: MachineParts, start_ns: u64) -> Self {
        let slots = job.slots();
        let window = Window::new(job, start_ns);
        let mut recorder = parts.recorder;
        recorder.begin(window.phase(), start_ns);
        let mut arrivals = parts.arrivals;
        if let Some(arrivals) = &mut arrivals {
            arrivals.begin(start_ns);
        }
        let idle = Slot {
            class: Class::Read,
            next: Next::Fresh,
            offset_bytes: 0,
            length_bytes: 0,
            intended_ns: 0,
            due_ns: 0,
            submit_ns: 0,
            commit_ns: 0,
            in_flight: false,
            is_censored: false,
            buffer_at: 0,
            sequence: 0,
        };
        Self {
            accesses: parts.accesses,
            payload: parts.payload,
            ledger: parts.ledger,
            arrivals,
            recorder,
            stop: parts.stop,
            start_ns,
            has_begun: false,
            window,
            slots: vec![idle; slots as usize].into_boxed_slice(),
            ready: (0..slots).rev().collect(),
            ready_since_ns: start_ns,
            unfinished: Vec::with_capacity(slots as usize),
            batch: Vec::with_capacity(slots as usize),
            bursts: Bursts::of(job),
            sync: job.sync,
            flush_every: job.flush_every,
            writes_to_flush: job.flush_every,
            in_flight: 0,
            in_flight_since_ns: start_ns,
            back_ns: start_ns,
            exhausted: false,
            drain_since_ns: None,
            slowest: Slowest::new(),
            faults: Faults::new(),
            censored: Censored::default(),
            failure: None,
            stopped: false,
        }
    }

    /// Where the worker stands: the phase that counts go to, or None once measuring is over.
    #[inline]
    pub fn phase(&self) -> Option<Phase> {
        if self.drain_since_ns.is_some() { None } else { Some(self.window.phase()) }
    }

    /// Operations that are under way.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Counts completions that a driver had not taken yet; see [`crate::record::Tally::backlog_ns`].
    #[inline]
    pub fn add_backlog(&mut self, backlog_ns: u64) {
        let tally = self.recorder.current();
        tally.backlog_ns = tally.backlog_ns.saturating_add(backlog_ns);
    }

    /// Turns every page whose time has come, and begins to drain at the last one.
    pub fn turn(&mut self, now: u64) {
        if self.drain_since_ns.is_some() {
            return;
        }
        while now >= self.window.boundary_ns() {
            let boundary = self.window.boundary_ns();
            self.integrate(boundary);
            if boundary >= self.window.end_ns() {
                self.drain(boundary);
                return;
            }
            self.window.advance();
            self.recorder.turn(boundary, self.window.phase(), self.window.interval());
            if self.window.end_ns() == u64::MAX && self.silent_ns(now) > SILENCE_NS_MAX {
                let message = format!("nothing came back for {} s", SILENCE_NS_MAX / 1_000_000_000);
                self.failure = Some(Failure::new(FailureKind::Stuck, message).after(self.failure.take()));
                self.window.close(now);
            }
        }
        self.integrate(now);
    }

    // How long something has been in flight and nothing has come back.
    fn silent_ns(&self, now: u64) -> u64 {
        let oldest_ns = self.slots.iter().filter(|slot| slot.in_flight).map(|slot| slot.submit_ns).min();
        oldest_ns.map_or(0, |oldest_ns| now.saturating_sub(oldest_ns.max(self.back_ns)))
    }

    fn integrate(&mut self, until_ns: u64) {
        let time = until_ns.saturating_sub(self.in_flight_since_ns);
        if self.drain_since_ns.is_none() {
            self.recorder.current().in_flight_ns += u64::from(self.in_flight) * time;
        }
        self.in_flight_since_ns = self.in_flight_since_ns.max(until_ns);
    }

    // Measuring is over: what is still in flight is censored, and only waited for.
    fn drain(&mut self, end_ns: u64) {
        self.drain_since_ns = Some(end_ns);
        for slot in &mut self.slots {
            slot.is_censored = slot.in_flight;
        }
        // What was to be submitted again has begun as well.
        for slot in &self.unfinished {
            let slot = &mut self.slots[*slot as usize];
            slot.is_censored = slot.next == Next::Again;
        }
        // What waits behind it is not stored anywhere: it is the stream of arrivals, which goes on from here.
        self.censored.waiting_age_ns_max =
            self.arrivals.as_ref().map(|arrivals| end_ns.saturating_sub(arrivals.next_ns()));
    }

    /// Ends the job for a reason; what is under way is waited for.
    #[cold]
    pub fn fail(&mut self, failure: Failure, now: u64) {
        self.failure.get_or_insert(failure);
        self.close(now);
    }

    // Ends the window now.
    fn close(&mut self, now: u64) {
        if self.drain_since_ns.is_none() {
            self.turn(now);
            self.window.close(now);
            self.turn(now);
        }
    }

    /// Whether that is all, at the end of a round.
    #[inline]
    pub fn end(&mut self, now: u64) -> Step {
        if self.stop.load(Ordering::Relaxed) && self.drain_since_ns.is_none() {
            self.stopped = true;
            self.close(now);
        }
        if self.exhausted && self.in_flight == 0 && self.ready.is_empty() && self.unfinished.is_empty() {
            self.close(now);
        }
        let Some(since_ns) = self.drain_since_ns else { return Step::Running };
        if self.in_flight == 0 {
            return Step::Done;
        }
        if now.saturating_sub(since_ns) < DRAIN_NS_MAX {
            return Step::Running;
        }
        let message =
            format!("{} operations did not come back within {} s", self.in_flight, DRAIN_NS_MAX / 1_000_000_000);
        self.failure = Some(Failure::new(FailureKind::Stuck, message).after(self.failure.take()));
        Step::Done
    }

    /// What is left when no more rounds are wanted, with the largest batch of its driver and its looks.
    #[must_use]
    pub fn finish(self, batch_max: u32, looks: Looks) -> WorkerEnd {
        let end_ns = self.window.end_ns();
        let (tally, intervals_merged) = self.recorder.finish(end_ns);
        let ages = self.slots.iter().filter(|slot| slot.is_censored);
        let ages = ages.map(|slot| end_ns.saturating_sub(slot.submit_ns));
        let censored = Censored {
            count: ages.clone().count() as u64,
            age_ns_min: ages.clone().min().unwrap_or(0),
            age_ns_max: ages.max().unwrap_or(0),
            ..self.censored
        };
        WorkerEnd {
            tally,
            intervals_merged,
            slowest: self.slowest,
            faults: self.faults,
            censored,
            failure: self.failure,
            stopped: self.stopped,
            unreturned: self.in_flight,
            batch_max,
            sqpoll_wakeups: 0,
            sweep_ns_max: looks.sweep_ns_max(),
            reap_gaps: looks.gaps(),
        }
    }
}
