//! The closed loop itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::end::{Censored, WorkerEnd};
use super::verdict::Mishap;
use super::{Recorder, Window};
use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};
use crate::job::{Job, Sync};
use crate::pattern::{Accesses, Arrivals, Direction, Payload};
use crate::record::{Class, FaultKind, Faults, Phase, SlowIo, Slowest};
use crate::ring::{Completion, Operation, Request, Ring};

/// Operations handed over in one go, and taken back in one go, at most. A batch is stamped once, and the kernel holds its
/// first back until it has taken its last: with 16, a queue of 32 ran 3 short on a virtual disk and gave up a tenth of its
/// throughput; with 4 it keeps up with an engine that hands over one by one, at a third less CPU time. No more are taken
/// back than can be replaced at once, or the queue would run short while they wait.
pub const BATCH_MAX: u32 = 4;
/// How long operations may take to come back after the end, before the job is called stuck.
pub const DRAIN_NS_MAX: u64 = 30_000_000_000;
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
    // When the schedule wanted it; with the queue kept full, when it was submitted.
    intended_ns: u64,
    submit_ns: u64,
    // When the write was submitted that a flush belongs to.
    commit_ns: u64,
    retries: u32,
    in_flight: bool,
    buffer: *mut u8,
}

/// Whether the worker wants to be stepped again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Yes.
    Running,
    /// No: everything has come back, or never will.
    Done,
}

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
    /// When they are wanted; None to keep the queue full.
    pub arrivals: Option<Arrivals>,
    /// Where counts go.
    pub recorder: Recorder,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
}

/// One queue, kept full.
pub struct Worker<R, C> {
    ring: R,
    clock: C,
    accesses: Accesses,
    payload: Option<Payload>,
    arrivals: Option<Arrivals>,
    recorder: Recorder,
    stop: Arc<AtomicBool>,
    window: Window,
    slots: Box<[Slot]>,
    // Free for a new operation.
    ready: Vec<u32>,
    // With an operation that goes on: a flush behind its write, or another try.
    unfinished: Vec<u32>,
    batch: Vec<u32>,
    completions: Vec<Completion>,
    block_size_bytes: u32,
    sync: Sync,
    in_flight: u32,
    in_flight_since_ns: u64,
    exhausted: bool,
    drain_since_ns: Option<u64>,
    slowest: Slowest,
    faults: Faults,
    censored: Censored,
    failure: Option<Failure>,
    stopped: bool,
}

impl<R: Ring, C: Clock> Worker<R, C> {
    /// A worker that starts at `start_ns`.
    pub fn new(job: &Job, parts: WorkerParts<R, C>, start_ns: u64) -> Self {
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
            intended_ns: 0,
            submit_ns: 0,
            commit_ns: 0,
            retries: 0,
            in_flight: false,
            buffer: std::ptr::null_mut(),
        };
        Self {
            ring: parts.ring,
            clock: parts.clock,
            accesses: parts.accesses,
            payload: parts.payload,
            arrivals,
            recorder,
            stop: parts.stop,
            window,
            slots: vec![idle; slots as usize].into_boxed_slice(),
            ready: (0..slots).rev().collect(),
            unfinished: Vec::with_capacity(slots as usize),
            batch: Vec::with_capacity(BATCH_MAX as usize),
            completions: Vec::with_capacity(slots as usize * 2),
            block_size_bytes: job.block_size_bytes,
            sync: job.sync,
            in_flight: 0,
            in_flight_since_ns: start_ns,
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

    /// One round: launch what can be launched, hand it over, take what came back, turn the page where it is time.
    #[inline]
    pub fn step(&mut self) -> Step {
        if self.drain_since_ns.is_none() {
            self.launch();
        }
        let (wait_for, timeout_ns) = self.patience();
        if let Err(error) = self.ring.submit(wait_for, timeout_ns) {
            self.fail(Failure::from_io(FailureKind::Io, "the ring broke off", &error));
        }
        let now = self.clock.now();
        self.turn(now);
        self.ring.reap(&mut self.completions, BATCH_MAX as usize);
        self.settle(now);
        self.end()
    }

    /// One round in a time that stands still meanwhile: takes all that came back, and launches all that can be.
    ///
    /// For a ring that never waits; whoever calls this hands over what is pushed, and moves the time.
    #[inline]
    pub fn tick(&mut self) -> Step {
        let now = self.clock.now();
        self.turn(now);
        self.ring.reap(&mut self.completions, self.slots.len());
        self.settle(now);
        while self.can_launch() {
            self.launch();
        }
        self.end()
    }

    /// The ring.
    #[inline]
    pub fn ring(&mut self) -> &mut R {
        &mut self.ring
    }

    // Whether something could be handed over at this moment.
    #[inline]
    fn can_launch(&self) -> bool {
        self.drain_since_ns.is_none()
            && (!self.unfinished.is_empty() || (!self.ready.is_empty() && self.next_arrival_ns() <= self.clock.now()))
    }

    /// Ends a job without an end in time that only waits for what never comes back; true if it was one. For a ring that
    /// knows.
    pub fn starve(&mut self) -> bool {
        let only_waits = self.in_flight > 0 && self.ready.is_empty() && self.unfinished.is_empty();
        let is_starved = only_waits && self.drain_since_ns.is_none() && self.window.end_ns() == u64::MAX;
        if is_starved {
            self.close();
        }
        is_starved
    }

    /// When the worker wants to be stepped next, should nothing come back before: at a page's end, at an arrival that a
    /// slot is free for, or when it gives up waiting.
    #[inline]
    pub fn wake_ns(&self) -> u64 {
        match self.drain_since_ns {
            Some(since_ns) => since_ns + DRAIN_NS_MAX,
            None if self.ready.is_empty() => self.window.boundary_ns(),
            None => self.window.boundary_ns().min(self.next_arrival_ns()),
        }
    }

    // With the queue kept full, an operation is wanted whenever a slot is free.
    #[inline]
    fn next_arrival_ns(&self) -> u64 {
        self.arrivals.as_ref().map_or(0, Arrivals::next_ns)
    }

    // How many completions to wait for in the kernel, and how long.
    #[inline]
    fn patience(&self) -> (u32, u64) {
        if self.arrivals.is_none() {
            let more_to_launch =
                self.drain_since_ns.is_none() && !(self.ready.is_empty() && self.unfinished.is_empty());
            return (u32::from(!more_to_launch && self.in_flight > 0), SLEEP_NS_MAX);
        }
        if self.can_launch() {
            return (0, 0);
        }
        // The kernel wakes late: the last stretch before an arrival is spent awake.
        let left_ns = self.wake_ns().saturating_sub(self.clock.now()).min(SLEEP_NS_MAX);
        if left_ns > WAKE_NS { (1, left_ns - WAKE_NS) } else { (0, 0) }
    }

    // Fills the queue, up to one batch.
    fn launch(&mut self) {
        let before_ns = if self.arrivals.is_some() { self.clock.now() } else { 0 };
        while self.batch.len() < BATCH_MAX as usize {
            let slot = self
                .unfinished
                .pop()
                .or_else(|| if self.next_arrival_ns() > before_ns { None } else { self.ready.pop() });
            let Some(slot) = slot else { break };
            if self.aim(slot) {
                self.push(slot);
            } else {
                self.exhausted = true;
            }
        }
        if self.batch.is_empty() {
            return;
        }
        let now = self.clock.now();
        self.integrate(now);
        self.in_flight += u32::try_from(self.batch.len()).expect("a batch is at most BATCH_MAX");
        for slot in self.batch.drain(..) {
            let slot = &mut self.slots[slot as usize];
            if slot.next != Next::Again {
                slot.submit_ns = now;
            }
            if slot.next == Next::Fresh {
                // A real clock may show the same time for both; what is late was wanted before.
                slot.intended_ns = if self.arrivals.is_some() { slot.intended_ns } else { now };
            }
            slot.next = Next::Fresh;
            slot.in_flight = true;
        }
    }

    // Decides what a slot does next; false when there is nothing left to do.
    fn aim(&mut self, number: u32) -> bool {
        let slot = &mut self.slots[number as usize];
        match slot.next {
            Next::Again => slot.retries += 1,
            Next::Flush => {
                slot.commit_ns = slot.submit_ns;
                slot.class = Class::Flush;
                slot.retries = 0;
            }
            Next::Fresh => {
                let Some(access) = self.accesses.draw() else { return false };
                if let Some(arrivals) = &mut self.arrivals {
                    slot.intended_ns = arrivals.take();
                }
                let direction = if access.read { Direction::Read } else { Direction::Write };
                slot.class = if access.read { Class::Read } else { Class::Write };
                slot.offset_bytes = access.offset_bytes;
                slot.retries = 0;
                slot.buffer = match &mut self.payload {
                    Some(payload) => payload.prepare(number, direction),
                    None => std::ptr::null_mut(),
                };
            }
        }
        true
    }

    fn push(&mut self, number: u32) {
        let slot = &self.slots[number as usize];
        self.ring.push(Request {
            operation: match (slot.class, self.sync) {
                (Class::Read, _) => Operation::Read,
                (Class::Write, Sync::Dsync) => Operation::WriteDsync,
                (Class::Write, _) => Operation::Write,
                (Class::Flush | Class::Commit, _) => Operation::Flush,
            },
            slot: number,
            offset_bytes: slot.offset_bytes,
            buffer: slot.buffer,
            length_bytes: self.block_size_bytes,
        });
        self.batch.push(number);
    }

    // Turns every page whose time has come, and begins to drain at the last one.
    fn turn(&mut self, now: u64) {
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
        }
        self.integrate(now);
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
        self.censored.count = u64::from(self.in_flight);
        let waiting = self.slots.iter().filter(|slot| slot.in_flight);
        let ages = waiting.map(|slot| end_ns.saturating_sub(slot.submit_ns));
        self.censored.age_ns_min = ages.clone().min().unwrap_or(0);
        self.censored.age_ns_max = ages.max().unwrap_or(0);
    }

    // Writes down what came back.
    fn settle(&mut self, now: u64) {
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            self.in_flight -= 1;
            let slot = &mut self.slots[completion.slot as usize];
            slot.in_flight = false;
            let class = slot.class;
            let expected = if class == Class::Flush { 0 } else { self.block_size_bytes.cast_signed() };
            if completion.result == expected {
                self.count(completion.slot, now);
            } else {
                self.fault(completion, class);
            }
            let is_free = self.slots[completion.slot as usize].next == Next::Fresh;
            if is_free { self.ready.push(completion.slot) } else { self.unfinished.push(completion.slot) }
        }
        self.completions = completions;
    }

    #[inline]
    fn count(&mut self, number: u32, now: u64) {
        let slot = &mut self.slots[number as usize];
        let latency_ns = now - slot.submit_ns;
        if self.drain_since_ns.is_some() {
            self.censored.latency_ns_max = self.censored.latency_ns_max.max(latency_ns);
            return;
        }
        let response_ns = now - slot.intended_ns;
        let tally = self.recorder.current();
        let bytes = u64::from(self.block_size_bytes);
        if slot.class == Class::Flush {
            if self.arrivals.is_some() {
                tally.respond(Class::Commit, response_ns, slot.commit_ns - slot.intended_ns);
            }
            tally.record(Class::Flush, latency_ns, 0);
            tally.record(Class::Commit, now - slot.commit_ns, bytes);
        } else {
            if self.arrivals.is_some() {
                tally.respond(slot.class, response_ns, slot.submit_ns - slot.intended_ns);
            }
            tally.record(slot.class, latency_ns, bytes);
            if slot.class == Class::Write && self.sync == Sync::Fdatasync {
                slot.next = Next::Flush;
            }
        }
        if self.window.phase() == Phase::Measure {
            self.slowest.offer(SlowIo {
                operation: slot.class,
                latency_ns,
                reap_ns: now,
                target: 0,
                offset_bytes: slot.offset_bytes,
                length_bytes: if slot.class == Class::Flush { 0 } else { bytes },
            });
        }
    }

    #[cold]
    fn fault(&mut self, completion: Completion, class: Class) {
        let slot = &mut self.slots[completion.slot as usize];
        let mishap =
            Mishap { class, offset_bytes: slot.offset_bytes, result: completion.result, retries: slot.retries };
        if mishap.kind() == FaultKind::Retry {
            slot.next = Next::Again;
        }
        self.faults.record(mishap.kind(), class, mishap.errno(), mishap.offset_bytes);
        if mishap.kind() != FaultKind::Retry
            && let Some(failure) = mishap.ends_job(self.faults.lost())
        {
            self.fail(failure);
        }
    }

    #[cold]
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
        self.close();
    }

    // Ends the window now, at whatever time it was last seen to be.
    fn close(&mut self) {
        if self.drain_since_ns.is_none() {
            let now = self.clock.now();
            self.turn(now);
            self.window.close(now);
            self.turn(now);
        }
    }

    fn end(&mut self) -> Step {
        if self.stop.load(Ordering::Relaxed) && self.drain_since_ns.is_none() {
            self.stopped = true;
            self.close();
        }
        if self.exhausted && self.in_flight == 0 && self.ready.is_empty() && self.unfinished.is_empty() {
            self.close();
        }
        let Some(since_ns) = self.drain_since_ns else { return Step::Running };
        if self.in_flight == 0 {
            return Step::Done;
        }
        if self.clock.now().saturating_sub(since_ns) < DRAIN_NS_MAX {
            return Step::Running;
        }
        let message =
            format!("{} operations did not come back within {} s", self.in_flight, DRAIN_NS_MAX / 1_000_000_000);
        self.failure.get_or_insert(Failure::new(FailureKind::Stuck, message));
        Step::Done
    }

    /// What is left when no more steps are wanted.
    #[must_use]
    pub fn finish(self) -> WorkerEnd<R> {
        let (tally, intervals_merged) = self.recorder.finish(self.window.end_ns());
        WorkerEnd {
            tally,
            intervals_merged,
            slowest: self.slowest,
            faults: self.faults,
            censored: self.censored,
            failure: self.failure,
            stopped: self.stopped,
            ring: self.ring,
            payload: self.payload,
        }
    }
}
