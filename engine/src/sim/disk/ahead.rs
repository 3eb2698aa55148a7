//! The track buffer: what a head reads on behind a read, as long as nobody wants it elsewhere.

use super::geometry::Geometry;
use crate::sim::StateHash;

/// One stretch that was read, and may still be growing.
#[derive(Clone, Debug, Default)]
pub struct ReadAhead {
    size_bytes: u64,
    disk_bytes: u64,
    // In the buffer without doubt.
    start: u64,
    end: u64,
    // While the head reads on: when it was at `end`, and where it will stop.
    since_ns: Option<u64>,
    limit: u64,
}

impl ReadAhead {
    /// An empty buffer.
    #[must_use]
    pub fn new(size_bytes: u64, disk_bytes: u64) -> Self {
        Self { size_bytes, disk_bytes, ..Self::default() }
    }

    /// The head has read a stretch, and reads on from now on. What is behind it stays in the buffer as far as there is room.
    pub fn go_on(&mut self, offset: u64, end: u64, now_ns: u64) {
        if self.size_bytes == 0 {
            return;
        }
        if !(self.start..=self.end).contains(&offset) {
            self.start = offset;
        } else if self.is_going_on() && end <= self.end {
            return;
        }
        self.end = end;
        self.since_ns = Some(now_ns);
        self.want(end);
    }

    // Keeps the limit as far ahead of what was read last as the buffer is large.
    fn want(&mut self, end: u64) {
        self.limit = self.disk_bytes.min(end + self.size_bytes);
        self.start = self.start.max(self.end.saturating_sub(self.size_bytes));
    }

    /// When a stretch will have been read without moving the head elsewhere; None if it never will.
    #[must_use]
    pub fn read_by_ns(&self, geometry: &Geometry, offset: u64, end: u64) -> Option<u64> {
        if offset < self.start || offset > self.limit {
            return None;
        }
        if end <= self.end {
            return Some(0);
        }
        let since_ns = self.since_ns.filter(|_| end <= self.limit)?;
        Some(since_ns + (geometry.end_of(end).media_ns - geometry.end_of(self.end).media_ns))
    }

    /// Whether the head that reads on will have read a stretch.
    #[must_use]
    pub fn covers(&self, offset: u64, end: u64) -> bool {
        self.is_going_on() && (self.start..=self.limit).contains(&offset) && end <= self.limit
    }

    /// A read was served from here: the head may go on further, unless it has reached its limit before.
    pub fn served(&mut self, geometry: &Geometry, end: u64, now_ns: u64) {
        if self.since_ns.is_some() && self.reached(geometry, now_ns) < self.limit {
            self.want(end.max(self.end));
        }
    }

    /// Where the head is, if it reads on; else where it has stopped.
    #[must_use]
    pub fn reached(&self, geometry: &Geometry, now_ns: u64) -> u64 {
        let Some(since_ns) = self.since_ns else { return self.end };
        geometry.read_on(self.end, now_ns - since_ns).min(self.limit)
    }

    /// Whether the head reads on.
    #[must_use]
    pub fn is_going_on(&self) -> bool {
        self.since_ns.is_some()
    }

    /// The head is wanted elsewhere, and has reached a byte.
    pub fn stop(&mut self, reached: u64) {
        self.end = reached;
        self.since_ns = None;
        self.limit = self.end;
        self.start = self.start.max(self.end.saturating_sub(self.size_bytes));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.size_bytes, self.disk_bytes);
    }

    /// Adds the whole state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        let since_ns = self.since_ns.unwrap_or(u64::MAX);
        hash.add_all([self.start, self.end, since_ns, self.limit]);
    }
}
