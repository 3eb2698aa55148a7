//! The stream of accesses: offset, length and class.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::offsets::{OffsetGenerator, StreamShare};
use super::shuffled_deck::ShuffledDeck;
use super::sizes::Sizes;
use crate::job::{Job, Pattern, WriteBudget};
use crate::random::below;
use crate::record::Class;

/// The next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Offset in bytes from the start of the target.
    pub offset_bytes: u64,
    /// Length in bytes.
    pub length_bytes: u32,
    /// A read, a write or a trim.
    pub class: Class,
}

/// State shared by workers: the position of each stream, and the bytes left on each target.
#[derive(Clone, Debug)]
pub struct Shared {
    // One for each queue. The psync threads of a queue share its stream.
    cursors: Vec<Arc<AtomicU64>>,
    // One for each target if the job has an amount.
    left: Vec<Arc<AtomicU64>>,
    // What all workers together may still write; None without a limit.
    budget: Option<WriteBudget>,
    heard_ns: Arc<AtomicU64>,
}

impl Shared {
    /// When an operation of any worker last completed after the end of the job.
    #[must_use]
    pub fn heard_ns(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.heard_ns)
    }

    /// The shared state of a job at its start.
    ///
    /// A sequential stream starts at a block drawn from the seed; otherwise all cells would start in the same area,
    /// which would be cached. It wraps at the end of its share of the test region. Each queue has its own share,
    /// because streams over the same blocks would read what another stream has cached. A permutation and the writes of
    /// `FastRandom` cover the whole test region and are shared by all workers on a target. A job that goes on after
    /// `done_bytes` begins where these end.
    #[must_use]
    pub fn new(job: &Job) -> Self {
        let mut seeds = SplitMix64::seed_from_u64(job.seed);
        let share = share_steps(job);
        let done = job.done_bytes / job.step_bytes();
        let cursors: Vec<_> = if is_shared(&job.pattern) {
            let each = (0..job.targets).map(|_| Arc::new(AtomicU64::new(done)));
            each.flat_map(|cursor| vec![cursor; job.jobs as usize]).collect()
        } else {
            let start = |_| Arc::new(AtomicU64::new(below(seeds.next_u64(), share) + done));
            (0..job.jobs * job.targets).map(start).collect()
        };
        let left_bytes = job.amount_bytes.map(|amount| amount - job.done_bytes);
        let left = (0..job.targets).filter_map(|_| left_bytes).map(|amount| Arc::new(AtomicU64::new(amount)));
        Self { cursors, left: left.collect(), budget: None, heard_ns: Arc::default() }
    }

    /// The same state, with a limit on what is written.
    #[must_use]
    pub fn within(self, budget: Option<WriteBudget>) -> Self {
        Self { budget, ..self }
    }
}

// Whether all workers on a target number their accesses together.
fn is_shared(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Permutation | Pattern::FastRandom { .. })
}

// The steps of a sequential stream in one job's share of the test region.
fn share_steps(job: &Job) -> u64 {
    job.span_bytes / job.step_bytes() / u64::from(job.jobs)
}

/// One worker's stream of accesses.
#[derive(Clone, Debug)]
pub struct Accesses {
    start_bytes: u64,
    offset_generator: OffsetGenerator,
    sizes: Sizes,
    // None if all operations have the same class.
    classes: Option<ShuffledDeck<3>>,
    only: Class,
    left: Option<Arc<AtomicU64>>,
    budget: Option<WriteBudget>,
    is_over_budget: bool,
}

const CLASSES: [Class; 3] = [Class::Read, Class::Write, Class::Trim];

impl Accesses {
    /// The stream of one worker. Offsets, classes and sizes have separate random streams, so that a seed yields the
    /// same blocks for every read share.
    #[must_use]
    pub fn new(job: &Job, worker: u32, shared: &Shared) -> Self {
        // A job that goes on does not repeat the random blocks of the job before it.
        let part = if job.done_bytes == 0 { 0 } else { SplitMix64::seed_from_u64(job.done_bytes).next_u64() };
        let mut seeds = SplitMix64::seed_from_u64(job.seed ^ (u64::from(worker) << 32) ^ part);
        let [offsets, classes, sizes, jumps] = std::array::from_fn(|_| seeds.next_u64());
        let target = worker / job.workers_each();
        let queue = worker / job.threads_each();
        let share = share_steps(job);
        let queue = StreamShare {
            first: share * u64::from(queue % job.jobs),
            steps: share,
            step_bytes: job.step_bytes(),
            cursor: Arc::clone(&shared.cursors[queue as usize]),
        };
        let [read, trim] = [job.read_percent, job.trim_percent].map(u32::from);
        let mix = [read, 100 - read - trim, trim];
        let only = mix.iter().position(|share| *share == 100).map(|kind| CLASSES[kind]);
        Self {
            start_bytes: job.offset_bytes,
            offset_generator: OffsetGenerator::new(job, target, queue, [offsets, jumps]),
            sizes: Sizes::new(job, sizes),
            classes: only.is_none().then(|| ShuffledDeck::new(mix, classes)),
            only: only.unwrap_or(Class::Read),
            left: shared.left.get(target as usize).cloned(),
            budget: shared.budget.clone(),
            is_over_budget: false,
        }
    }

    /// The limit on what is written, if the last access would have exceeded it.
    #[must_use]
    pub fn exceeded(&self) -> Option<u64> {
        self.budget.as_ref().filter(|_| self.is_over_budget).map(WriteBudget::most)
    }

    /// The next access; None when the job's amount or the limit on what is written is used up.
    #[inline]
    pub fn draw(&mut self) -> Option<Access> {
        let size = self.sizes.draw();
        if let Some(left) = &self.left {
            // Atomic, so that two workers cannot both take the last block.
            let length = u64::from(size.bytes);
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(length)).ok()?;
        }
        let class = self.classes.as_mut().map_or(self.only, |deck| CLASSES[deck.draw()]);
        if class == Class::Write && self.budget.as_ref().is_some_and(|budget| !budget.take(size.bytes.into())) {
            self.is_over_budget = true;
            return None;
        }
        Some(Access {
            offset_bytes: self.start_bytes + self.offset_generator.draw(size),
            length_bytes: size.bytes,
            class,
        })
    }
}
