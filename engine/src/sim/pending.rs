//! Drives for which a request's completion time is known at its arrival.

use super::done::Done;
use super::{Health, Simulation, StateHash};
use crate::ring::Operation;

/// A request to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serve {
    /// What.
    pub operation: Operation,
    /// Start.
    pub offset_bytes: u64,
    /// Length; 0 for a flush.
    pub length_bytes: u32,
}

impl Serve {
    /// The result of a successful completion: bytes transferred.
    #[inline]
    #[must_use]
    pub fn moved_bytes(&self) -> i32 {
        if self.operation.moves_data() { self.length_bytes.cast_signed() } else { 0 }
    }
}

/// The completion time of a request, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Not before the arrival. `u64::MAX` for never.
    pub done_ns: u64,
    /// See [`crate::ring::Completion::result`].
    pub result: i32,
}

/// A drive with strict queues: a later request never changes the completion time of an earlier one.
pub trait Timetable {
    /// Capacity in bytes.
    fn size_bytes(&self) -> u64;

    /// See [`Simulation::expect`].
    #[inline]
    fn expect(&self, _serve: &Serve) {}

    /// Processes a request that arrives at `now_ns`, which never runs backwards.
    fn answer(&mut self, now_ns: u64, serve: &Serve) -> Answer;

    /// Counters.
    fn health(&self) -> Health;

    /// Adds the whole state to a hash.
    fn add_to(&self, hash: &mut StateHash);

    /// Resets the drive to its factory state, except for its counters.
    fn format(&mut self, now_ns: u64);
}

/// A drive with a backlog of more than this (36 years) accepts no requests: they never complete.
pub const BEHIND_NS_MAX: u64 = 1 << 60;

/// Such a drive with its pending requests.
#[derive(Clone, Debug)]
pub struct Pending<T> {
    timetable: T,
    waiting: Done,
    arrivals: u64,
    // When the last request completes.
    last_ns: u64,
}

impl<T: Timetable> Pending<T> {
    /// A drive without pending requests.
    pub fn new(timetable: T) -> Self {
        Self { timetable, waiting: Done::default(), arrivals: 0, last_ns: 0 }
    }
}

impl<T: Timetable> Simulation for Pending<T> {
    fn size_bytes(&self) -> u64 {
        self.timetable.size_bytes()
    }

    #[inline]
    fn expect(&self, serve: &Serve) {
        self.timetable.expect(serve);
    }

    #[inline]
    fn submit(&mut self, now_ns: u64, ticket: u64, serve: &Serve) {
        self.arrivals += 1;
        if self.last_ns > now_ns.saturating_add(BEHIND_NS_MAX) {
            return;
        }
        let answer = self.timetable.answer(now_ns, serve);
        debug_assert!(answer.done_ns >= now_ns);
        self.last_ns = self.last_ns.max(answer.done_ns);
        self.waiting.push(answer.done_ns, self.arrivals, ticket, answer.result);
    }

    #[inline]
    fn next_ns(&self) -> u64 {
        self.waiting.next_ns()
    }

    #[inline]
    fn take_done(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        self.waiting.take(now_ns)
    }

    fn health(&self) -> Health {
        self.timetable.health()
    }

    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        self.timetable.add_to(&mut hash);
        hash.value()
    }

    fn format(&mut self, now_ns: u64) {
        self.timetable.format(now_ns);
    }
}
