//! Completion: counts operations, and records faults.

use std::sync::atomic::Ordering;

use super::{FaultyCompletion, Machine, Next};
use crate::job::Sync;
use crate::record::{Class, FaultKind, Phase, SlowIo};
use crate::ring::Completion;

impl Machine {
    /// Accounts the completions of a poll.
    #[inline]
    pub fn complete(&mut self, now: u64, completions: &[Completion]) {
        if !completions.is_empty() {
            self.last_completion_ns = now;
            if self.drain_since_ns.is_some() {
                self.recorder.count_drained(completions.len() as u64);
                self.heard_ns.fetch_max(now, Ordering::Relaxed);
            }
        }
        for &completion in completions {
            let slot = &mut self.slots[completion.slot as usize];
            // All results are invalid if a ring reports completions of unknown operations.
            assert!(slot.in_flight, "a completion of an operation that is not in flight");
            slot.in_flight = false;
            self.in_flight -= 1;
            let class = slot.class;
            let moves_data = matches!(class, Class::Read | Class::Write);
            let expected = if moves_data { slot.length_bytes.cast_signed() } else { 0 };
            if completion.result == expected {
                self.count(completion.slot, now);
            } else {
                self.record_fault(completion, class, now);
            }
            if self.ledger.is_some() && self.slots[completion.slot as usize].next != Next::Retry {
                self.record_end(completion.slot, class, completion.result == expected);
            }
            let is_free = self.slots[completion.slot as usize].next == Next::New;
            if is_free {
                if self.ready.is_empty() {
                    self.ready_since_ns = now;
                }
                self.ready.push(completion.slot);
            } else {
                self.unfinished.push(completion.slot);
            }
        }
        if let Some(bursts) = &mut self.bursts
            && self.in_flight == 0
            && self.unfinished.is_empty()
        {
            bursts.all_completed(now);
        }
    }

    #[inline]
    pub(super) fn count(&mut self, number: u32, now: u64) {
        let slot = &mut self.slots[number as usize];
        let latency_ns = now - slot.submit_ns;
        if self.drain_since_ns.is_some() {
            self.censored.latency_ns_max = self.censored.latency_ns_max.max(latency_ns);
            return;
        }
        let tally = self.recorder.current();
        let bytes = u64::from(slot.length_bytes);
        let is_flush = slot.class == Class::Flush;
        if self.arrivals.is_some() {
            let (class, submitted_ns) =
                if is_flush { (Class::Commit, slot.commit_ns) } else { (slot.class, slot.submit_ns) };
            let host_lag_ns = submitted_ns.saturating_sub(slot.due_ns);
            tally.record_open_loop(class, now - slot.intended_ns, submitted_ns - slot.intended_ns, host_lag_ns);
        }
        if is_flush {
            tally.record(Class::Flush, latency_ns, 0);
            tally.record(Class::Commit, now - slot.commit_ns, bytes);
        } else {
            tally.record(slot.class, latency_ns, bytes);
            if slot.class == Class::Write && self.sync == Sync::Fdatasync {
                self.writes_to_flush -= 1;
                if self.writes_to_flush == 0 {
                    self.writes_to_flush = self.flush_every;
                    slot.next = Next::Flush;
                }
            }
        }
        if self.window.phase() == Phase::Measure {
            self.slowest.offer(SlowIo {
                operation: slot.class,
                latency_ns,
                reap_ns: now,
                target: 0,
                offset_bytes: slot.offset_bytes,
                length_bytes: if is_flush { 0 } else { bytes },
                host: None,
            });
        }
    }

    #[cold]
    pub(super) fn record_fault(&mut self, completion: Completion, class: Class, now: u64) {
        let slot = &mut self.slots[completion.slot as usize];
        let age_ns = now - slot.submit_ns;
        let faulty = FaultyCompletion { class, offset_bytes: slot.offset_bytes, result: completion.result, age_ns };
        if faulty.kind() == FaultKind::Retry {
            slot.next = Next::Retry;
            // After the end nothing is resubmitted, and the operation stays censored.
            if self.drain_since_ns.is_some() {
                return;
            }
        } else if slot.is_censored {
            // The operation is counted once: as a fault, and not as censored.
            slot.is_censored = false;
        }
        self.faults.record(faulty.kind(), class, faulty.errno(), faulty.offset_bytes);
        if faulty.kind() != FaultKind::Retry
            && let Some(failure) = faulty.ends_job(self.faults.failed(), self.failed_max)
        {
            self.fail(failure, now);
        }
    }
}
