//! The decisions of a worker, independent of clock and ring: what to submit and when, how to account completions, and
//! when to end. In: times and completions. Out: requests, tallies, and the time of the next step.

mod complete;
mod ledger;
mod submit;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::fault::FaultyCompletion;
use super::final_report::{Censored, FinalReport};
use super::reap_interval::ReapIntervals;
use super::{Recorder, Window};
use crate::failure::{Failure, FailureKind};
use crate::job::{Job, Sync};
use crate::pattern::{Accesses, Arrivals, Bursts, DutyCycle, Payload};
use crate::record::{Class, Faults, Phase, Slowest};
use crate::verify::Ledger;

/// How long no operation may complete after the end while some are in flight, before the job is reported as stuck.
pub const DRAIN_NS_MAX: u64 = 30_000_000_000;
/// How long all operations may take to complete after the end. A deep queue of large blocks on a slow drive takes
/// minutes: 256 of 1 MiB at 2 MB/s take 134 s.
pub const DRAIN_ALL_NS_MAX: u64 = 300_000_000_000;
/// How long a job with an amount may complete no operation before it is reported as stuck. This and the drain
/// time add up to two minutes, the longest silence that the front end expects.
pub const SILENCE_NS_MAX: u64 = 90_000_000_000;
/// The longest sleep in the kernel, so that a stop is noticed.
const SLEEP_NS_MAX: u64 = 50_000_000;
/// How long before an arrival a worker in real time stops sleeping. The kernel's wake-up latency is usually lower.
const WAKE_NS: u64 = 60_000;
/// The next operation of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    New,
    Flush,
    Retry,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    class: Class,
    next: Next,
    offset_bytes: u64,
    length_bytes: u32,
    // Intended start; in a closed loop, the submission time.
    intended_ns: u64,
    // The earliest possible submission: the intended start, or the time at which a slot became free if that was later.
    due_ns: u64,
    submit_ns: u64,
    // The submission time of the write that a flush belongs to.
    commit_ns: u64,
    in_flight: bool,
    // In flight at the end of the measurement, and not known to have failed since.
    is_censored: bool,
    // Offset of its data in the ring's buffers.
    buffer_at: usize,
    // The sequence number of the write if the target is to be verified.
    sequence: u64,
}

/// Whether the worker has to be stepped again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Yes.
    Running,
    /// No: all operations have completed, or never will.
    Done,
}

/// The components of a worker that determine its operations.
pub struct MachineParts {
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
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
    /// When an operation of any worker last completed after the end of the job.
    pub heard_ns: Arc<AtomicU64>,
}

/// One queue. It reads no clock, and submits nothing itself.
pub struct Machine {
    accesses: Accesses,
    payload: Option<Payload>,
    ledger: Option<Arc<Ledger>>,
    arrivals: Option<Arrivals>,
    recorder: Recorder,
    stop: Arc<AtomicBool>,
    heard_ns: Arc<AtomicU64>,
    // Nothing is submitted before this time.
    start_ns: u64,
    // Whether anything was submitted.
    has_begun: bool,
    window: Window,
    slots: Box<[Slot]>,
    // Slots free for a new operation.
    ready: Vec<u32>,
    // The last time at which a slot became free while no other was.
    ready_since_ns: u64,
    // Slots whose operation continues: with a flush after its write, or with a retry.
    unfinished: Vec<u32>,
    // Planned but not started.
    batch: Vec<u32>,
    bursts: Option<Bursts>,
    duty: Option<DutyCycle>,
    sync: Sync,
    flush_every: u64,
    failed_max: u64,
    // Writes until the next flush.
    writes_to_flush: u64,
    in_flight: u32,
    in_flight_since_ns: u64,
    // Time of the last completion.
    last_completion_ns: u64,
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
            next: Next::New,
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
            heard_ns: parts.heard_ns,
            start_ns,
            has_begun: false,
            window,
            slots: vec![idle; slots as usize].into_boxed_slice(),
            ready: (0..slots).rev().collect(),
            ready_since_ns: start_ns,
            unfinished: Vec::with_capacity(slots as usize),
            batch: Vec::with_capacity(slots as usize),
            bursts: Bursts::of(job),
            duty: DutyCycle::of(job, start_ns),
            sync: job.sync,
            flush_every: job.flush_every,
            failed_max: job.failed_max,
            writes_to_flush: job.flush_every,
            in_flight: 0,
            in_flight_since_ns: start_ns,
            last_completion_ns: start_ns,
            exhausted: false,
            drain_since_ns: None,
            slowest: Slowest::new(),
            faults: Faults::new(),
            censored: Censored::default(),
            failure: None,
            stopped: false,
        }
    }

    /// The phase to which completions count, or None after the end of the measurement.
    #[inline]
    pub fn phase(&self) -> Option<Phase> {
        if self.drain_since_ns.is_some() { None } else { Some(self.window.phase()) }
    }

    /// Operations in flight.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The slowest operations so far.
    #[inline]
    pub fn slowest(&mut self) -> &mut Slowest {
        &mut self.slowest
    }

    /// Adds the backlog of completions that were not reaped; see [`crate::record::Tally::backlog_ns`].
    #[inline]
    pub fn add_backlog(&mut self, backlog_ns: u64) {
        let tally = self.recorder.current();
        tally.backlog_ns = tally.backlog_ns.saturating_add(backlog_ns);
    }

    /// Ends every interval that is over by now, and starts to drain after the last one.
    pub fn advance(&mut self, now: u64) {
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
            self.recorder.next_interval(boundary, self.window.phase(), self.window.interval());
            if self.window.has_amount() && self.silent_ns(now) > SILENCE_NS_MAX {
                let message = format!("no operation completed for {} s", SILENCE_NS_MAX / 1_000_000_000);
                self.failure = Some(Failure::new(FailureKind::Stuck, message).after(self.failure.take()));
                self.window.close(now);
            }
        }
        self.integrate(now);
    }

    // How long operations have been in flight without any completion.
    fn silent_ns(&self, now: u64) -> u64 {
        let oldest_ns = self.slots.iter().filter(|slot| slot.in_flight).map(|slot| slot.submit_ns).min();
        oldest_ns.map_or(0, |oldest_ns| now.saturating_sub(oldest_ns.max(self.last_completion_ns)))
    }

    fn integrate(&mut self, until_ns: u64) {
        let time = until_ns.saturating_sub(self.in_flight_since_ns);
        if self.drain_since_ns.is_none() {
            self.recorder.current().in_flight_ns += u64::from(self.in_flight) * time;
        }
        self.in_flight_since_ns = self.in_flight_since_ns.max(until_ns);
    }

    // Starts to drain after the end of the measurement. Operations in flight are censored.
    fn drain(&mut self, end_ns: u64) {
        self.drain_since_ns = Some(end_ns);
        for slot in &mut self.slots {
            slot.is_censored = slot.in_flight;
        }
        // Operations to be resubmitted are censored as well.
        for slot in &self.unfinished {
            let slot = &mut self.slots[*slot as usize];
            slot.is_censored = slot.next == Next::Retry;
        }
        // Waiting arrivals are not stored. The oldest one is the next arrival in the stream.
        self.censored.waiting_age_ns_max =
            self.arrivals.as_ref().map(|arrivals| end_ns.saturating_sub(arrivals.next_ns()));
    }

    /// Ends the job with a failure, after waiting for operations in flight.
    #[cold]
    pub fn fail(&mut self, failure: Failure, now: u64) {
        self.failure.get_or_insert(failure);
        self.close(now);
    }

    /// When to give up operations in flight that do not complete after the end; None before the end.
    #[inline]
    pub(super) fn give_up_ns(&self) -> Option<u64> {
        let since_ns = self.drain_since_ns?;
        // The operations of a slow target may wait behind those of another worker.
        let heard_ns = self.last_completion_ns.max(self.heard_ns.load(Ordering::Relaxed));
        Some((since_ns.max(heard_ns) + DRAIN_NS_MAX).min(since_ns + DRAIN_ALL_NS_MAX))
    }

    // Ends the measurement now.
    fn close(&mut self, now: u64) {
        if self.drain_since_ns.is_none() {
            self.advance(now);
            self.window.close(now);
            self.advance(now);
        }
    }

    /// Checks at the end of a round whether the worker has ended.
    #[inline]
    pub fn end(&mut self, now: u64) -> Step {
        if self.stop.load(Ordering::Relaxed) && self.drain_since_ns.is_none() {
            self.stopped = true;
            self.close(now);
        }
        if self.exhausted && self.in_flight == 0 && self.ready.is_empty() && self.unfinished.is_empty() {
            self.close(now);
        }
        let (Some(since_ns), Some(give_up_ns)) = (self.drain_since_ns, self.give_up_ns()) else { return Step::Running };
        if self.in_flight == 0 {
            return Step::Done;
        }
        if now < give_up_ns {
            return Step::Running;
        }
        let plural = if self.in_flight == 1 { "" } else { "s" };
        let limit_s = (give_up_ns - since_ns) / 1_000_000_000;
        let message = format!("{} operation{plural} did not complete within {limit_s} s", self.in_flight);
        self.failure = Some(Failure::new(FailureKind::Stuck, message).after(self.failure.take()));
        Step::Done
    }

    /// The final report, with the largest batch of the driver and its reap intervals.
    #[must_use]
    pub fn finish(self, batch_max: u32, reap_intervals: ReapIntervals) -> FinalReport {
        let end_ns = self.window.end_ns();
        let (tally, intervals_merged) = self.recorder.finish(end_ns);
        let ages = self.slots.iter().filter(|slot| slot.is_censored);
        let ages = ages.map(|slot| end_ns.saturating_sub(slot.submit_ns));
        let censored = Censored {
            count: ages.clone().count() as u64,
            age_ns_min: ages.clone().min().unwrap_or(0),
            age_ns_max: ages.max().unwrap_or(0),
            drain_ns: self.last_completion_ns.saturating_sub(end_ns),
            ..self.censored
        };
        FinalReport {
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
            sweep_ns_max: reap_intervals.sweep_ns_max(),
            reap_gaps: reap_intervals.gaps(),
        }
    }
}
