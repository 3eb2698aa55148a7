//! A ring that leads nowhere: every operation completes at once, in process. What remains is the engine's own cost.

use std::io;

use super::{Buffers, Completion, Request, Ring, RingTruth, SharedBuffers};

/// Completes what it is given, in the order given, without a system call.
#[derive(Debug)]
pub struct NullRing {
    done: Vec<Completion>,
    buffers: SharedBuffers,
}

impl NullRing {
    /// A ring with room for `slots` operations, and the memory that they would move data to and from.
    #[must_use]
    pub fn new(slots: u32, buffers: Buffers) -> Self {
        Self { done: Vec::with_capacity(slots as usize), buffers: buffers.into() }
    }

    /// A ring whose operations have no memory, for whoever does not look at data.
    #[must_use]
    pub fn bare(slots: u32) -> Self {
        Self { done: Vec::with_capacity(slots as usize), buffers: SharedBuffers::none() }
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
    fn reap(&mut self, into: &mut Vec<Completion>) {
        into.append(&mut self.done);
    }

    #[inline]
    fn buffers(&mut self) -> &mut SharedBuffers {
        &mut self.buffers
    }

    fn truth(&self) -> RingTruth {
        RingTruth::plain("none")
    }
}
