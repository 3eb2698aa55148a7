//! The final report of a worker.

use crate::failure::Failure;
use crate::record::{Faults, Slowest, Tally, TimeDistribution};

/// Operations in flight at the end of the measurement, or about to be resubmitted. Those that failed later are counted
/// as faults instead, so that each operation is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Censored {
    /// Operations.
    pub count: u64,
    /// The smallest age at the end of the measurement.
    pub age_ns_min: u64,
    /// The largest age at the end of the measurement.
    pub age_ns_max: u64,
    /// The longest latency of those that completed later.
    pub latency_ns_max: u64,
    /// How long after the end of the measurement the last of them completed; 0 if none did.
    pub drain_ns: u64,
    /// How long the oldest arrival had been waiting for a free slot at the end; 0 if none was waiting, None in a closed
    /// loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_age_ns_max: Option<u64>,
}

impl Censored {
    /// Adds another worker's.
    pub fn add(&mut self, other: &Self) {
        self.waiting_age_ns_max = self.waiting_age_ns_max.max(other.waiting_age_ns_max);
        self.drain_ns = self.drain_ns.max(other.drain_ns);
        if other.count == 0 {
            return;
        }
        self.age_ns_min = if self.count == 0 { other.age_ns_min } else { self.age_ns_min.min(other.age_ns_min) };
        self.count += other.count;
        self.age_ns_max = self.age_ns_max.max(other.age_ns_max);
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
    }
}

/// The final report of a worker.
pub struct FinalReport {
    /// The final interval.
    pub tally: Box<Tally>,
    /// How often intervals had to be merged.
    pub intervals_merged: u64,
    /// The slowest operations.
    pub slowest: Slowest,
    /// Errors and short transfers.
    pub faults: Faults,
    /// Operations in flight at the end.
    pub censored: Censored,
    /// Why the worker ended early, unless it was stopped from outside.
    pub failure: Option<Failure>,
    /// Whether it was stopped from outside.
    pub stopped: bool,
    /// Operations that never completed.
    pub unreturned: u32,
    /// The largest batch size.
    pub batch_max: u32,
    /// How often a submission had to wake the SQPOLL thread.
    pub sqpoll_wakeups: u64,
    /// The longest timed poll of the completion queue: all operations reaped by one poll share a timestamp.
    pub sweep_ns_max: u64,
    /// Reap intervals.
    pub reap_gaps: TimeDistribution,
}
