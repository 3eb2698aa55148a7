//! The stream of accesses: offset and direction.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use crate::job::{Job, Pattern};

/// The next operation: a read or a write of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where, in bytes from the start of the target.
    pub offset_bytes: u64,
    /// Whether it reads.
    pub read: bool,
}

/// What workers share: how far each sequential stream has come, and how many blocks are left to hand out on each target.
#[derive(Clone, Debug)]
pub struct Shared {
    // One for each queue; the threads of psync that serve one queue share its stream.
    cursors: Vec<Arc<AtomicU64>>,
    // One for each target, where the job has an amount.
    left: Vec<Arc<AtomicU64>>,
}

impl Shared {
    /// The shared state of a job that has not begun. A sequential stream starts at a block that the seed draws, so
    /// that cells do not all begin on the same, by then well-cached, stretch; it wraps at the end of its share of the
    /// span. Each job has a share of its own: streams that follow one another would read what the first has cached.
    #[must_use]
    pub fn new(job: &Job) -> Self {
        let mut seeds = SplitMix64::seed_from_u64(job.seed);
        let share = job.blocks() / u64::from(job.jobs);
        Self {
            cursors: (0..job.jobs * job.targets)
                .map(|_| Arc::new(AtomicU64::new(below(seeds.next_u64(), share))))
                .collect(),
            left: (0..job.targets)
                .filter_map(|_| job.amount_bytes)
                .map(|amount| Arc::new(AtomicU64::new(amount / u64::from(job.block_size_bytes))))
                .collect(),
        }
    }
}

/// One worker's stream of accesses.
#[derive(Clone, Debug)]
pub struct Accesses {
    pattern: Pattern,
    blocks: u64,
    block_size_bytes: u64,
    // A draw below this reads: the share of reads in units of 2^-64, so that the loop needs no float.
    read_below: u64,
    reads_only: bool,
    offsets: Xoshiro256PlusPlus,
    directions: Xoshiro256PlusPlus,
    // A sequential stream: where its share of the span begins, how many blocks that has, how far it has come.
    first: u64,
    share: u64,
    cursor: Arc<AtomicU64>,
    left: Option<Arc<AtomicU64>>,
}

impl Accesses {
    /// The stream of one worker. Offsets and directions are drawn from streams of their own, so that the same seed
    /// visits the same blocks whatever the share of reads.
    #[must_use]
    pub fn new(job: &Job, worker: u32, shared: &Shared) -> Self {
        let mut seeds = SplitMix64::seed_from_u64(job.seed ^ (u64::from(worker) << 32));
        let percent = u128::from(job.read_percent);
        let queue = worker / job.threads_each();
        let share = job.blocks() / u64::from(job.jobs);
        Self {
            pattern: job.pattern,
            blocks: job.blocks(),
            block_size_bytes: u64::from(job.block_size_bytes),
            read_below: u64::try_from((percent << 64) / 100).unwrap_or(u64::MAX),
            reads_only: job.read_percent == 100,
            offsets: Xoshiro256PlusPlus::seed_from_u64(seeds.next_u64()),
            directions: Xoshiro256PlusPlus::seed_from_u64(seeds.next_u64()),
            first: share * u64::from(queue % job.jobs),
            share,
            cursor: Arc::clone(&shared.cursors[queue as usize]),
            left: shared.left.get((worker / job.workers_each()) as usize).cloned(),
        }
    }

    /// The next access; None when the job's amount has been handed out.
    #[inline]
    pub fn draw(&mut self) -> Option<Access> {
        if let Some(left) = &self.left {
            // Two workers may not both take the last block, so the count is taken down in one step.
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()?;
        }
        let block = match self.pattern {
            Pattern::Random => below(self.offsets.next_u64(), self.blocks),
            Pattern::Sequential => self.first + self.cursor.fetch_add(1, Ordering::Relaxed) % self.share,
        };
        Some(Access {
            offset_bytes: block * self.block_size_bytes,
            read: self.reads_only || self.directions.next_u64() < self.read_below,
        })
    }
}

/// A number below `bound` from 64 random bits, by multiplication; its bias is below `bound / 2^64`.
#[inline]
#[allow(clippy::cast_possible_truncation)] // The high half of a 128-bit product fits 64 bits.
pub(super) fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}
