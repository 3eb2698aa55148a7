//! What a worker leaves behind.

use crate::failure::Failure;
use crate::record::{Faults, Slowest, Spread, Tally};

/// What was in flight when measuring ended, or about to be submitted again. What failed afterwards is among the faults
/// instead, so that each operation is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Censored {
    /// Operations.
    pub count: u64,
    /// The age of the youngest, then.
    pub age_ns_min: u64,
    /// The age of the oldest, then.
    pub age_ns_max: u64,
    /// The longest of their latencies in the end.
    pub latency_ns_max: u64,
    /// How long the oldest operation had been wanted by then that the queue had no place for; 0 where there was none,
    /// and None where none is wanted at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_age_ns_max: Option<u64>,
}

impl Censored {
    /// Adds another worker's.
    pub fn add(&mut self, other: &Self) {
        self.waiting_age_ns_max = self.waiting_age_ns_max.max(other.waiting_age_ns_max);
        if other.count == 0 {
            return;
        }
        self.age_ns_min = if self.count == 0 { other.age_ns_min } else { self.age_ns_min.min(other.age_ns_min) };
        self.count += other.count;
        self.age_ns_max = self.age_ns_max.max(other.age_ns_max);
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
    }
}

/// What a worker leaves behind.
pub struct WorkerEnd {
    /// The last interval.
    pub tally: Box<Tally>,
    /// How often intervals had to be added together.
    pub intervals_merged: u64,
    /// The slowest operations.
    pub slowest: Slowest,
    /// What went wrong.
    pub faults: Faults,
    /// What was in flight at the end.
    pub censored: Censored,
    /// Why the job ended early, if it did by itself.
    pub failure: Option<Failure>,
    /// Whether it was stopped from outside.
    pub stopped: bool,
    /// Operations that never came back.
    pub unreturned: u32,
    /// The most operations that were to be handed over in one go.
    pub batch_max: u32,
    /// How often the kernel's submission thread had to be woken.
    pub sqpoll_wakeups: u64,
    /// The longest look that was timed: all operations that it found have the same stamp.
    pub sweep_ns_max: u64,
    /// Times between looks at what had come back.
    pub reap_gaps: Spread,
}
