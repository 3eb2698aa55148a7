//! The slowest operations of a cell, with their details.

use serde::Serialize;

use super::Class;

/// The size of the table.
pub const SLOWEST: usize = 64;

/// What the processor did around an operation, besides running threads. Times are in units of the kernel's clock
/// ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessorPart {
    /// The time between the two readings around the operation.
    pub window_ns: u64,
    /// Time stolen by the hypervisor.
    pub steal_ns: u64,
    /// Time in interrupts.
    pub interrupt_ns: u64,
}

/// What the host did around an operation, from the last reading of the counters before its submission until it was
/// reaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HostPart {
    /// The time between the two readings: the latency, and the time since the reading before.
    pub window_ns: u64,
    /// Time in which the worker was runnable but not on a CPU.
    pub run_delay_ns: u64,
    /// Involuntary context switches of the worker.
    pub switches_involuntary: u64,
    /// Time before the reaping poll in which the worker neither waited for completions nor looked at them.
    pub unpolled_ns: u64,
    /// Long waits of the worker for a CPU in the second before it was reaped: other threads used its CPU.
    pub contended_ns: u64,
    /// The CPU on which the worker ran.
    pub cpu: u32,
    /// What this CPU did; None if the kernel does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<ProcessorPart>,
}

/// One of the slowest operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SlowIo {
    /// Its class.
    pub operation: Class,
    /// Its latency.
    pub latency_ns: u64,
    /// Time of completion, on the engine's clock.
    pub reap_ns: u64,
    /// The target's number, from 0.
    pub target: u32,
    /// Its offset.
    pub offset_bytes: u64,
    /// Its length.
    pub length_bytes: u64,
    /// What the host did around it; None if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPart>,
}

impl SlowIo {
    /// Time of submission.
    #[must_use]
    pub fn submit_ns(&self) -> u64 {
        self.reap_ns.saturating_sub(self.latency_ns)
    }
}

/// A bounded table of the slowest operations so far.
#[derive(Clone, Debug)]
pub struct Slowest {
    kept: Vec<SlowIo>,
    // The shortest latency in the table if it is full. A new entry must exceed it.
    bar_ns: u64,
    // Whether operations were added since `take_news`.
    has_news: bool,
}

impl Slowest {
    /// An empty table with its full capacity allocated.
    #[must_use]
    pub fn new() -> Self {
        Self { kept: Vec::with_capacity(SLOWEST), bar_ns: 0, has_news: false }
    }

    /// Adds an operation if it is among the slowest.
    #[inline]
    pub fn offer(&mut self, candidate: SlowIo) {
        if candidate.latency_ns > self.bar_ns {
            self.keep(candidate);
        }
    }

    #[cold]
    fn keep(&mut self, candidate: SlowIo) {
        self.has_news = true;
        if self.kept.len() < SLOWEST {
            self.kept.push(candidate);
        } else if let Some(fastest) = self.kept.iter_mut().min_by_key(|io| io.latency_ns) {
            *fastest = candidate;
        }
        if self.kept.len() == SLOWEST {
            self.bar_ns = self.kept.iter().map(|io| io.latency_ns).min().unwrap_or(0);
        }
    }

    /// Whether operations were added since the last call.
    #[inline]
    pub fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.has_news)
    }

    /// The operations, in no order.
    pub fn entries(&mut self) -> &mut [SlowIo] {
        &mut self.kept
    }

    /// Adds the table of a worker on a target.
    pub fn add(&mut self, other: &Self, target: u32) {
        for &io in &other.kept {
            self.offer(SlowIo { target, ..io });
        }
    }

    /// The operations, slowest first.
    #[must_use]
    pub fn ordered(mut self) -> Vec<SlowIo> {
        self.kept.sort_by_key(|io| std::cmp::Reverse((io.latency_ns, io.reap_ns)));
        self.kept
    }
}

impl Default for Slowest {
    fn default() -> Self {
        Self::new()
    }
}
