//! The stream of accesses: offset, length, and what is done there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::deck::Deck;
use super::place::{Place, Queue};
use super::sizes::Sizes;
use crate::job::{Job, Pattern};
use crate::random::below;
use crate::record::Class;

/// The next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where, in bytes from the start of the target.
    pub offset_bytes: u64,
    /// How much.
    pub length_bytes: u32,
    /// What: a read, a write or a trim.
    pub class: Class,
}

/// What workers share: how far each stream has come, and how many bytes are left to hand out on each target.
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
    /// A permutation is that of the whole span, and all workers on a target take turns in it.
    #[must_use]
    pub fn new(job: &Job) -> Self {
        let mut seeds = SplitMix64::seed_from_u64(job.seed);
        let share = share_steps(job);
        let cursors: Vec<_> = if job.pattern == Pattern::Permutation {
            let each = (0..job.targets).map(|_| Arc::new(AtomicU64::new(0)));
            each.flat_map(|cursor| vec![cursor; job.jobs as usize]).collect()
        } else {
            let start = |_| Arc::new(AtomicU64::new(below(seeds.next_u64(), share)));
            (0..job.jobs * job.targets).map(start).collect()
        };
        let left = (0..job.targets).filter_map(|_| job.amount_bytes).map(|amount| Arc::new(AtomicU64::new(amount)));
        Self { cursors, left: left.collect() }
    }
}

// How many steps of a sequential stream the part of the span has that belongs to one job.
fn share_steps(job: &Job) -> u64 {
    job.span_bytes / job.step_bytes() / u64::from(job.jobs)
}

/// One worker's stream of accesses.
#[derive(Clone, Debug)]
pub struct Accesses {
    start_bytes: u64,
    place: Place,
    sizes: Sizes,
    // None where only one thing is done.
    classes: Option<Deck<3>>,
    only: Class,
    left: Option<Arc<AtomicU64>>,
}

const CLASSES: [Class; 3] = [Class::Read, Class::Write, Class::Trim];

impl Accesses {
    /// The stream of one worker. Offsets, classes and sizes are drawn from streams of their own, so that the same seed
    /// visits the same blocks whatever the share of reads.
    #[must_use]
    pub fn new(job: &Job, worker: u32, shared: &Shared) -> Self {
        let mut seeds = SplitMix64::seed_from_u64(job.seed ^ (u64::from(worker) << 32));
        let [offsets, classes, sizes, jumps] = std::array::from_fn(|_| seeds.next_u64());
        let target = worker / job.workers_each();
        let queue = worker / job.threads_each();
        let share = share_steps(job);
        let queue = Queue {
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
            place: Place::new(job, target, queue, [offsets, jumps]),
            sizes: Sizes::new(job, sizes),
            classes: only.is_none().then(|| Deck::new(mix, classes)),
            only: only.unwrap_or(Class::Read),
            left: shared.left.get(target as usize).cloned(),
        }
    }

    /// The next access; None when the job's amount has been handed out.
    #[inline]
    pub fn draw(&mut self) -> Option<Access> {
        let size = self.sizes.draw();
        if let Some(left) = &self.left {
            // Two workers may not both take the last block, so the count is taken down in one step.
            let length = u64::from(size.bytes);
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(length)).ok()?;
        }
        Some(Access {
            offset_bytes: self.start_bytes + self.place.draw(size),
            length_bytes: size.bytes,
            class: self.classes.as_mut().map_or(self.only, |deck| CLASSES[deck.draw()]),
        })
    }
}
