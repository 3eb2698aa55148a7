//! A job: one workload with its timing, checked once against a target and never changed afterwards.

use serde::Deserialize;

use crate::failure::{Failure, FailureKind};
use crate::pattern::Pace;
use crate::record::Class;
use crate::ring::Poll;
use crate::target::{Target, TargetKind};

/// How I/O reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Submission and completion rings shared with the kernel.
    IoUring,
    /// pread and pwrite; depth is served by as many threads.
    Psync,
    /// Nothing: every operation completes at once, in process.
    Null,
    /// Through `io_uring`, and nothing there: the cost of the way to the kernel.
    Nop,
    /// A simulated drive, in virtual time.
    Simulation,
}

/// Where the next block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Uniformly anywhere in the span.
    Random,
    /// Behind the one before.
    Sequential,
}

/// When a write counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// At once.
    None,
    /// After an fdatasync of its own.
    Fdatasync,
    /// As an `O_DSYNC` write (`RWF_DSYNC`, the form for a single write).
    Dsync,
}

/// What writes carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// Random bytes: nothing compresses or deduplicates them.
    Random,
    /// Half of each 4 KiB random, half zeros: compresses two to one.
    Compressible,
    /// Zeros: what thin provisioning and compression do away with altogether.
    Zeros,
}

/// A job as the front asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// How I/O reaches the kernel.
    pub engine: Engine,
    /// Where the next block lies.
    pub pattern: Pattern,
    /// The share of reads.
    pub read_percent: u8,
    /// Bytes of each operation.
    pub block_size_bytes: u32,
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
    /// What writes carry.
    pub data: Data,
    /// What all randomness comes from.
    pub seed: u64,
    /// The first bytes of each target that are used.
    pub span_bytes: u64,
    /// Time before counting begins.
    pub warmup_ns: u64,
    /// Time that counts.
    pub measure_ns: u64,
    /// The length of an interval.
    pub interval_ns: u64,
    /// When operations are wanted; None keeps the queue full.
    pub pace: Option<Pace>,
    /// Ends the job after this much on each target instead.
    pub amount_bytes: Option<u64>,
}

/// The deepest queue: more than any device's queue takes, and within the limit of `io_uring`.
pub const QUEUE_DEPTH_MAX: u32 = 4096;
/// The deepest queue that threads may serve.
pub const PSYNC_THREADS_MAX: u32 = 1024;
/// The most workers that may be asked for.
pub const JOBS_MAX: u32 = 256;
/// The most targets that one job may use.
pub const TARGETS_MAX: u32 = 64;
/// The largest block.
pub const BLOCK_SIZE_BYTES_MAX: u32 = 64 << 20;
/// Bytes in flight, at most.
pub const IN_FLIGHT_BYTES_MAX: u64 = 4 << 30;
/// The longest job: thirty days.
pub const DURATION_NS_MAX: u64 = 30 * 86_400 * 1_000_000_000;
/// The highest rate: more than any engine gives.
pub const RATE_PER_S_MAX: u64 = 1_000_000_000;
/// The shortest interval.
pub const INTERVAL_NS_MIN: u64 = 1_000_000;

impl Job {
    /// Blocks in the span.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.span_bytes / u64::from(self.block_size_bytes)
    }

    /// Whether any operation reads.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.read_percent > 0
    }

    /// Whether any operation writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.read_percent < 100
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

    /// Refuses what can't be run on a target, with the value and its bound.
    pub fn check(&self, target: &Target) -> Result<(), Failure> {
        let block = u64::from(self.block_size_bytes);
        let offset_alignment = target.alignment.offset_bytes;
        if self.read_percent > 100 {
            return bad(format!("read_percent is {}; it ends at 100", self.read_percent));
        }
        if block < 512 || block % 512 != 0 || self.block_size_bytes > BLOCK_SIZE_BYTES_MAX {
            return bad(format!("block size {block} is not a multiple of 512 up to {BLOCK_SIZE_BYTES_MAX}"));
        }
        if block % u64::from(offset_alignment) != 0 {
            return bad(format!("block size {block} is not a multiple of the target's alignment, {offset_alignment}"));
        }
        if self.queue_depth == 0 || self.queue_depth > QUEUE_DEPTH_MAX {
            return bad(format!("queue depth {} is not within 1 to {QUEUE_DEPTH_MAX}", self.queue_depth));
        }
        if self.jobs == 0 || self.jobs > JOBS_MAX {
            return bad(format!("{} jobs are not within 1 to {JOBS_MAX}", self.jobs));
        }
        if self.targets == 0 || self.targets > TARGETS_MAX {
            return bad(format!("{} targets are not within 1 to {TARGETS_MAX}", self.targets));
        }
        if self.engine == Engine::Psync && self.in_flight() > PSYNC_THREADS_MAX {
            return bad(format!(
                "{} operations in flight need as many threads under psync, which takes at most {PSYNC_THREADS_MAX}",
                self.in_flight()
            ));
        }
        if block * u64::from(self.in_flight()) > IN_FLIGHT_BYTES_MAX {
            return bad(format!("more than {IN_FLIGHT_BYTES_MAX} bytes would be in flight"));
        }
        self.check_extent(target)?;
        self.check_time()
    }

    fn check_extent(&self, target: &Target) -> Result<(), Failure> {
        if self.span_bytes > target.size_bytes {
            return bad(format!("a span of {} bytes is beyond the target's {}", self.span_bytes, target.size_bytes));
        }
        if self.blocks() < u64::from(self.jobs) {
            return bad(format!(
                "a span of {} bytes does not hold a block of {} for each of {} jobs",
                self.span_bytes, self.block_size_bytes, self.jobs
            ));
        }
        if self.amount_bytes.is_some_and(|amount| amount < u64::from(self.block_size_bytes)) {
            return bad("an amount below one block".to_owned());
        }
        if self.writes() && !target.writable {
            return bad("the target was opened for reading, and the job writes".to_owned());
        }
        if matches!(self.engine, Engine::Null | Engine::Nop) != (target.kind == TargetKind::Null) {
            return bad("the null and nop engines and the null target go together, and with nothing else".to_owned());
        }
        if self.poll != Poll::Interrupt && self.engine != Engine::IoUring {
            return bad(format!("only io_uring can be asked to poll ({})", self.poll.name()));
        }
        if self.poll == Poll::Iopoll && self.sync == Sync::Fdatasync {
            return bad("a ring whose completions are polled takes no fdatasync".to_owned());
        }
        if (self.engine == Engine::Simulation) != (target.kind == TargetKind::Simulation) {
            return bad("the simulation and simulated targets go together, and with nothing else".to_owned());
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), Failure> {
        if self.measure_ns == 0 || self.measure_ns > DURATION_NS_MAX || self.warmup_ns > DURATION_NS_MAX {
            return bad(format!("a duration is not within 1 to {DURATION_NS_MAX} ns"));
        }
        if self.pace.is_some_and(|pace| pace.rate_per_s == 0 || pace.rate_per_s > RATE_PER_S_MAX) {
            return bad(format!("a rate is not within 1 to {RATE_PER_S_MAX} a second"));
        }
        if self.interval_ns < INTERVAL_NS_MIN {
            return bad(format!("an interval of {} ns is below {INTERVAL_NS_MIN}", self.interval_ns));
        }
        Ok(())
    }
}

fn bad(message: String) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::BadJob, message))
}
