//! Drives that know at once when a request will be done: it is kept until then.

use super::done::Done;
use super::{Health, Simulation, StateHash};
use crate::ring::Operation;

/// A request as a drive sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serve {
    /// What.
    pub operation: Operation,
    /// Where.
    pub offset_bytes: u64,
    /// How much; 0 for a flush.
    pub length_bytes: u32,
}

impl Serve {
    /// What a completion says of it: the bytes that went to or from memory.
    #[inline]
    #[must_use]
    pub fn moved_bytes(&self) -> i32 {
        if self.operation.moves_data() { self.length_bytes.cast_signed() } else { 0 }
    }
}

/// When a request is done, and with what result: bytes moved, or the error number negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// When, not before the request arrived. `u64::MAX` for never.
    pub done_ns: u64,
    /// See [`crate::ring::Completion::result`].
    pub result: i32,
}

/// A drive whose requests wait in lines that nobody leaves: what comes later never changes what was there before.
pub trait Timetable {
    /// The size, bytes.
    fn size_bytes(&self) -> u64;

    /// See [`Simulation::expect`].
    #[inline]
    fn expect(&self, _serve: &Serve) {}

    /// Takes a request that arrives at `now_ns`, which never runs backwards.
    fn answer(&mut self, now_ns: u64, serve: &Serve) -> Answer;

    /// Counters.
    fn health(&self) -> Health;

    /// Adds the whole state to a hash.
    fn add_to(&self, hash: &mut StateHash);

    /// Makes the drive as it left the factory, but for its counters.
    fn format(&mut self, now_ns: u64);
}

/// A drive that is so far behind, some 36 years, takes no more: what is asked of it then never comes back.
pub const BEHIND_NS_MAX: u64 = 1 << 60;

/// A timetable, and the requests on their way through it.
#[derive(Clone, Debug)]
pub struct Pending<T> {
    timetable: T,
    waiting: Done,
    arrivals: u64,
    // When the last of all requests is done.
    last_ns: u64,
}

impl<T: Timetable> Pending<T> {
    /// A drive without requests.
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
