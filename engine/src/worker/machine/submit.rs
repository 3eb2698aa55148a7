//! Submission: when a worker may submit, what it submits, and how long it waits.

use std::sync::atomic::Ordering;

use super::{Machine, Next, SLEEP_NS_MAX, WAKE_NS};
use crate::failure::{Failure, FailureKind};
use crate::job::Sync;
use crate::pattern::Direction;
use crate::record::Class;
use crate::ring::{Operation, Request, SharedBuffers};

impl Machine {
    // Whether an operation could be submitted now.
    #[inline]
    fn can_submit(&self, now: u64) -> bool {
        self.drain_since_ns.is_none()
            && (!self.unfinished.is_empty() || (!self.ready.is_empty() && self.next_arrival_ns() <= now))
    }

    /// Ends a job with an amount if it only waits for operations in flight. Called by a driver that knows that
    /// these will never complete. Returns true if it ended the job.
    pub fn starve(&mut self, now: u64) -> bool {
        let may_submit = !self.ready.is_empty() && self.next_arrival_ns() < u64::MAX;
        let only_waits = self.in_flight > 0 && !may_submit && self.unfinished.is_empty();
        let is_starved = only_waits && self.drain_since_ns.is_none() && self.window.has_amount();
        if is_starved {
            self.close(now);
        }
        is_starved
    }

    /// When to step the worker again if nothing completes before: at the end of an interval, at an arrival for which a
    /// slot is free, or when draining is given up.
    #[inline]
    pub fn deadline(&self) -> u64 {
        match self.give_up_ns() {
            Some(give_up_ns) => give_up_ns,
            None if self.ready.is_empty() => self.window.boundary_ns(),
            None => self.window.boundary_ns().min(self.next_arrival_ns()),
        }
    }

    // In a closed loop, an operation is due at the start of the job, and then whenever a slot is free, within the
    // on-times if it has a duty cycle.
    #[inline]
    pub(super) fn next_arrival_ns(&self) -> u64 {
        match (&self.arrivals, &self.bursts, &self.duty) {
            (Some(arrivals), _, _) => arrivals.next_ns(),
            (None, Some(bursts), _) => bursts.next_ns().max(self.start_ns),
            (None, None, Some(duty)) => duty.next_ns(),
            (None, None, None) => self.start_ns,
        }
    }

    /// Whether an operation may have to wait for its start time although a slot is free.
    #[inline]
    pub fn is_timed(&self) -> bool {
        self.arrivals.is_some() || self.bursts.is_some() || self.duty.is_some() || !self.has_begun
    }

    /// The number of completions that a driver may wait for, and how long. Without timed operations, `now` is not
    /// called.
    #[inline]
    pub fn wait_limits(&self, now: impl FnOnce() -> u64) -> (u32, u64) {
        if !self.is_timed() {
            let more_to_submit =
                self.drain_since_ns.is_none() && !(self.ready.is_empty() && self.unfinished.is_empty());
            return (u32::from(!more_to_submit && self.in_flight > 0), SLEEP_NS_MAX);
        }
        let now = now();
        if self.can_submit(now) {
            return (0, 0);
        }
        // The worker spins for the last part before an arrival, because the kernel wakes threads late.
        let left_ns = self.deadline().saturating_sub(now).min(SLEEP_NS_MAX);
        if left_ns > WAKE_NS { (1, left_ns - WAKE_NS) } else { (0, 0) }
    }

    /// Plans operations that can be submitted now, up to `most` in the batch. Returns the size of the batch.
    #[inline]
    pub fn plan(&mut self, now: u64, most: usize, buffers: &mut SharedBuffers) -> usize {
        if self.drain_since_ns.is_some() {
            return 0;
        }
        let is_timed = self.is_timed();
        if let Some(duty) = &mut self.duty {
            duty.advance(now);
        }
        while self.batch.len() < most {
            let is_early = is_timed && self.next_arrival_ns() > now;
            let slot = self.unfinished.pop().or_else(|| if is_early { None } else { self.ready.pop() });
            let Some(slot) = slot else { break };
            if self.prepare(slot, buffers) {
                self.batch.push(slot);
            } else if let Some(most) = self.accesses.exceeded() {
                self.reach_limit(most, now);
                break;
            } else {
                self.exhausted = true;
            }
        }
        self.batch.len()
    }

    /// Starts all planned operations. A driver reads the clock between [`Machine::plan`] and this call, because an
    /// SQPOLL thread may start the first operation while the second is being pushed. It submits after this call.
    #[inline]
    pub fn begin(&mut self, now: u64, mut push: impl FnMut(Request)) {
        self.has_begun = true;
        self.integrate(now);
        self.in_flight += u32::try_from(self.batch.len()).expect("a batch is no larger than the queue");
        for index in 0..self.batch.len() {
            let number = self.batch[index];
            let slot = &mut self.slots[number as usize];
            // The latency of a retried operation counts from its first submission.
            if slot.next != Next::Retry {
                slot.submit_ns = now;
            }
            slot.next = Next::New;
            slot.in_flight = true;
            push(self.request(number));
        }
        self.batch.clear();
    }

    // Ends the job on all workers, since the next write would exceed the limit.
    #[cold]
    fn reach_limit(&mut self, most: u64, now: u64) {
        let message = format!("the limit of {most} bytes written is reached");
        self.stop.store(true, Ordering::Relaxed);
        self.fail(Failure::new(FailureKind::Limit, message), now);
    }

    // Prepares the next operation of a slot; false if the job's amount is used up.
    #[inline]
    fn prepare(&mut self, number: u32, buffers: &mut SharedBuffers) -> bool {
        let slot = &mut self.slots[number as usize];
        match slot.next {
            Next::Retry => (),
            Next::Flush => {
                slot.commit_ns = slot.submit_ns;
                slot.class = Class::Flush;
            }
            Next::New => {
                let Some(access) = self.accesses.draw() else { return false };
                match (&mut self.arrivals, &mut self.bursts) {
                    (None, None) => (),
                    (Some(arrivals), _) => {
                        slot.intended_ns = arrivals.take();
                        slot.due_ns = slot.intended_ns.max(self.ready_since_ns);
                    }
                    (None, Some(bursts)) => bursts.take(),
                }
                slot.class = access.class;
                slot.offset_bytes = access.offset_bytes;
                slot.length_bytes = access.length_bytes;
                let direction = if access.class == Class::Read { Direction::Read } else { Direction::Write };
                slot.buffer_at = match &mut self.payload {
                    Some(payload) if access.class != Class::Trim => {
                        payload.prepare(buffers, number, direction, access.offset_bytes, access.length_bytes)
                    }
                    _ => 0,
                };
                if self.ledger.is_some() {
                    self.record_start(number, buffers);
                }
            }
        }
        true
    }

    #[inline]
    fn request(&self, number: u32) -> Request {
        let slot = &self.slots[number as usize];
        Request {
            operation: match (slot.class, self.sync) {
                (Class::Read, _) => Operation::Read,
                (Class::Write, Sync::Dsync) => Operation::WriteDsync,
                (Class::Write, _) => Operation::Write,
                (Class::Trim, _) => Operation::Trim,
                (Class::Flush | Class::Commit, _) => Operation::Flush,
            },
            slot: number,
            offset_bytes: slot.offset_bytes,
            buffer_at: slot.buffer_at,
            length_bytes: slot.length_bytes,
        }
    }
}
