//! Submission batch sizes. Each poll of the completion queue reaps everything that has completed.
//!
//! A batch has one submission timestamp, and the kernel starts its first operation only after accepting the last. On a
//! virtual disk, batches of half a queue of depth 32 reduced the achieved queue depth by 3 and throughput by a tenth.
//! With batches of an eighth of the queue, throughput equals that of an engine that submits operations one by one, and
//! CPU time is a third less. In shallow queues, operations are replaced one by one, or up to four if that many
//! completed together. Replacing all completed operations in one batch cost a tenth of the throughput at queue depths
//! of 8 to 32.
//!
//! If a whole batch has completed by the time the kernel returns, the target is not the bottleneck, and at most one
//! batch is in flight, regardless of the queue depth. In that case the batch grows, up to the whole queue.

/// While operations wait for the target, a batch is this fraction of the queue: one eighth.
const PART: u32 = 8;
/// The largest batch while operations wait for the target. Larger batches save little, and timestamps become coarser.
const WAITING_MAX: u32 = 32;
/// The largest batch.
const MOST: u32 = 128;
/// Up to this many operations that completed together are replaced in one call, if the batch is smaller.
const TOGETHER_MAX: u32 = 4;
/// The number of consecutive full batches that have to complete within their submission before the batch size doubles.
const ROUNDS: u32 = 64;
/// The maximum of that number. It doubles each time operations of a grown batch are still in flight.
const ROUNDS_MAX: u32 = 1 << 20;

/// The batch size of a worker.
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
    /// The initial batch size for a queue with that many slots.
    #[must_use]
    pub fn of(slots: u32) -> Self {
        let least = (slots / PART).clamp(1, WAITING_MAX);
        let most = slots.clamp(1, MOST);
        Self { least, most, now: least, found: 0, largest: least, rounds: 0, rounds_needed: ROUNDS }
    }

    /// The largest size of the next batch.
    #[inline]
    #[must_use]
    pub fn now(&self) -> usize {
        self.now.max(self.found.min(TOGETHER_MAX)) as usize
    }

    /// The largest possible batch.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The largest batch so far.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// Updates the size after a round: operations submitted and reaped, whether the worker waited, and operations still
    /// in flight.
    #[inline]
    pub fn update(&mut self, submitted: usize, found: usize, waited: bool, in_flight: u32) {
        self.found = u32::try_from(found).unwrap_or(u32::MAX);
        self.largest = self.largest.max(u32::try_from(submitted).unwrap_or(u32::MAX));
        if in_flight > 0 {
            self.rounds = 0;
            if self.now > self.least {
                self.shrink();
            }
        } else if self.now < self.most && !waited && submitted >= self.now as usize {
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
            size.update(size.now(), size.now(), waited, in_flight);
        }
        size
    }

    #[test]
    fn a_shallow_queue_is_refilled_one_by_one() {
        assert_eq!(BatchSize::of(8).now(), 1);
        assert_eq!(BatchSize::of(32).now(), 4);
        assert_eq!(BatchSize::of(1024).now(), 32);
    }

    #[test]
    fn up_to_four_operations_that_completed_together_are_replaced_together() {
        for (found, submitted) in [(1, 1), (3, 3), (4, 4), (8, 4)] {
            let mut size = BatchSize::of(8);
            size.update(1, found, true, 7);
            assert_eq!(size.now(), submitted, "{found} completed");
        }
    }

    #[test]
    fn batches_grow_to_the_whole_queue_if_each_completes_at_once() {
        let size = after_rounds(BatchSize::of(32), 10 * ROUNDS, false, 0);
        assert_eq!((size.now(), size.largest()), (32, 32));
        assert_eq!(after_rounds(BatchSize::of(4096), 10 * ROUNDS, false, 0).now(), MOST as usize);
    }

    #[test]
    fn batches_stay_small_while_operations_wait_for_the_target() {
        assert_eq!(after_rounds(BatchSize::of(32), 10 * ROUNDS, false, 28).largest(), 4);
    }

    #[test]
    fn batches_stay_small_if_the_worker_waited_for_them() {
        assert_eq!(after_rounds(BatchSize::of(32), 10 * ROUNDS, true, 0).largest(), 4);
    }

    #[test]
    fn batches_stay_small_if_they_are_not_full() {
        let mut size = BatchSize::of(32);
        for _ in 0..10 * ROUNDS {
            size.update(1, 1, false, 0);
        }
        assert_eq!(size.largest(), 4);
    }

    #[test]
    fn a_grown_batch_shrinks_once_operations_wait_and_regrows_more_slowly() {
        let mut size = after_rounds(BatchSize::of(32), 10 * ROUNDS, false, 0);
        size.update(32, 29, false, 3);
        assert_eq!((size.now(), size.largest()), (4, 32));
        let size = after_rounds(size, ROUNDS, false, 0);
        assert_eq!(size.now(), 4);
        assert_eq!(after_rounds(size, ROUNDS, false, 0).now(), 8);
    }
}
