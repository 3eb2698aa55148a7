//! The write cache: acknowledged writes that are not on the media yet.

use std::collections::BTreeMap;

use super::DiskModel;
use crate::sim::StateHash;

/// The number of extents from which the one with the shortest positioning time is selected.
const WINDOW: usize = 32;
/// The longest run that is written without interruption, so that a read does not wait too long.
const RUN_BYTES_MAX: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Extent {
    length_bytes: u64,
    // The first flush that has to wait for this extent.
    generation: u64,
}

/// A run of contiguous extents being written to the media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its start.
    pub offset_bytes: u64,
    /// Its length.
    pub length_bytes: u64,
    generation: u64,
}

/// The cache: extents by offset, without overlaps.
#[derive(Clone, Debug, Default)]
pub struct WriteCache {
    size_bytes: u64,
    // The maximum number of extents that it can manage.
    extents_max: usize,
    extents: BTreeMap<u64, Extent>,
    dirty_bytes: u64,
    run: Option<Run>,
    generation: u64,
    // The number of extents by generation. Generations without extents are omitted.
    left: BTreeMap<u64, u64>,
}

impl WriteCache {
    /// An empty cache.
    #[must_use]
    pub fn new(model: &DiskModel) -> Self {
        let extents_max = model.write_cache_stretches as usize;
        Self { size_bytes: model.write_cache_bytes, extents_max, ..Self::default() }
    }

    /// Whether a write of this length fits into the cache at all.
    #[must_use]
    pub fn takes(&self, length_bytes: u64) -> bool {
        length_bytes <= self.size_bytes
    }

    /// Whether there is room for a write now.
    #[must_use]
    pub fn has_room(&self, offset_bytes: u64, length_bytes: u64) -> bool {
        self.held_bytes() + length_bytes <= self.size_bytes
            && (self.held_extents() < self.extents_max || self.mergeable(offset_bytes, length_bytes).is_some())
    }

    fn held_extents(&self) -> usize {
        self.extents.len() + usize::from(self.run.is_some())
    }

    fn held_bytes(&self) -> u64 {
        self.dirty_bytes + self.run.map_or(0, |run| run.length_bytes)
    }

    /// Whether more than half of it is in use.
    #[must_use]
    pub fn is_over_half_full(&self) -> bool {
        self.held_bytes() > self.size_bytes / 2 || self.held_extents() > self.extents_max / 2
    }

    /// Whether there are extents that are not being written.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        !self.extents.is_empty()
    }

    /// Adds a write. It is merged with extents that it overlaps or adjoins, and inherits the oldest generation.
    pub fn put(&mut self, offset_bytes: u64, length_bytes: u64) {
        let (mut start, mut end, mut generation) = (offset_bytes, offset_bytes + length_bytes, self.generation);
        while let Some((at, other)) = self.mergeable(start, end - start) {
            self.remove(at);
            (start, end) = (start.min(at), end.max(at + other.length_bytes));
            generation = generation.min(other.generation);
        }
        self.insert(start, Extent { length_bytes: end - start, generation });
    }

    /// Removes a range that is written directly to the media, so that older data does not overwrite it later.
    pub fn subtract(&mut self, offset_bytes: u64, length_bytes: u64) {
        let end = offset_bytes + length_bytes;
        while let Some((at, other)) = self.overlapping(offset_bytes, end) {
            self.remove(at);
            let other_end = at + other.length_bytes;
            if at < offset_bytes {
                self.insert(at, Extent { length_bytes: offset_bytes - at, ..other });
            }
            if other_end > end {
                self.insert(end, Extent { length_bytes: other_end - end, ..other });
            }
        }
    }

    /// Whether the cache holds all of a read's data.
    #[must_use]
    pub fn holds(&self, offset_bytes: u64, length_bytes: u64) -> bool {
        let before = self.extents.range(..=offset_bytes).next_back();
        before.is_some_and(|(at, extent)| at + extent.length_bytes >= offset_bytes + length_bytes)
    }

    // An extent with which a write would be merged: an overlapping one, or an adjoining one if the merged run is not
    // too long.
    fn mergeable(&self, offset_bytes: u64, length_bytes: u64) -> Option<(u64, Extent)> {
        let end = offset_bytes + length_bytes;
        let fits = |other: &Extent| other.length_bytes + length_bytes <= RUN_BYTES_MAX;
        let behind = || self.extents.get_key_value(&end).filter(|(_, other)| fits(other));
        let before = || {
            let before = self.extents.range(..offset_bytes).next_back();
            before.filter(|(at, other)| **at + other.length_bytes == offset_bytes && fits(other))
        };
        let neighbour = || before().or_else(behind).map(|(at, other)| (*at, *other));
        self.overlapping(offset_bytes, end).or_else(neighbour)
    }

    fn overlapping(&self, start: u64, end: u64) -> Option<(u64, Extent)> {
        let (at, extent) = self.extents.range(..end).next_back()?;
        (at + extent.length_bytes > start).then_some((*at, *extent))
    }

    fn insert(&mut self, at: u64, extent: Extent) {
        self.dirty_bytes += extent.length_bytes;
        *self.left.entry(extent.generation).or_default() += 1;
        self.extents.insert(at, extent);
    }

    fn remove(&mut self, at: u64) -> Option<Extent> {
        let extent = self.extents.remove(&at)?;
        self.dirty_bytes -= extent.length_bytes;
        let left = self.left.get_mut(&extent.generation).expect("each extent is counted");
        *left -= 1;
        if *left == 0 {
            self.left.remove(&extent.generation);
        }
        Some(extent)
    }

    /// Starts a flush, and returns the generation that has to be on the media at its end.
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

    /// Candidates for the next write: extents from an offset upwards, then from the start. The arm sweeps in one
    /// direction, so that no extent starves.
    pub fn window(&self, from_bytes: u64) -> impl Iterator<Item = u64> {
        let ahead = self.extents.range(from_bytes..);
        ahead.chain(self.extents.range(..from_bytes)).map(|(at, _)| *at).take(WINDOW)
    }

    /// Removes an extent together with the contiguous ones after it.
    pub fn take_run(&mut self, offset_bytes: u64) -> Run {
        let mut run = Run { offset_bytes, length_bytes: 0, generation: u64::MAX };
        while run.length_bytes < RUN_BYTES_MAX
            && let Some(extent) = self.remove(offset_bytes + run.length_bytes)
        {
            run.length_bytes += extent.length_bytes;
            run.generation = run.generation.min(extent.generation);
        }
        self.run = Some(run);
        run
    }

    /// The run is on the media.
    pub fn finish_run(&mut self) {
        self.run = None;
    }

    /// Adds the whole state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        for (at, extent) in &self.extents {
            hash.add_all([*at, extent.length_bytes, extent.generation]);
        }
        if let Some(run) = self.run {
            hash.add_all([run.offset_bytes, run.length_bytes, run.generation]);
        }
        hash.add_all([self.generation, self.dirty_bytes]);
    }
}
