//! The write buffer: a write is acknowledged once it is in the buffer, and leaves it when its unit is programmed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::sim::StateHash;

/// Pages that are acknowledged but not yet on the media.
#[derive(Clone, Debug)]
pub struct Buffer {
    pages: u64,
    held: u64,
    // Program completion times of units, and the number of host pages that leave at each.
    leaving: BinaryHeap<Reverse<(u64, u64)>>,
    durable_ns: u64,
}

impl Buffer {
    /// An empty buffer.
    pub fn new(pages: u64) -> Self {
        Self { pages, held: 0, leaving: BinaryHeap::new(), durable_ns: 0 }
    }

    /// Accepts a page that arrives at `at_ns`. Returns when it is in the buffer, which is later if the buffer is full.
    #[inline]
    pub fn admit(&mut self, at_ns: u64) -> u64 {
        let mut in_ns = at_ns;
        while let Some(&Reverse((done_ns, pages))) = self.leaving.peek() {
            if done_ns > in_ns && self.held < self.pages {
                break;
            }
            in_ns = in_ns.max(done_ns);
            self.held -= pages;
            self.leaving.pop();
        }
        self.held += 1;
        in_ns
    }

    /// Schedules pages to leave the buffer.
    pub fn release(&mut self, done_ns: u64, pages: u64) {
        self.leaving.push(Reverse((done_ns, pages)));
        self.durable_ns = self.durable_ns.max(done_ns);
    }

    /// When everything that is being programmed is on the media.
    pub fn durable_ns(&self) -> u64 {
        self.durable_ns
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        let mut leaving: Vec<(u64, u64)> = self.leaving.iter().map(|entry| entry.0).collect();
        leaving.sort_unstable();
        for (done_ns, pages) in leaving {
            hash.add(done_ns);
            hash.add(pages);
        }
        hash.add(self.held);
        hash.add(self.durable_ns);
    }
}
