//! A job: one workload with its timing, checked once against a target and then immutable.

use serde::Deserialize;

use crate::pattern::{Burst, Duty, OpenLoop};
use crate::record::Class;
use crate::ring::Poll;
use crate::write_cache::CacheState;

mod bounds;
mod check;
mod check_time;
mod limits;
mod workload;

pub use bounds::*;
pub use limits::{LimitSpec, Limits, WriteBudget};
pub use workload::{Data, Engine, Pattern, SizeShare, Sync, Zone};

/// A job as the front end requests it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The I/O engine.
    pub engine: Engine,
    /// How the offset of the next block is chosen.
    pub pattern: Pattern,
    /// The exact share of reads.
    pub read_percent: u8,
    /// The exact share of trims. Operations that neither read nor trim are writes.
    #[serde(default)]
    pub trim_percent: u8,
    /// Block size; the largest one of a mix.
    pub block_size_bytes: u32,
    /// The block sizes of a mix, with exact shares.
    #[serde(default)]
    pub block_sizes: Vec<SizeShare>,
    /// Queue depth of each job.
    pub queue_depth: u32,
    /// Workers on each target, each with its own queue.
    pub jobs: u32,
    /// The number of open targets used at the same time, starting with the first.
    pub targets: u32,
    /// How completions are detected.
    #[serde(default)]
    pub poll: Poll,
    /// When a write is complete.
    pub sync: Sync,
    /// With `Sync::Fdatasync`: a flush follows every N writes of each worker.
    #[serde(default = "one")]
    pub flush_every: u64,
    /// The data that writes carry.
    pub data: Data,
    /// Compressibility of random data.
    #[serde(default)]
    pub compressible_percent: u8,
    /// The exact share of writes that carry duplicate data.
    #[serde(default)]
    pub duplicates_percent: u8,
    /// Whether each sector carries a verification header.
    #[serde(default)]
    pub verify: bool,
    /// The seed of all randomness.
    pub seed: u64,
    /// Start of the test region of each target.
    #[serde(default)]
    pub offset_bytes: u64,
    /// Size of the test region.
    pub span_bytes: u64,
    /// Warm-up before the measurement.
    pub warmup_ns: u64,
    /// Measurement time.
    pub measure_ns: u64,
    /// The length of an interval.
    pub interval_ns: u64,
    /// Open loop: the arrival rate; None for a closed loop.
    pub pace: Option<OpenLoop>,
    /// Bursts with think time after each; None for a steady stream.
    #[serde(default)]
    pub burst: Option<Burst>,
    /// Times without submissions, on a grid from the start of the job; None to submit all the time.
    #[serde(default)]
    pub duty: Option<Duty>,
    /// Failed operations of a worker that the job tolerates; 0 to end it at the first one.
    #[serde(default = "failed_max")]
    pub failed_max: u64,
    /// The setting that the write caches of all targets have before and after the job; None for any.
    #[serde(default)]
    pub write_cache: Option<CacheState>,
    /// Ends the job after this many bytes on each target, instead of after a time.
    pub amount_bytes: Option<u64>,
    /// Ends a job with an amount after this measurement time, if the amount is not transferred by then.
    #[serde(default)]
    pub limit_ns: Option<u64>,
    /// Asks the front end after each multiple of this measurement time whether the job goes on; None to never ask.
    #[serde(default)]
    pub decide_ns: Option<u64>,
    /// The part of the amount that an earlier job has transferred on each target. This job goes on after it.
    #[serde(default)]
    pub done_bytes: u64,
}

fn one() -> u64 {
    1
}

fn failed_max() -> u64 {
    FAILED_MAX
}

impl Job {
    /// Blocks in the test region; for a mix, counted in the largest size.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.span_bytes / u64::from(self.block_size_bytes)
    }

    /// The step of sequential streams: the greatest common divisor of all block sizes.
    #[must_use]
    pub fn step_bytes(&self) -> u64 {
        let sizes = self.block_sizes.iter().map(|share| u64::from(share.size_bytes));
        sizes.reduce(greatest_common_divisor).unwrap_or(u64::from(self.block_size_bytes))
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

    /// The classes of operations that this job performs.
    #[must_use]
    pub fn classes(&self) -> Vec<Class> {
        let mut classes = Vec::new();
        if self.reads() {
            classes.push(Class::Read);
        }
        if self.writes() {
            classes.push(Class::Write);
            if self.sync == Sync::Fdatasync {
                classes.extend([Class::Flush, Class::Commit]);
            }
        }
        if self.trims() {
            classes.push(Class::Trim);
        }
        classes
    }

    /// The longest measurement time; None if only an amount ends the job.
    #[must_use]
    pub fn longest_ns(&self) -> Option<u64> {
        if self.amount_bytes.is_some() { self.limit_ns } else { Some(self.measure_ns) }
    }

    /// Operations in flight over all workers.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.queue_depth * self.jobs * self.targets
    }

    /// Threads per queue. psync needs one thread for each operation in flight.
    #[must_use]
    pub fn threads_each(&self) -> u32 {
        if self.engine == Engine::Psync { self.queue_depth } else { 1 }
    }

    /// Worker threads on one target.
    #[must_use]
    pub fn workers_each(&self) -> u32 {
        self.jobs * self.threads_each()
    }

    /// Worker threads in all.
    #[must_use]
    pub fn workers(&self) -> u32 {
        self.workers_each() * self.targets
    }

    /// Operations in flight per thread.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.queue_depth / self.threads_each()
    }
}

// The greatest common divisor.
fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}
