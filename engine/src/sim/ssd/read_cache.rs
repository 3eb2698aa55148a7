//! The read cache: pages that were read ahead of a sequential stream or, if the cache keeps them, read before.

use std::collections::{HashMap, VecDeque};

use super::model::{PAGE_BYTES, ReadCacheModel};
use crate::sim::StateHash;

/// The number of sequential streams that the drive follows at the same time.
const STREAMS: usize = 16;

/// The read cache of a drive. The oldest page leaves first.
#[derive(Clone, Debug)]
pub struct ReadCache {
    pages_max: usize,
    ahead_pages: u32,
    keeps_pages: bool,
    // When each page is in the cache, and the number of its entry in the order.
    ready: HashMap<u32, (u64, u64)>,
    order: VecDeque<(u32, u64)>,
    entries: u64,
    // The page that continues each stream, and the end of what was read ahead for it. The oldest stream is first.
    streams: VecDeque<(u32, u32)>,
}

impl ReadCache {
    /// An empty cache.
    pub fn new(model: &ReadCacheModel) -> Self {
        Self {
            pages_max: usize::try_from(model.size_bytes / PAGE_BYTES).expect("the check bounds it"),
            ahead_pages: u32::try_from(model.read_ahead_bytes / PAGE_BYTES).expect("the check bounds it"),
            keeps_pages: model.keeps_pages,
            ready: HashMap::new(),
            order: VecDeque::new(),
            entries: 0,
            streams: VecDeque::new(),
        }
    }

    /// When a page is in the cache; None if it has to be read from the media. Without `keeps_pages` it then leaves.
    pub fn take(&mut self, page: u32) -> Option<u64> {
        if self.keeps_pages {
            self.ready.get(&page).map(|entry| entry.0)
        } else {
            self.ready.remove(&page).map(|entry| entry.0)
        }
    }

    /// Stores pages that were read on request, if the cache keeps them.
    pub fn keep(&mut self, first: u32, count: u32, ready_ns: u64) {
        if self.keeps_pages {
            self.store(first, count, ready_ns);
        }
    }

    /// Stores pages that were read ahead.
    pub fn store(&mut self, first: u32, count: u32, ready_ns: u64) {
        for page in first..first + count {
            self.entries += 1;
            self.ready.insert(page, (ready_ns, self.entries));
            self.order.push_back((page, self.entries));
        }
        while self.ready.len() > self.pages_max || self.order.len() > 2 * self.pages_max {
            let Some((page, entry)) = self.order.pop_front() else { break };
            // A page that was stored again later has a newer entry.
            if self.ready.get(&page).is_some_and(|kept| kept.1 == entry) {
                self.ready.remove(&page);
            }
        }
    }

    /// Removes pages whose content changed.
    pub fn forget(&mut self, first: u32, count: u32) {
        if self.ready.is_empty() {
            return;
        }
        for page in first..first + count {
            self.ready.remove(&page);
        }
    }

    /// The pages to read ahead after a read of `count` pages from `first` on: first page and number. `end` is the
    /// number of pages of the drive. None if the read does not continue a stream.
    pub fn ahead_of(&mut self, first: u32, count: u32, end: u32) -> Option<(u32, u32)> {
        let next = first + count;
        let Some(index) = self.streams.iter().position(|stream| stream.0 == first) else {
            if self.streams.len() == STREAMS {
                self.streams.pop_front();
            }
            self.streams.push_back((next, next));
            return None;
        };
        let (_, ahead) = self.streams.remove(index)?;
        let from = ahead.max(next);
        let until = next.saturating_add(self.ahead_pages).min(end).max(from);
        self.streams.push_back((next, until));
        (from < until).then_some((from, until - from))
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        for &(page, entry) in &self.order {
            if let Some(kept) = self.ready.get(&page).filter(|kept| kept.1 == entry) {
                hash.add(u64::from(page));
                hash.add(kept.0);
            }
        }
        for &(next, ahead) in &self.streams {
            hash.add(u64::from(next));
            hash.add(u64::from(ahead));
        }
    }
}
