//! The way to a simulated drive: a ring whose other end is the loop that moves the time.

use std::collections::VecDeque;
use std::io;

use crate::ring::{Completion, Request, Ring, RingTruth};

/// A ring that keeps what is pushed until the loop takes it, and what the loop brings until the worker takes that. It
/// never waits: whoever steps the worker moves the time.
#[derive(Debug)]
pub struct SimRing {
    /// On their way to the drive.
    pub requests: Vec<Request>,
    /// On their way back.
    pub completions: VecDeque<Completion>,
}

impl SimRing {
    /// A ring with room for `slots` operations.
    #[must_use]
    pub fn new(slots: u32) -> Self {
        let slots = slots as usize;
        Self { requests: Vec::with_capacity(slots), completions: VecDeque::with_capacity(slots) }
    }
}

impl Ring for SimRing {
    #[inline]
    fn push(&mut self, request: Request) {
        self.requests.push(request);
    }

    #[inline]
    fn submit(&mut self, _wait_for: u32, _timeout_ns: u64) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>, most: usize) {
        let taken = most.min(self.completions.len());
        into.extend(self.completions.drain(..taken));
    }

    fn truth(&self) -> RingTruth {
        RingTruth::plain("none")
    }
}
