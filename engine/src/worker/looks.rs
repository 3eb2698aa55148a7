//! How long the worker does not look at what has come back: the error bar of every latency.

use crate::job::{Engine, Job};
use crate::record::{Histogram, Phase, Spread};

/// One round in so many is timed. It costs a call to the kernel, and no more than that.
const ROUNDS: u64 = 64;

/// Times between two looks of a worker that did not wait in between, and what each such look found.
pub struct Looks {
    rounds_left: u64,
    looked_ns: u64,
    timed_ns: u64,
    gaps: Spread,
    sweep_ns_max: u64,
}

/// What a round has handed over.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Operations; with none of them it was at no time.
    pub count: usize,
    /// When.
    pub at_ns: u64,
    /// Operations that were in flight before.
    pub older: u32,
}

impl Looks {
    /// None are timed where a call to the kernel is the operation itself, or in virtual time.
    #[must_use]
    pub fn of(job: &Job, start_ns: u64) -> Self {
        let timed = matches!(job.engine, Engine::IoUring | Engine::Passthrough | Engine::Nop | Engine::Null);
        let (rounds_left, room) = if timed { (ROUNDS, Histogram::new()) } else { (u64::MAX, Histogram::absent()) };
        Self { rounds_left, looked_ns: start_ns, timed_ns: start_ns, gaps: Spread::new(room), sweep_ns_max: 0 }
    }

    /// Whether the next round is timed: it hands over what there is, and looks without waiting.
    #[inline]
    pub fn is_next_timed(&mut self) -> bool {
        self.rounds_left -= 1;
        self.rounds_left == 0
    }

    /// A look from `begin_ns` (0 where that was not timed) to `end_ns` that found so many completions, after a launch.
    ///
    /// Gives the backlog where the round was timed: completions that were there and not yet taken, integrated over time,
    /// of the round and of those that it stands for. They come one after the other while the worker does something else: of
    /// those that were in flight before the launch half were there on average, since the look before. Those of the launch
    /// itself that are back already were done within the call, one after the other, the last one as it returned. While the
    /// worker sleeps there are none: the first one wakes it.
    ///
    /// A round that took long stands for none that were shorter, so that those have no more backlog than was in flight.
    #[inline]
    pub fn look(&mut self, begin_ns: u64, end_ns: u64, found: usize, launch: Launch, phase: Option<Phase>) -> u64 {
        if begin_ns > 0 && phase == Some(Phase::Measure) {
            self.sweep_ns_max = self.sweep_ns_max.max(end_ns - begin_ns);
        }
        // Looks before the start do not count.
        let is_before = end_ns < self.looked_ns;
        let gap_ns = end_ns.saturating_sub(self.looked_ns);
        self.looked_ns = self.looked_ns.max(end_ns);
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
        let older = u64::from(launch.older).min(found as u64);
        let younger = (found as u64 - older).saturating_sub(1);
        let call_ns = end_ns.saturating_sub(launch.at_ns);
        let own_ns = older.saturating_mul(gap_ns).saturating_add(younger.saturating_mul(call_ns)) / 2;
        let present = u64::from(launch.older).saturating_add(launch.count as u64);
        own_ns.saturating_add(own_ns.saturating_mul(ROUNDS - 1).min(present.saturating_mul(others_ns)))
    }

    /// The longest look.
    #[must_use]
    pub fn sweep_ns_max(&self) -> u64 {
        self.sweep_ns_max
    }

    /// All gaps that were timed.
    #[must_use]
    pub fn gaps(self) -> Spread {
        self.gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    fn looks() -> Looks {
        Looks { rounds_left: 1, looked_ns: 0, timed_ns: 0, gaps: Spread::new(Histogram::new()), sweep_ns_max: 0 }
    }

    // The backlog that a timed look tells, after rounds of 10 us of which it is the last and longest.
    fn backlog_ns(gap_ns: u64, found: usize, launch: Launch) -> u64 {
        let mut looks = looks();
        looks.rounds_left = ROUNDS;
        for round in 1..ROUNDS {
            assert!(!looks.is_next_timed());
            let none = Launch { count: 0, at_ns: u64::MAX, older: launch.older };
            assert_eq!(looks.look(0, round * 10 * US, 0, none, Some(Phase::Measure)), 0);
        }
        assert!(looks.is_next_timed());
        let begin_ns = (ROUNDS - 1) * 10 * US;
        let launch = Launch { at_ns: launch.at_ns.saturating_add(begin_ns), ..launch };
        looks.look(begin_ns + gap_ns, begin_ns + gap_ns, found, launch, Some(Phase::Measure))
    }

    #[test]
    fn of_operations_that_were_in_flight_before_half_waited_on_average() {
        let launch = Launch { count: 0, at_ns: u64::MAX, older: 8 };
        assert_eq!(backlog_ns(10 * US, 2, launch), 2 * 10 * US / 2 * ROUNDS);
    }

    #[test]
    fn an_operation_that_was_done_within_its_call_did_not_wait() {
        assert_eq!(backlog_ns(10 * US, 1, Launch { count: 1, at_ns: 0, older: 0 }), 0);
    }

    #[test]
    fn of_several_that_were_done_within_one_call_each_waited_for_those_behind_it() {
        // The first waited for three quarters of 8 us, the last not at all.
        assert_eq!(backlog_ns(10 * US, 4, Launch { count: 4, at_ns: 2 * US, older: 0 }), 3 * 8 * US / 2 * ROUNDS);
    }

    #[test]
    fn a_round_that_took_long_tells_of_the_others_no_more_than_was_in_flight() {
        let (long_ns, others_ns) = (100_000 * US, (ROUNDS - 1) * 10 * US);
        let told_ns = backlog_ns(long_ns, 8, Launch { count: 0, at_ns: u64::MAX, older: 8 });
        assert_eq!(told_ns, 8 * long_ns / 2 + 8 * others_ns);
        assert!(told_ns < 8 * (long_ns + others_ns));
    }

    #[test]
    fn what_is_not_measured_has_no_backlog() {
        let mut looks = looks();
        assert!(looks.is_next_timed());
        assert_eq!(looks.look(US, US, 8, Launch { count: 0, at_ns: u64::MAX, older: 8 }, None), 0);
    }
}
