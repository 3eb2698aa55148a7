//! The read cache. After a read, the head reads ahead while no other command needs it. The cache contains this data and
//! the data from earlier read-ahead. Each contiguous range has a segment; the least recently used one is replaced.

use super::DiskModel;
use super::geometry::Geometry;
use crate::sim::StateHash;

/// A contiguous range that was read.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    // The range in the cache. Ongoing read-ahead continues after `end`.
    start: u64,
    end: u64,
    // Where a sequential stream would continue.
    next: u64,
    // Sequence number of the last use.
    used: u64,
}

impl Segment {
    fn holds(&self, offset: u64, end: u64) -> bool {
        self.start <= offset && end <= self.end
    }

    fn forget(&mut self, size_bytes: u64) {
        self.start = self.start.max(self.end.saturating_sub(size_bytes));
    }
}

// Ongoing read-ahead: since when the head reads on from the end of a segment, and where it will stop.
#[derive(Clone, Copy, Debug)]
struct Growth {
    segment: usize,
    since_ns: u64,
    limit: u64,
    // Until when the head does not move to other commands.
    held_until_ns: u64,
}

/// All segments. One of them may be growing.
#[derive(Clone, Debug)]
pub struct ReadAhead {
    size_bytes: u64,
    held_bytes: u64,
    disk_bytes: u64,
    segments: Box<[Segment]>,
    growth: Option<Growth>,
    uses: u64,
}

impl ReadAhead {
    /// An empty cache.
    #[must_use]
    pub fn new(model: &DiskModel) -> Self {
        Self {
            size_bytes: model.read_ahead_bytes,
            held_bytes: model.read_ahead_bytes_min,
            disk_bytes: model.size_bytes,
            segments: vec![Segment::default(); model.read_ahead_segments as usize].into_boxed_slice(),
            growth: None,
            uses: 0,
        }
    }

    /// The head has read a range and now reads ahead. The range stays in the cache as far as it fits.
    ///
    /// If the read continues a stream that the head had left, the head stays for the minimum read-ahead. Otherwise it
    /// would alternate between several streams after every block.
    pub fn start_at(&mut self, geometry: &Geometry, offset: u64, end: u64, now_ns: u64) {
        if self.size_bytes == 0 {
            return;
        }
        let touching = |segment: &Segment| segment.used > 0 && (segment.start..=segment.end).contains(&offset);
        let growing = self.growth.map(|growth| growth.segment).filter(|at| touching(&self.segments[*at]));
        if let Some(at) = growing
            && end <= self.segments[at].end
        {
            self.use_segment(at, end);
            return;
        }
        let all = || self.segments.iter().enumerate();
        let youngest = || all().filter(|(_, each)| touching(each)).max_by_key(|(_, each)| each.used);
        let known = growing.or_else(|| youngest().map(|(at, _)| at));
        let oldest = || all().min_by_key(|(_, each)| each.used).map_or(0, |(at, _)| at);
        let at = known.unwrap_or_else(oldest);
        let continues = known.is_some() && self.segments[at].next == offset;
        if known.is_none() {
            self.segments[at] = Segment { start: offset, ..Segment::default() };
        }
        self.segments[at].end = end;
        self.use_segment(at, end);
        let held_until_ns = match self.growth.filter(|growth| growth.segment == at) {
            Some(growth) => growth.held_until_ns,
            None if continues => now_ns + self.minimum_ns(geometry, end),
            None => 0,
        };
        self.growth = Some(Growth { segment: at, since_ns: now_ns, limit: self.limit(end), held_until_ns });
        self.segments[at].forget(self.size_bytes);
    }

    // The time for the minimum read-ahead after a byte.
    fn minimum_ns(&self, geometry: &Geometry, end: u64) -> u64 {
        let held = self.disk_bytes.min(end + self.held_bytes.min(self.size_bytes));
        geometry.end_of(held).media_ns - geometry.end_of(end).media_ns
    }

    // The limit of read-ahead: one segment beyond the last read.
    fn limit(&self, end: u64) -> u64 {
        self.disk_bytes.min(end + self.size_bytes)
    }

    fn use_segment(&mut self, at: usize, end: u64) {
        self.uses += 1;
        self.segments[at].used = self.uses;
        self.segments[at].next = self.segments[at].next.max(end);
    }

    /// When the ongoing read-ahead will have read a range; None if it will not.
    #[must_use]
    pub fn read_by_ns(&self, geometry: &Geometry, offset: u64, end: u64) -> Option<u64> {
        let growth = self.growth.as_ref()?;
        let segment = &self.segments[growth.segment];
        if offset < segment.start || end > growth.limit {
            return None;
        }
        if end <= segment.end {
            return Some(0);
        }
        Some(growth.since_ns + (geometry.end_of(end).media_ns - geometry.end_of(segment.end).media_ns))
    }

    /// Whether the ongoing read-ahead will cover a range.
    #[must_use]
    pub fn covers(&self, offset: u64, end: u64) -> bool {
        self.growth.is_some_and(|growth| self.segments[growth.segment].start <= offset && end <= growth.limit)
    }

    /// Serves a read from the cache if all of its data is there by now. Extends ongoing read-ahead that has not reached
    /// its limit.
    pub fn hit(&mut self, geometry: &Geometry, offset: u64, end: u64, now_ns: u64) -> bool {
        if self.read_by_ns(geometry, offset, end).is_some_and(|read_by_ns| read_by_ns <= now_ns)
            && let Some(growth) = self.growth
        {
            self.use_segment(growth.segment, end);
            if self.reached(geometry, now_ns).is_some_and(|reached| reached < growth.limit) {
                let limit = self.limit(end.max(self.segments[growth.segment].end));
                self.segments[growth.segment].forget(self.size_bytes);
                self.growth = Some(Growth { limit, ..growth });
            }
            return true;
        }
        let known = self.segments.iter().position(|segment| segment.used > 0 && segment.holds(offset, end));
        if let Some(at) = known {
            self.use_segment(at, end);
        }
        known.is_some()
    }

    /// Where the head is, if it reads ahead.
    #[must_use]
    pub fn reached(&self, geometry: &Geometry, now_ns: u64) -> Option<u64> {
        let growth = self.growth.as_ref()?;
        let end = self.segments[growth.segment].end;
        Some(geometry.read_on(end, now_ns - growth.since_ns).min(growth.limit))
    }

    /// Until when the head stays; 0 if it may move.
    #[must_use]
    pub fn held_until_ns(&self) -> u64 {
        self.growth.map_or(0, |growth| growth.held_until_ns)
    }

    /// Ends read-ahead at a byte, because the head moves elsewhere.
    pub fn stop(&mut self, reached: u64) {
        if let Some(growth) = self.growth.take() {
            let segment = &mut self.segments[growth.segment];
            segment.end = reached;
            segment.forget(self.size_bytes);
        }
    }

    /// Empties the cache.
    pub fn clear(&mut self) {
        self.segments.fill(Segment::default());
        (self.growth, self.uses) = (None, 0);
    }

    /// Adds the whole state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        for segment in &self.segments {
            hash.add_all([segment.start, segment.end, segment.next, segment.used]);
        }
        if let Some(growth) = self.growth {
            hash.add_all([growth.segment as u64, growth.since_ns, growth.limit, growth.held_until_ns]);
        }
    }
}
