//! How many operations are handed over in one go. All that is done is taken back at each look.
//!
//! A batch is stamped once, and the kernel holds its first back until it has taken its last: with half of a queue, one of
//! 32 ran 3 short on a virtual disk and gave up a tenth of its throughput; with an eighth it keeps up with an engine that
//! hands over one by one, at a third less CPU time. Shallow queues are served one by one, up to four where as many came
//! back together; with all that came back, queues of 8 to 32 gave up a tenth of their throughput.
//!
//! Where all of a batch is back by the time the kernel returns, it was not the target that was waited for: nothing would
//! be in flight beyond a batch, whatever the queue's depth. There the batch grows, until the queue is full.

/// The part of a queue that makes a batch while operations wait for the target.
const PART: u32 = 8;
/// Operations in such a batch, at most: beyond it a larger one saves next to nothing, and makes stamps coarser.
const WAITING_MAX: u32 = 32;
/// Operations in any batch, at most.
const MOST: u32 = 128;
/// So many that came back in one look are replaced in one call, where the batch is smaller.
const TOGETHER_MAX: u32 = 4;
/// So many full batches have to be back at once, one after the other, before the next is twice as large.
const ROUNDS: u32 = 64;
/// The same, where batches that had grown came back late again and again.
const ROUNDS_MAX: u32 = 1 << 20;

/// The size of a worker's batches.
#[derive(Debug)]
pub struct BatchSize {
    least: u32,
    most: u32,
    now: u32,
    found: u32,
    largest: u32,
    rounds: u32,
    rounds_needed: u32,
}

impl BatchSize {
    /// For a queue with so many slots.
    #[must_use]
    pub fn of(slots: u32) -> Self {
        let least = (slots / PART).clamp(1, WAITING_MAX);
        let most = slots.clamp(1, MOST);
        Self { least, most, now: least, found: 0, largest: least, rounds: 0, rounds_needed: ROUNDS }
    }

    /// Operations in the next batch, at most.
    #[inline]
    #[must_use]
    pub fn now(&self) -> usize {
        self.now.max(self.found.min(TOGETHER_MAX)) as usize
    }

    /// Operations in a batch, at most, however many are back at once.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The largest that it has been.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// What came of a round: how many operations it handed over and how many came back, whether it waited, and how many are
    /// still in flight.
    #[inline]
    pub fn learn(&mut self, handed_over: usize, found: usize, waited: bool, in_flight: u32) {
        self.found = u32::try_from(found).unwrap_or(u32::MAX);
        self.largest = self.largest.max(u32::try_from(handed_over).unwrap_or(u32::MAX));
        if in_flight > 0 {
            self.rounds = 0;
            if self.now > self.least {
                self.shrink();
            }
        } else if self.now < self.most && !waited && handed_over >= self.now as usize {
            self.rounds += 1;
            if self.rounds == self.rounds_needed {
                self.rounds = 0;
                self.now = (self.now * 2).min(self.most);
                self.largest = self.largest.max(self.now);
            }
        }
    }

    #[cold]
    fn shrink(&mut self) {
        self.now = self.least;
        self.rounds_needed = (self.rounds_needed * 2).min(ROUNDS_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_rounds(mut size: BatchSize, rounds: u32, waited: bool, in_flight: u32) -> BatchSize {
        for _ in 0..rounds {
            size.learn(size.now(), size.now(), waited, in_flight);
        }
        size
    }

    #[test]
    fn a_shallow_queue_is_served_one_by_one() {
        assert_eq!(BatchSize::of(8).now(), 1);
        assert_eq!(BatchSize::of(32).now(), 4);
        assert_eq!(BatchSize::of(1024).now(), 32);
    }

    #[test]
    fn what_came_back_together_is_replaced_together_up_to_four() {
        for (found, launched) in [(1, 1), (3, 3), (4, 4), (8, 4)] {
            let mut size = BatchSize::of(8);
            size.learn(1, found, true, 7);
            assert_eq!(size.now(), launched, "{found} came back");
        }
    }

    #[test]
    fn batches_grow_to_the_whole_queue_where_each_is_back_at_once() {
        let size = after_rounds(BatchSize::of(32), 10 * ROUNDS, false, 0);
        assert_eq!((size.now(), size.largest()), (32, 32));
        assert_eq!(after_rounds(BatchSize::of(4096), 10 * ROUNDS, false, 0).now(), MOST as usize);
    }

    #[test]
    fn batches_stay_where_operations_wait_for_the_target() {
        assert_eq!(after_rounds(BatchSize::of(32), 10 * ROUNDS, false, 28).largest(), 4);
    }

    #[test]
    fn batches_stay_where_the_worker_waited_until_all_was_back() {
        assert_eq!(after_rounds(BatchSize::of(32), 10 * ROUNDS, true, 0).largest(), 4);
    }

    #[test]
    fn batches_stay_where_there_is_too_little_to_fill_them() {
        let mut size = BatchSize::of(32);
        for _ in 0..10 * ROUNDS {
            size.learn(1, 1, false, 0);
        }
        assert_eq!(size.largest(), 4);
    }

    #[test]
    fn a_batch_that_had_grown_is_small_again_once_operations_wait_and_grows_more_slowly() {
        let mut size = after_rounds(BatchSize::of(32), 10 * ROUNDS, false, 0);
        size.learn(32, 29, false, 3);
        assert_eq!((size.now(), size.largest()), (4, 32));
        let size = after_rounds(size, ROUNDS, false, 0);
        assert_eq!(size.now(), 4);
        assert_eq!(after_rounds(size, ROUNDS, false, 0).now(), 8);
    }
}
