//! Offsets of operations within the test region.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::fast_random::FastRandom;
use super::permutation::Permutation;
use super::shuffled_deck::ShuffledDeck;
use super::sizes::Size;
use super::skew::{Pareto, Zipf, Zones};
use super::stride::Stride;
use crate::job::{Job, Pattern};
use crate::random::Random;

/// Separates the keys of permutations from all other random streams.
const KEYS: u64 = 0x7065_726d_7574_6174;

/// The share of the test region that a sequential stream covers, and its position.
#[derive(Clone, Debug)]
pub struct StreamShare {
    /// Its start, in steps.
    pub first: u64,
    /// Its length, in steps.
    pub steps: u64,
    /// The size of a step.
    pub step_bytes: u64,
    /// Steps already used, shared by all threads that serve the queue.
    pub cursor: Arc<AtomicU64>,
}

impl StreamShare {
    // The offset of an operation at a step. An operation that would exceed the end of the share starts earlier, so that
    // it ends there.
    #[inline]
    fn offset(&self, step: u64, size: Size) -> u64 {
        let most = self.steps - size.steps.min(self.steps);
        (self.first + (step % self.steps).min(most)) * self.step_bytes
    }

    #[inline]
    fn advance(&self, size: Size) -> u64 {
        self.cursor.fetch_add(size.steps, Ordering::Relaxed)
    }
}

#[derive(Clone, Debug)]
enum Ranks {
    Zipf(Zipf),
    Pareto(Pareto),
    Zones(Zones),
}

/// A skewed distribution of accesses over blocks.
#[derive(Clone, Debug)]
pub struct Skewed {
    ranks: Ranks,
    scatter: Option<Permutation>,
    block_bytes: u64,
    random: Random,
}

impl Skewed {
    fn new(job: &Job, ranks: Ranks, scattered: bool, seeds: [u64; 2]) -> Self {
        Self {
            ranks,
            // This seed is the same for all workers and targets, so that the same blocks are hot.
            scatter: scattered.then(|| Permutation::new(job.blocks(), seeds[1])),
            block_bytes: u64::from(job.block_size_bytes),
            random: Random::new(seeds[0]),
        }
    }

    // Ranks apply to blocks of the largest size. A smaller block has a random place within such a block.
    #[inline]
    fn draw(&mut self, size: Size) -> u64 {
        let rank = match &self.ranks {
            Ranks::Zipf(zipf) => zipf.draw(&mut self.random),
            Ranks::Pareto(pareto) => pareto.draw(&mut self.random),
            Ranks::Zones(zones) => zones.draw(&mut self.random),
        };
        let block = self.scatter.as_ref().map_or(rank, |scatter| scatter.at(rank));
        let within = if size.each > 1 { self.random.below(size.each) } else { 0 };
        block * self.block_bytes + within * u64::from(size.bytes)
    }
}

// The key of a target's permutations.
fn keys(job: &Job, target: u32) -> u64 {
    job.seed ^ KEYS ^ (u64::from(target) << 32)
}

/// Accesses every block once per round. Each round has another order.
#[derive(Clone, Debug)]
pub struct Permutations {
    cursor: Arc<AtomicU64>,
    blocks: u64,
    block_bytes: u64,
    key: u64,
    // The number of the first draw of the current round.
    round_start: u64,
    order: Permutation,
}

impl Permutations {
    fn new(job: &Job, target: u32, cursor: Arc<AtomicU64>) -> Self {
        let key = keys(job, target);
        let (blocks, block_bytes) = (job.blocks(), u64::from(job.block_size_bytes));
        Self { cursor, blocks, block_bytes, key, round_start: 0, order: Permutation::new(blocks, key) }
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        let turn = self.cursor.fetch_add(1, Ordering::Relaxed);
        let mut place = turn.wrapping_sub(self.round_start);
        if place >= self.blocks {
            place = self.shuffle(turn);
        }
        self.order.at(place) * self.block_bytes
    }

    #[cold]
    fn shuffle(&mut self, turn: u64) -> u64 {
        let round = turn / self.blocks;
        self.round_start = round * self.blocks;
        self.order = Permutation::new(self.blocks, self.key ^ SplitMix64::seed_from_u64(round).next_u64());
        turn - self.round_start
    }
}

/// The offset generator of a pattern.
#[derive(Clone, Debug)]
pub enum OffsetGenerator {
    /// See [`Pattern::Random`].
    Random(Random),
    /// See [`Pattern::Sequential`].
    Sequential(StreamShare),
    /// See [`Pattern::Permutation`].
    Permutation(Box<Permutations>),
    /// See [`Pattern::FastRandom`]. Writes are numbered over all workers on a target.
    FastRandom(Box<FastRandom>, StreamShare),
    /// See [`Pattern::Zipf`], [`Pattern::Pareto`] and [`Pattern::HotSpots`].
    Skewed(Box<Skewed>),
    /// See [`Pattern::Strided`].
    Strided(StreamShare, Stride),
    /// See [`Pattern::Runs`]: continues the run, or jumps.
    Runs(StreamShare, ShuffledDeck<2>, Random),
}

impl OffsetGenerator {
    /// The generator of a worker on a target, with separate seeds for its offsets and jumps.
    #[must_use]
    pub fn new(job: &Job, target: u32, queue: StreamShare, [offsets, jumps]: [u64; 2]) -> Self {
        let blocks = job.blocks();
        let skewed = |ranks, scattered| {
            let seeds = [offsets, SplitMix64::seed_from_u64(job.seed ^ KEYS).next_u64()];
            Self::Skewed(Box::new(Skewed::new(job, ranks, scattered, seeds)))
        };
        match &job.pattern {
            Pattern::Random => Self::Random(Random::new(offsets)),
            Pattern::Sequential => Self::Sequential(queue),
            Pattern::FastRandom { over_provisioning_permille } => {
                let writes = FastRandom::new(blocks, *over_provisioning_permille, keys(job, target));
                Self::FastRandom(Box::new(writes), queue)
            }
            Pattern::Permutation => Self::Permutation(Box::new(Permutations::new(job, target, queue.cursor))),
            Pattern::Zipf { exponent_permille, scattered } => {
                skewed(Ranks::Zipf(Zipf::new(blocks, *exponent_permille)), *scattered)
            }
            Pattern::Pareto { share_permille, scattered } => {
                skewed(Ranks::Pareto(Pareto::new(blocks, *share_permille)), *scattered)
            }
            Pattern::HotSpots { zones, scattered } => skewed(Ranks::Zones(Zones::new(blocks, zones)), *scattered),
            Pattern::Strided { stride_bytes } => {
                let stride = Stride::new(queue.steps, stride_bytes / queue.step_bytes);
                Self::Strided(queue, stride)
            }
            Pattern::Runs { jump_percent } => {
                let jump = u32::from(*jump_percent);
                Self::Runs(queue, ShuffledDeck::new([100 - jump, jump], jumps), Random::new(offsets))
            }
        }
    }

    /// The offset of the next operation of that size, from the start of the test region. A random block is aligned to
    /// its own size. Blocks of a sequential stream start where the previous one ended.
    #[inline]
    pub fn draw(&mut self, size: Size) -> u64 {
        match self {
            Self::Random(random) => random.below(size.blocks) * u64::from(size.bytes),
            Self::Sequential(queue) => queue.offset(queue.advance(size), size),
            Self::Permutation(permutations) => permutations.draw(),
            Self::FastRandom(writes, queue) => writes.at(queue.advance(size)) * u64::from(size.bytes),
            Self::Skewed(skewed) => skewed.draw(size),
            Self::Strided(queue, stride) => queue.offset(stride.at(queue.advance(size) % queue.steps), size),
            Self::Runs(queue, deck, random) => {
                if deck.draw() == 0 {
                    return queue.offset(queue.advance(size), size);
                }
                // A jump lands on a multiple of the block's size, and the run continues after it.
                let step = random.below((queue.steps / size.steps).max(1)) * size.steps;
                queue.cursor.store(step + size.steps, Ordering::Relaxed);
                queue.offset(step, size)
            }
        }
    }
}
