//! A job: one workload with its timing, checked once against a target and never changed afterwards.

use serde::Deserialize;

use crate::pattern::{Burst, Pace};
use crate::record::Class;
use crate::ring::Poll;

mod bounds;
mod check;
mod words;

pub use bounds::*;
pub use words::{Data, Engine, Pattern, SizeShare, Sync, Zone};

/// A job as the front asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// How I/O reaches the kernel.
    pub engine: Engine,
    /// Where the next block lies.
    pub pattern: Pattern,
    /// The share of reads, exactly.
    pub read_percent: u8,
    /// The share of trims, exactly. What is neither read nor trimmed is written.
    #[serde(default)]
    pub trim_percent: u8,
    /// Bytes of each operation; of the largest one where sizes are mixed.
    pub block_size_bytes: u32,
    /// The sizes and their shares, exactly, where there are several.
    #[serde(default)]
    pub block_sizes: Vec<SizeShare>,
    /// Operations that each worker keeps in flight.
    pub queue_depth: u32,
    /// Workers on each target, each with a queue of its own.
    pub jobs: u32,
    /// How many of the open targets are used at the same time, from the first on.
    pub targets: u32,
    /// How completions are found.
    #[serde(default)]
    pub poll: Poll,
    /// When a write counts as done.
    pub sync: Sync,
    /// Writes of a worker behind the last of which comes a flush, with `Sync::Fdatasync`.
    #[serde(default = "one")]
    pub flush_every: u64,
    /// What writes carry.
    pub data: Data,
    /// The part of random data by which it can be compressed.
    #[serde(default)]
    pub compressible_percent: u8,
    /// The share of writes that carry what was written before at another place, exactly.
    #[serde(default)]
    pub duplicates_percent: u8,
    /// Whether each sector that is written says which one it is, so that the target can be verified.
    #[serde(default)]
    pub verify: bool,
    /// What all randomness comes from.
    pub seed: u64,
    /// Where the used part of each target begins.
    #[serde(default)]
    pub offset_bytes: u64,
    /// How much of each target is used from there on.
    pub span_bytes: u64,
    /// Time before counting begins.
    pub warmup_ns: u64,
    /// Time that counts.
    pub measure_ns: u64,
    /// The length of an interval.
    pub interval_ns: u64,
    /// When operations are wanted; None keeps the queue full.
    pub pace: Option<Pace>,
    /// Operations that follow each other, and the rest behind them; None goes on without one.
    #[serde(default)]
    pub burst: Option<Burst>,
    /// Ends the job after this much on each target instead.
    pub amount_bytes: Option<u64>,
}

fn one() -> u64 {
    1
}

impl Job {
    /// Blocks in the span; of the largest ones where sizes are mixed.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.span_bytes / u64::from(self.block_size_bytes)
    }

    /// The step in which sequential streams advance: it goes into every block size.
    #[must_use]
    pub fn step_bytes(&self) -> u64 {
        let sizes = self.block_sizes.iter().map(|share| u64::from(share.size_bytes));
        sizes.reduce(divisor).unwrap_or(u64::from(self.block_size_bytes))
    }

    /// Whether any operation reads.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.read_percent > 0
    }

    /// Whether any operation writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.read_percent + self.trim_percent < 100
    }

    /// Whether any operation trims.
    #[must_use]
    pub fn trims(&self) -> bool {
        self.trim_percent > 0
    }

    /// The classes that this job counts.
    #[must_use]
    pub fn asked(&self) -> Vec<Class> {
        let mut asked = Vec::new();
        if self.reads() {
            asked.push(Class::Read);
        }
        if self.writes() {
            asked.push(Class::Write);
            if self.sync == Sync::Fdatasync {
                asked.extend([Class::Flush, Class::Commit]);
            }
        }
        if self.trims() {
            asked.push(Class::Trim);
        }
        asked
    }

    /// Operations kept in flight by all workers together.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.queue_depth * self.jobs * self.targets
    }

    /// Threads that drive one queue: psync has no other way to keep more than one operation in flight.
    #[must_use]
    pub fn threads_each(&self) -> u32 {
        if self.engine == Engine::Psync { self.queue_depth } else { 1 }
    }

    /// Threads that drive the job on one target.
    #[must_use]
    pub fn workers_each(&self) -> u32 {
        self.jobs * self.threads_each()
    }

    /// Threads that drive the job.
    #[must_use]
    pub fn workers(&self) -> u32 {
        self.workers_each() * self.targets
    }

    /// Operations that each thread keeps in flight.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.queue_depth / self.threads_each()
    }
}

// The largest number that goes into both.
fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}
