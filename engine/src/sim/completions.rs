//! Requests with a known completion time, until they are reaped.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

// Completion time, order of arrival, tag and result.
type Entry = (u64, u64, u64, i32);

/// A queue ordered by completion time, then by arrival.
///
/// Most requests complete later than all earlier ones and are appended. Only the other requests go through a heap.
#[derive(Clone, Debug, Default)]
pub struct CompletionQueue {
    in_order: VecDeque<Entry>,
    others: BinaryHeap<Reverse<Entry>>,
}

impl CompletionQueue {
    /// Adds a request; `order` is its sequence number by arrival.
    #[inline]
    pub fn push(&mut self, done_ns: u64, order: u64, tag: u64, result: i32) {
        let entry = (done_ns, order, tag, result);
        if self.in_order.back().is_none_or(|last| *last < entry) {
            self.in_order.push_back(entry);
        } else {
            self.others.push(Reverse(entry));
        }
    }

    /// The next completion time; `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        let queued_ns = self.in_order.front().map_or(u64::MAX, |(done_ns, ..)| *done_ns);
        self.others.peek().map_or(queued_ns, |Reverse((done_ns, ..))| queued_ns.min(*done_ns))
    }

    /// Removes the next request that is complete: its tag and its result.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        if self.next_ns() > now_ns {
            return None;
        }
        let is_queued = match (self.in_order.front(), self.others.peek()) {
            (Some(queued), Some(Reverse(other))) => queued < other,
            (queued, _) => queued.is_some(),
        };
        let (_, _, tag, result) =
            if is_queued { self.in_order.pop_front() } else { self.others.pop().map(|Reverse(entry)| entry) }?;
        Some((tag, result))
    }

    /// Removes all requests that would complete later than the given time. Returns order and tag of each.
    pub fn take_later(&mut self, than_ns: u64) -> Vec<(u64, u64)> {
        let all = self.in_order.drain(..).chain(self.others.drain().map(|Reverse(entry)| entry));
        let (mut kept, late): (Vec<Entry>, Vec<Entry>) = all.partition(|(done_ns, ..)| *done_ns <= than_ns);
        kept.sort_unstable();
        self.in_order = kept.into();
        late.into_iter().map(|(_, order, tag, _)| (order, tag)).collect()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.in_order.len() + self.others.len()
    }
}
