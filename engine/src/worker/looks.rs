//! How long the worker does not look at what has come back: the error bar of every latency.

use crate::job::{Engine, Job};
use crate::record::{Histogram, Phase, Spread};

/// One round in so many is timed. It costs a call to the kernel, and no more than that.
const ROUNDS: u64 = 64;

/// Times between two looks of a worker that did not wait in between, and what each such look found.
pub struct Looks {
    rounds_left: u64,
    looked_ns: u64,
    gaps: Spread,
    sweep_ns_max: u64,
}

/// What a round has handed over.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Operations; with none of them it was at no time.
    pub count: usize,
    /// When.
    pub at_ns: u64,
    /// Operations that were in flight before.
    pub older: u32,
}

impl Looks {
    /// None are timed where a call to the kernel is the operation itself, or in virtual time.
    #[must_use]
    pub fn of(job: &Job, start_ns: u64) -> Self {
        let timed = matches!(job.engine, Engine::IoUring | Engine::Passthrough | Engine::Nop | Engine::Null);
        let (rounds_left, room) = if timed { (ROUNDS, Histogram::new()) } else { (u64::MAX, Histogram::absent()) };
        Self { rounds_left, looked_ns: start_ns, gaps: Spread::new(room), sweep_ns_max: 0 }
    }

    /// Whether the next round is timed: it hands over what there is, and looks without waiting.
    #[inline]
    pub fn is_next_timed(&mut self) -> bool {
        self.rounds_left -= 1;
        self.rounds_left == 0
    }

    /// A look from `begin_ns` (0 where that was not timed) to `end_ns` that found so many completions, after a launch.
    ///
    /// Gives the backlog of the round where it was timed: completions that were there and not yet taken, integrated over
    /// time, times the rounds that it stands for. They come one after the other while the worker does something else, so
    /// that half of them were there on average: of those that were in flight before the launch since the look before, of the
    /// others since the launch. While it sleeps there are none: the first one wakes it.
    #[inline]
    pub fn look(&mut self, begin_ns: u64, end_ns: u64, found: usize, launch: Launch, phase: Option<Phase>) -> u64 {
        if begin_ns > 0 && phase == Some(Phase::Measure) {
            self.sweep_ns_max = self.sweep_ns_max.max(end_ns - begin_ns);
        }
        // Looks before the start do not count.
        let is_before = end_ns < self.looked_ns;
        let gap_ns = end_ns.saturating_sub(self.looked_ns);
        self.looked_ns = self.looked_ns.max(end_ns);
        if self.rounds_left > 0 {
            return 0;
        }
        self.rounds_left = ROUNDS;
        if phase == Some(Phase::Measure) && !is_before {
            self.gaps.record(gap_ns);
        }
        let older = u64::from(launch.older).min(found as u64);
        let younger_ns = (found as u64 - older) * end_ns.saturating_sub(launch.at_ns);
        if phase.is_some() { (older * gap_ns + younger_ns) * (ROUNDS / 2) } else { 0 }
    }

    /// The longest look.
    #[must_use]
    pub fn sweep_ns_max(&self) -> u64 {
        self.sweep_ns_max
    }

    /// All gaps that were timed.
    #[must_use]
    pub fn gaps(self) -> Spread {
        self.gaps
    }
}
