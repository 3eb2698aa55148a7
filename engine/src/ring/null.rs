//! A ring that leads nowhere: every operation completes at once, in process. What remains is the engine's own cost.

use std::io;

use super::{Completion, Request, Ring, RingTruth};

/// Completes what it is given, in the order given, without a system call.
#[derive(Debug)]
pub struct NullRing {
    done: Vec<Completion>,
}

impl NullRing {
    /// A ring with room for `slots` operations.
    #[must_use]
    pub fn new(slots: u32) -> Self {
        Self { done: Vec::with_capacity(slots as usize) }
    }
}

impl Ring for NullRing {
    #[inline]
    fn push(&mut self, request: Request) {
        let result = if request.operation.moves_data() { request.length_bytes.cast_signed() } else { 0 };
        self.done.push(Completion { slot: request.slot, result });
    }

    #[inline]
    fn submit(&mut self, _wait_for: u32, _timeout_ns: u64) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>, most: usize) {
        into.extend(self.done.drain(..most.min(self.done.len())));
    }

    fn truth(&self) -> RingTruth {
        RingTruth::plain("none")
    }
}
