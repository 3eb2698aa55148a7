//! Requests whose end is known, until somebody takes them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

// When it is done, which to arrive it was, whose it is, and its result: by time, then by arrival.
type Entry = (u64, u64, u64, i32);

/// By time, then by arrival: whoever came first goes first.
///
/// Most requests are done later than all before them. Those queue up; only the others need to be sorted in.
#[derive(Clone, Debug, Default)]
pub struct Done {
    in_order: VecDeque<Entry>,
    others: BinaryHeap<Reverse<Entry>>,
}

impl Done {
    /// Adds a request, the `order`-th to arrive.
    #[inline]
    pub fn push(&mut self, done_ns: u64, order: u64, ticket: u64, result: i32) {
        let entry = (done_ns, order, ticket, result);
        if self.in_order.back().is_none_or(|last| *last < entry) {
            self.in_order.push_back(entry);
        } else {
            self.others.push(Reverse(entry));
        }
    }

    /// When the next one is done; `u64::MAX` while there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        let queued_ns = self.in_order.front().map_or(u64::MAX, |(done_ns, ..)| *done_ns);
        self.others.peek().map_or(queued_ns, |Reverse((done_ns, ..))| queued_ns.min(*done_ns))
    }

    /// The next one that is done by now: its ticket and its result.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        if self.next_ns() > now_ns {
            return None;
        }
        let is_queued = match (self.in_order.front(), self.others.peek()) {
            (Some(queued), Some(Reverse(other))) => queued < other,
            (queued, _) => queued.is_some(),
        };
        let (_, _, ticket, result) =
            if is_queued { self.in_order.pop_front() } else { self.others.pop().map(|Reverse(entry)| entry) }?;
        Some((ticket, result))
    }

    /// Takes out all that would be done later than a time: order and ticket of each.
    pub fn take_later(&mut self, than_ns: u64) -> Vec<(u64, u64)> {
        let all = self.in_order.drain(..).chain(self.others.drain().map(|Reverse(entry)| entry));
        let (mut kept, late): (Vec<Entry>, Vec<Entry>) = all.partition(|(done_ns, ..)| *done_ns <= than_ns);
        kept.sort_unstable();
        self.in_order = kept.into();
        late.into_iter().map(|(_, order, ticket, _)| (order, ticket)).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.in_order.len() + self.others.len()
    }
}
