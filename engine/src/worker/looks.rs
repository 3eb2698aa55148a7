//! How long the worker does not look at what has come back: the error bar of every latency.

use crate::job::{Engine, Job};
use crate::record::{Histogram, Spread};

/// One round in so many is timed. It costs a call to the kernel, and no more than that.
const ROUNDS: u64 = 64;

/// Times between two looks of a worker that did not wait in between.
pub struct Looks {
    rounds_left: u64,
    looked_ns: u64,
    gaps: Spread,
}

impl Looks {
    /// None are timed where a call to the kernel is the operation itself, or in virtual time.
    pub fn of(job: &Job, start_ns: u64) -> Self {
        let timed = matches!(job.engine, Engine::IoUring | Engine::Nop | Engine::Null);
        let (rounds_left, room) = if timed { (ROUNDS, Histogram::new()) } else { (u64::MAX, Histogram::absent()) };
        Self { rounds_left, looked_ns: start_ns, gaps: Spread::new(room) }
    }

    /// Whether the next round is timed: it hands over what there is, and looks without waiting.
    #[inline]
    pub fn is_next_timed(&mut self) -> bool {
        self.rounds_left -= 1;
        self.rounds_left == 0
    }

    /// A look, which `counts` where the time since the one before is to be written down.
    #[inline]
    pub fn look(&mut self, now_ns: u64, counts: bool) {
        if self.rounds_left == 0 {
            self.rounds_left = ROUNDS;
            if counts {
                self.gaps.record(now_ns - self.looked_ns);
            }
        }
        self.looked_ns = now_ns;
    }

    /// All that were timed.
    #[must_use]
    pub fn gaps(self) -> Spread {
        self.gaps
    }
}
