//! Operations that the kernel takes and gives back without doing anything: what is left is the cost of the way to it.

use std::io;

use io_uring::{IoUring, opcode};

use super::{Completion, Poll, Request, Ring, RingTruth, grant};

/// A ring whose operations do nothing. What they would have moved is taken for moved.
pub struct NopRing {
    ring: IoUring,
    ring_flags: &'static [&'static str],
}

impl NopRing {
    /// A ring with room for `slots` operations. Must be called on the thread that will drive the ring.
    pub fn new(slots: u32) -> io::Result<Self> {
        let (ring, ring_flags) = grant::build(slots, Poll::Interrupt)?;
        Ok(Self { ring, ring_flags })
    }
}

impl Ring for NopRing {
    #[inline]
    fn push(&mut self, request: Request) {
        let moved = if request.operation.moves_data() { request.length_bytes } else { 0 };
        // What it would have moved comes back with it, above the slot's number.
        let entry = opcode::Nop::new().build().user_data(u64::from(moved) << 32 | u64::from(request.slot));
        // SAFETY: an operation that does nothing touches no memory.
        unsafe { self.ring.submission().push(&entry) }.expect("the ring has an entry for every slot");
    }

    #[inline]
    fn submit(&mut self, wait_for: u32, _timeout_ns: u64) -> io::Result<()> {
        self.ring.submitter().submit_and_wait(wait_for as usize)?;
        Ok(())
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>, most: usize) {
        into.extend(self.ring.completion().take(most).map(|entry| {
            #[allow(clippy::cast_possible_truncation)] // Both were 32 bits when they went in.
            let (slot, moved) = (entry.user_data() as u32, (entry.user_data() >> 32) as u32);
            Completion { slot, result: if entry.result() < 0 { entry.result() } else { moved.cast_signed() } }
        }));
    }

    fn truth(&self) -> RingTruth {
        RingTruth { ring_flags: self.ring_flags.to_vec(), ..RingTruth::plain("interrupt") }
    }
}
