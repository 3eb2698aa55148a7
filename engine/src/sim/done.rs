//! Requests whose end is known, until somebody takes them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// By time, then by arrival: whoever came first goes first.
#[derive(Clone, Debug, Default)]
pub struct Done(BinaryHeap<Reverse<(u64, u64, u64, i32)>>);

impl Done {
    /// Adds a request, the `order`-th to arrive.
    #[inline]
    pub fn push(&mut self, done_ns: u64, order: u64, ticket: u64, result: i32) {
        self.0.push(Reverse((done_ns, order, ticket, result)));
    }

    /// When the next one is done; `u64::MAX` while there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.0.peek().map_or(u64::MAX, |Reverse((done_ns, ..))| *done_ns)
    }

    /// The next one that is done by now: its ticket and its result.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        if self.next_ns() > now_ns {
            return None;
        }
        let Reverse((_, _, ticket, result)) = self.0.pop()?;
        Some((ticket, result))
    }

    /// Takes out all that would be done later than a time: order and ticket of each.
    pub fn take_later(&mut self, than_ns: u64) -> Vec<(u64, u64)> {
        let (kept, late): (Vec<_>, Vec<_>) = self.0.drain().partition(|Reverse((done_ns, ..))| *done_ns <= than_ns);
        self.0 = kept.into();
        late.into_iter().map(|Reverse((_, order, ticket, _))| (order, ticket)).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
