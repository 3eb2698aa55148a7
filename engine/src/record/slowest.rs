//! The slowest operations of a cell, with their details.

use serde::Serialize;

use super::Class;

/// The size of the table.
pub const SLOWEST: usize = 64;

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
}

/// A bounded table of the slowest operations so far.
#[derive(Clone, Debug)]
pub struct Slowest {
    kept: Vec<SlowIo>,
    // The shortest latency in the table if it is full. A new entry must exceed it.
    bar_ns: u64,
}

impl Slowest {
    /// An empty table with its full capacity allocated.
    #[must_use]
    pub fn new() -> Self {
        Self { kept: Vec::with_capacity(SLOWEST), bar_ns: 0 }
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
        if self.kept.len() < SLOWEST {
            self.kept.push(candidate);
        } else if let Some(fastest) = self.kept.iter_mut().min_by_key(|io| io.latency_ns) {
            *fastest = candidate;
        }
        if self.kept.len() == SLOWEST {
            self.bar_ns = self.kept.iter().map(|io| io.latency_ns).min().unwrap_or(0);
        }
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
