//! A ring that completes every operation immediately, within the process. It measures the engine's own overhead.

use std::io;
use std::time::Duration;

use super::{Buffers, Completion, Request, Ring, RingFacts, SharedBuffers};

/// Completes requests in order, without a system call.
#[derive(Debug)]
pub struct NullRing {
    done: Vec<Completion>,
    buffers: SharedBuffers,
}

impl NullRing {
    /// A ring for `slots` operations with their buffers.
    #[must_use]
    pub fn new(slots: u32, buffers: Buffers) -> Self {
        Self { done: Vec::with_capacity(slots as usize), buffers: buffers.into() }
    }

    /// A ring without buffers, for callers that move no data.
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
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        if wait_for > 0 && self.done.is_empty() {
            // Nothing can complete, so the wait lasts for the whole timeout.
            std::thread::sleep(Duration::from_nanos(timeout_ns));
        }
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

    fn facts(&self) -> RingFacts {
        RingFacts::plain("none")
    }
}
