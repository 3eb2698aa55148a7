//! The reap interval: the time between two polls of the completion queue, which bounds the error of every latency.

use crate::job::{Engine, Job};
use crate::record::{Histogram, Phase, TimeDistribution};

/// One round in 64 is sampled. A sample costs one system call.
const ROUNDS: u64 = 64;

/// Samples reap intervals, and estimates the backlog of completions not yet reaped.
pub struct ReapIntervals {
    rounds_left: u64,
    polled_ns: u64,
    timed_ns: u64,
    gaps: TimeDistribution,
    sweep_ns_max: u64,
}

/// The submission of a round.
#[derive(Clone, Copy, Debug)]
pub struct Submission {
    /// Operations submitted; if 0, `at_ns` is meaningless.
    pub count: usize,
    /// Time of the submission.
    pub at_ns: u64,
    /// Operations in flight before.
    pub older: u32,
}

impl ReapIntervals {
    /// Disabled for engines whose system call is the operation itself, and in virtual time.
    #[must_use]
    pub fn of(job: &Job, start_ns: u64) -> Self {
        let timed = matches!(job.engine, Engine::IoUring | Engine::Passthrough | Engine::Nop | Engine::Null);
        let (rounds_left, room) = if timed { (ROUNDS, Histogram::new()) } else { (u64::MAX, Histogram::absent()) };
        Self {
            rounds_left,
            polled_ns: start_ns,
            timed_ns: start_ns,
            gaps: TimeDistribution::new(room),
            sweep_ns_max: 0,
        }
    }

    /// Whether the next round is sampled: it submits, and polls without waiting.
    #[inline]
    pub fn is_next_timed(&mut self) -> bool {
        self.rounds_left -= 1;
        self.rounds_left == 0
    }

    /// Records a poll from `begin_ns` (0 if that was not timed) to `end_ns` that reaped `found` completions, after a
    /// submission.
    ///
    /// Returns the backlog if the round was sampled, otherwise 0. The backlog is the number of completed but not reaped
    /// operations, integrated over time, for this round and for the rounds that the sample represents.
    ///
    /// The estimate assumes that completions arrive evenly while the worker is busy. Reaped operations from earlier
    /// submissions waited for half of the time since the last poll on average. Reaped operations from this submission
    /// completed one after the other within the call, the last one when it returned. There is no backlog while the
    /// worker sleeps, because the first completion wakes it.
    ///
    /// A long sampled round is not representative of shorter ones, so the backlog of the other rounds is limited to the
    /// operations in flight.
    #[inline]
    pub fn record_poll(
        &mut self,
        begin_ns: u64,
        end_ns: u64,
        found: usize,
        submission: Submission,
        phase: Option<Phase>,
    ) -> u64 {
        if begin_ns > 0 && phase == Some(Phase::Measure) {
            self.sweep_ns_max = self.sweep_ns_max.max(end_ns - begin_ns);
        }
        // Polls before the start are ignored.
        let is_before = end_ns < self.polled_ns;
        let gap_ns = end_ns.saturating_sub(self.polled_ns);
        self.polled_ns = self.polled_ns.max(end_ns);
        if self.rounds_left > 0 {
            return 0;
        }
        self.rounds_left = ROUNDS;
        if phase == Some(Phase::Measure) && !is_before {
            self.gaps.record(gap_ns);
        }
        let others_ns = end_ns.saturating_sub(self.timed_ns).saturating_sub(gap_ns);
        self.timed_ns = self.timed_ns.max(end_ns);
        if phase.is_none() {
            return 0;
        }
        let older = u64::from(submission.older).min(found as u64);
        let younger = (found as u64 - older).saturating_sub(1);
        let call_ns = end_ns.saturating_sub(submission.at_ns);
        let own_ns = older.saturating_mul(gap_ns).saturating_add(younger.saturating_mul(call_ns)) / 2;
        let present = u64::from(submission.older).saturating_add(submission.count as u64);
        own_ns.saturating_add(own_ns.saturating_mul(ROUNDS - 1).min(present.saturating_mul(others_ns)))
    }

    /// The longest poll.
    #[must_use]
    pub fn sweep_ns_max(&self) -> u64 {
        self.sweep_ns_max
    }

    /// The sampled reap intervals.
    #[must_use]
    pub fn gaps(self) -> TimeDistribution {
        self.gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    fn intervals() -> ReapIntervals {
        ReapIntervals {
            rounds_left: 1,
            polled_ns: 0,
            timed_ns: 0,
            gaps: TimeDistribution::new(Histogram::new()),
            sweep_ns_max: 0,
        }
    }

    // The backlog of a sampled poll whose round takes `gap_ns`, after unsampled rounds of 10 µs.
    fn backlog_ns(gap_ns: u64, found: usize, submission: Submission) -> u64 {
        let mut intervals = intervals();
        intervals.rounds_left = ROUNDS;
        for round in 1..ROUNDS {
            assert!(!intervals.is_next_timed());
            let none = Submission { count: 0, at_ns: u64::MAX, older: submission.older };
            assert_eq!(intervals.record_poll(0, round * 10 * US, 0, none, Some(Phase::Measure)), 0);
        }
        assert!(intervals.is_next_timed());
        let begin_ns = (ROUNDS - 1) * 10 * US;
        let submission = Submission { at_ns: submission.at_ns.saturating_add(begin_ns), ..submission };
        intervals.record_poll(begin_ns + gap_ns, begin_ns + gap_ns, found, submission, Some(Phase::Measure))
    }

    #[test]
    fn half_of_the_earlier_operations_waited_on_average() {
        let submission = Submission { count: 0, at_ns: u64::MAX, older: 8 };
        assert_eq!(backlog_ns(10 * US, 2, submission), 2 * 10 * US / 2 * ROUNDS);
    }

    #[test]
    fn an_operation_completed_within_its_call_did_not_wait() {
        assert_eq!(backlog_ns(10 * US, 1, Submission { count: 1, at_ns: 0, older: 0 }), 0);
    }

    #[test]
    fn operations_completed_within_one_call_waited_for_those_after_them() {
        // The call takes 8 µs, with a completion every 2 µs: the first waits for 6 µs, the last does not wait.
        assert_eq!(backlog_ns(10 * US, 4, Submission { count: 4, at_ns: 2 * US, older: 0 }), 3 * 8 * US / 2 * ROUNDS);
    }

    #[test]
    fn a_long_round_adds_at_most_the_operations_in_flight_for_the_others() {
        let (long_ns, others_ns) = (100_000 * US, (ROUNDS - 1) * 10 * US);
        let told_ns = backlog_ns(long_ns, 8, Submission { count: 0, at_ns: u64::MAX, older: 8 });
        assert_eq!(told_ns, 8 * long_ns / 2 + 8 * others_ns);
        assert!(told_ns < 8 * (long_ns + others_ns));
    }

    #[test]
    fn outside_of_the_measurement_there_is_no_backlog() {
        let mut intervals = intervals();
        assert!(intervals.is_next_timed());
        assert_eq!(intervals.record_poll(US, US, 8, Submission { count: 0, at_ns: u64::MAX, older: 8 }, None), 0);
    }
}
