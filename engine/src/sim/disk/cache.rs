//! Writes that were acknowledged and are not on the media yet.

use std::collections::BTreeMap;

use super::DiskModel;
use crate::sim::StateHash;

/// Stretches that are looked at for the one that comes under a head first.
const WINDOW: usize = 32;
/// The longest run that is written in one go, so that a read does not wait for ever behind it.
const RUN_BYTES_MAX: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Stretch {
    length_bytes: u64,
    // The flush that this belongs to, at the latest.
    generation: u64,
}

/// A run of neighbouring stretches on its way to the media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub length_bytes: u64,
    generation: u64,
}

/// The cache: stretches by offset, none of which overlaps another.
#[derive(Clone, Debug, Default)]
pub struct WriteCache {
    size_bytes: u64,
    // Stretches that it can keep apart.
    stretches_max: usize,
    stretches: BTreeMap<u64, Stretch>,
    dirty_bytes: u64,
    run: Option<Run>,
    generation: u64,
    // Stretches of each generation that has any.
    left: BTreeMap<u64, u64>,
}

impl WriteCache {
    /// An empty cache.
    #[must_use]
    pub fn new(model: &DiskModel) -> Self {
        let stretches_max = model.write_cache_stretches as usize;
        Self { size_bytes: model.write_cache_bytes, stretches_max, ..Self::default() }
    }

    /// Whether a write of this length can ever be taken.
    #[must_use]
    pub fn takes(&self, length_bytes: u64) -> bool {
        length_bytes <= self.size_bytes
    }

    /// Whether there is room for a write now.
    #[must_use]
    pub fn has_room(&self, offset_bytes: u64, length_bytes: u64) -> bool {
        self.held_bytes() + length_bytes <= self.size_bytes
            && (self.held_stretches() < self.stretches_max || self.mate(offset_bytes, length_bytes).is_some())
    }

    fn held_stretches(&self) -> usize {
        self.stretches.len() + usize::from(self.run.is_some())
    }

    fn held_bytes(&self) -> u64 {
        self.dirty_bytes + self.run.map_or(0, |run| run.length_bytes)
    }

    /// Whether more than half of it is in use.
    #[must_use]
    pub fn is_pressed(&self) -> bool {
        self.held_bytes() > self.size_bytes / 2 || self.held_stretches() > self.stretches_max / 2
    }

    /// Whether there is anything to write that is not on its way.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        !self.stretches.is_empty()
    }

    /// Takes a write. It becomes one with those that it overlaps or goes on with, and as old as the oldest.
    pub fn put(&mut self, offset_bytes: u64, length_bytes: u64) {
        let (mut start, mut end, mut generation) = (offset_bytes, offset_bytes + length_bytes, self.generation);
        while let Some((at, other)) = self.mate(start, end - start) {
            self.remove(at);
            (start, end) = (start.min(at), end.max(at + other.length_bytes));
            generation = generation.min(other.generation);
        }
        self.insert(start, Stretch { length_bytes: end - start, generation });
    }

    /// Forgets what is written past the cache, or its older contents would follow.
    pub fn subtract(&mut self, offset_bytes: u64, length_bytes: u64) {
        let end = offset_bytes + length_bytes;
        while let Some((at, other)) = self.overlapping(offset_bytes, end) {
            self.remove(at);
            let other_end = at + other.length_bytes;
            if at < offset_bytes {
                self.insert(at, Stretch { length_bytes: offset_bytes - at, ..other });
            }
            if other_end > end {
                self.insert(end, Stretch { length_bytes: other_end - end, ..other });
            }
        }
    }

    /// Whether a read finds all of its bytes here.
    #[must_use]
    pub fn holds(&self, offset_bytes: u64, length_bytes: u64) -> bool {
        let before = self.stretches.range(..=offset_bytes).next_back();
        before.is_some_and(|(at, stretch)| at + stretch.length_bytes >= offset_bytes + length_bytes)
    }

    // A stretch that a write would become one with: one that it overlaps, or a neighbour that leaves room in a run.
    fn mate(&self, offset_bytes: u64, length_bytes: u64) -> Option<(u64, Stretch)> {
        let end = offset_bytes + length_bytes;
        let fits = |other: &Stretch| other.length_bytes + length_bytes <= RUN_BYTES_MAX;
        let behind = || self.stretches.get_key_value(&end).filter(|(_, other)| fits(other));
        let before = || {
            let before = self.stretches.range(..offset_bytes).next_back();
            before.filter(|(at, other)| **at + other.length_bytes == offset_bytes && fits(other))
        };
        let neighbour = || before().or_else(behind).map(|(at, other)| (*at, *other));
        self.overlapping(offset_bytes, end).or_else(neighbour)
    }

    fn overlapping(&self, start: u64, end: u64) -> Option<(u64, Stretch)> {
        let (at, stretch) = self.stretches.range(..end).next_back()?;
        (at + stretch.length_bytes > start).then_some((*at, *stretch))
    }

    fn insert(&mut self, at: u64, stretch: Stretch) {
        self.dirty_bytes += stretch.length_bytes;
        *self.left.entry(stretch.generation).or_default() += 1;
        self.stretches.insert(at, stretch);
    }

    fn remove(&mut self, at: u64) -> Option<Stretch> {
        let stretch = self.stretches.remove(&at)?;
        self.dirty_bytes -= stretch.length_bytes;
        let left = self.left.get_mut(&stretch.generation).expect("each stretch is counted");
        *left -= 1;
        if *left == 0 {
            self.left.remove(&stretch.generation);
        }
        Some(stretch)
    }

    /// Begins a flush: the generation that must have left when it is done.
    pub fn begin_flush(&mut self) -> u64 {
        self.generation += 1;
        self.generation - 1
    }

    /// Whether all writes up to a generation are on the media.
    #[must_use]
    pub fn is_clean(&self, generation: u64) -> bool {
        let waits = self.left.first_key_value().is_some_and(|(oldest, _)| *oldest <= generation);
        let runs = self.run.is_some_and(|run| run.generation <= generation);
        !waits && !runs
    }

    /// What may be written next: the stretches from here on, and then those from the beginning. The arm goes in one
    /// direction, so that none is passed over for ever.
    pub fn window(&self, from_bytes: u64) -> impl Iterator<Item = u64> {
        let ahead = self.stretches.range(from_bytes..);
        ahead.chain(self.stretches.range(..from_bytes)).map(|(at, _)| *at).take(WINDOW)
    }

    /// Takes a stretch out, with its neighbours behind it.
    pub fn take_run(&mut self, offset_bytes: u64) -> Run {
        let mut run = Run { offset_bytes, length_bytes: 0, generation: u64::MAX };
        while run.length_bytes < RUN_BYTES_MAX
            && let Some(stretch) = self.remove(offset_bytes + run.length_bytes)
        {
            run.length_bytes += stretch.length_bytes;
            run.generation = run.generation.min(stretch.generation);
        }
        self.run = Some(run);
        run
    }

    /// The run that was on its way is on the media.
    pub fn finish_run(&mut self) {
        self.run = None;
    }

    /// Adds the whole state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        for (at, stretch) in &self.stretches {
            hash.add_all([*at, stretch.length_bytes, stretch.generation]);
        }
        if let Some(run) = self.run {
            hash.add_all([run.offset_bytes, run.length_bytes, run.generation]);
        }
        hash.add_all([self.generation, self.dirty_bytes]);
    }
}
