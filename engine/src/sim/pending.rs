//! Drives for which a request's completion time is known at its arrival.

use super::completions::CompletionQueue;
use super::{Health, Simulation, StateHash};
use crate::ring::Operation;

/// A request to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoCommand {
    /// The operation.
    pub operation: Operation,
    /// Start on the drive.
    pub offset_bytes: u64,
    /// Length; 0 for a flush.
    pub length_bytes: u32,
}

impl IoCommand {
    /// The result of a successful completion: bytes transferred.
    #[inline]
    #[must_use]
    pub fn moved_bytes(&self) -> i32 {
        if self.operation.moves_data() { self.length_bytes.cast_signed() } else { 0 }
    }
}

/// The completion time of a request, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledCompletion {
    /// Not before the arrival. `u64::MAX` for never.
    pub done_ns: u64,
    /// See [`crate::ring::Completion::result`].
    pub result: i32,
}

/// A drive with strict queues: a later request never changes the completion time of an earlier one.
pub trait CompletionModel {
    /// Capacity in bytes.
    fn size_bytes(&self) -> u64;

    /// See [`Simulation::prefetch`].
    #[inline]
    fn prefetch(&self, _io: &IoCommand) {}

    /// Processes a request that arrives at `now_ns`, which never runs backwards.
    fn complete(&mut self, now_ns: u64, io: &IoCommand) -> ScheduledCompletion;

    /// Counters.
    fn health(&self) -> Health;

    /// Adds the whole state to a hash.
    fn add_to(&self, hash: &mut StateHash);

    /// Resets the drive to its factory state, except for its counters.
    fn format(&mut self, now_ns: u64);

    /// Whether the drive has an erased state, to which a format returns it.
    fn has_erased_state(&self) -> bool {
        false
    }
}

/// Requests to a drive with a backlog of more than this (36 years) never complete.
pub const BACKLOG_NS_MAX: u64 = 1 << 60;

/// A drive with a [`CompletionModel`], and its pending requests.
#[derive(Clone, Debug)]
pub struct Pending<T> {
    model: T,
    waiting: CompletionQueue,
    arrivals: u64,
    // When the last request completes.
    last_ns: u64,
}

impl<T: CompletionModel> Pending<T> {
    /// A drive without pending requests.
    pub fn new(model: T) -> Self {
        Self { model, waiting: CompletionQueue::default(), arrivals: 0, last_ns: 0 }
    }
}

impl<T: CompletionModel> Simulation for Pending<T> {
    fn size_bytes(&self) -> u64 {
        self.model.size_bytes()
    }

    #[inline]
    fn prefetch(&self, io: &IoCommand) {
        self.model.prefetch(io);
    }

    #[inline]
    fn submit(&mut self, now_ns: u64, tag: u64, io: &IoCommand) {
        self.arrivals += 1;
        if self.last_ns > now_ns.saturating_add(BACKLOG_NS_MAX) {
            return;
        }
        let completion = self.model.complete(now_ns, io);
        debug_assert!(completion.done_ns >= now_ns);
        self.last_ns = self.last_ns.max(completion.done_ns);
        self.waiting.push(completion.done_ns, self.arrivals, tag, completion.result);
    }

    #[inline]
    fn next_ns(&self) -> u64 {
        self.waiting.next_ns()
    }

    #[inline]
    fn take_completion(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        self.waiting.take(now_ns)
    }

    fn health(&self) -> Health {
        self.model.health()
    }

    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        self.model.add_to(&mut hash);
        hash.value()
    }

    fn format(&mut self, now_ns: u64) {
        self.model.format(now_ns);
    }

    fn purge(&mut self, now_ns: u64) -> bool {
        if self.model.has_erased_state() {
            self.model.format(now_ns);
        }
        self.model.has_erased_state()
    }
}
