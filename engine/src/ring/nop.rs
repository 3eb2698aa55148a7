//! `io_uring` no-ops: operations that the kernel completes without I/O. They measure the cost of the path to the
//! kernel.

use std::io;

use io_uring::opcode;

use super::kernel::KernelRing;
use super::{Buffers, Completion, Poll, Request, Ring, RingFacts, SharedBuffers};

/// A ring of no-ops. A no-op reports the byte count of the operation that it replaces.
pub struct NopRing(KernelRing);

impl NopRing {
    /// A ring for `slots` operations with their buffers. Must be called on the thread that will use the ring.
    pub fn new(slots: u32, buffers: Buffers) -> io::Result<Self> {
        let mut ring = KernelRing::new(slots, Poll::Interrupt, None)?;
        ring.attach(buffers);
        Ok(Self(ring))
    }
}

impl Ring for NopRing {
    #[inline]
    fn push(&mut self, request: Request) {
        let moved = if request.operation.moves_data() { request.length_bytes } else { 0 };
        // The byte count is returned with the completion, above the slot number.
        let entry = opcode::Nop::new().build().user_data(u64::from(moved) << 32 | u64::from(request.slot));
        // SAFETY: a no-op accesses no memory and no file.
        unsafe { self.0.push(&entry) };
    }

    #[inline]
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        self.0.submit(wait_for, timeout_ns)
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>) {
        self.0.reap(into, |entry| {
            #[allow(clippy::cast_possible_truncation)] // Each half has 32 bits.
            let (slot, moved) = (entry.user_data() as u32, (entry.user_data() >> 32) as u32);
            Completion { slot, result: if entry.result() < 0 { entry.result() } else { moved.cast_signed() } }
        });
    }

    #[inline]
    fn has_deferred_work(&mut self) -> bool {
        self.0.has_deferred_work()
    }

    fn run_deferred_work(&mut self) {
        self.0.run_deferred_work();
    }

    #[inline]
    fn buffers(&mut self) -> &mut SharedBuffers {
        self.0.buffers()
    }

    fn facts(&self) -> RingFacts {
        RingFacts { ring_flags: self.0.flags.to_vec(), ..RingFacts::plain("interrupt") }
    }
}
