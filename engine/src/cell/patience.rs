//! How long a worker is waited for that does not look at its own time any more.
//!
//! A worker on a ring sees its deadlines itself. One that sleeps in the kernel, because a file system or a device does
//! not answer, sees nothing until it is woken, which may be never.

use crate::worker::{DRAIN_NS_MAX, SILENCE_NS_MAX};

/// Looks at a worker, 20 ms apart, after it should have ended. Counted, not timed: whoever was stopped together with the
/// worker must not find it late.
const LOOKS_OVERDUE_MAX: u32 = 250;

/// When the workers of a job should have ended, as far as anybody knows.
pub struct Patience {
    // None where the job has an amount instead of an end.
    end_ns: Option<u64>,
    interval_ns: u64,
    heard_ns: u64,
    stopped_ns: Option<u64>,
    looks_overdue: u32,
}

impl Patience {
    /// For a job that ends at a time, or else for as long as its workers report interval after interval.
    #[must_use]
    pub fn new(start_ns: u64, end_ns: Option<u64>, interval_ns: u64) -> Self {
        Self { end_ns, interval_ns, heard_ns: start_ns, stopped_ns: None, looks_overdue: 0 }
    }

    /// Looks at workers of which some still run; `is_heard` says that one has reported since the last look, `is_stopped`
    /// that they were told to end. True when they should have ended for so long that they never will.
    pub fn is_over(&mut self, now_ns: u64, is_heard: bool, is_stopped: bool) -> bool {
        if is_heard {
            self.heard_ns = now_ns;
        }
        if is_stopped {
            self.stopped_ns.get_or_insert(now_ns);
        }
        let drained = |end_ns: u64| end_ns.saturating_add(DRAIN_NS_MAX);
        let silent_ns = self.heard_ns.saturating_add(self.interval_ns).saturating_add(SILENCE_NS_MAX);
        let due_ns = self.end_ns.map_or(silent_ns, drained).min(self.stopped_ns.map_or(u64::MAX, drained));
        self.looks_overdue = if now_ns > due_ns { self.looks_overdue + 1 } else { 0 };
        self.looks_overdue > LOOKS_OVERDUE_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn looks(patience: &mut Patience, now_ns: u64, number: u32) -> bool {
        (0..number).any(|_| patience.is_over(now_ns, false, false))
    }

    #[test]
    fn a_worker_is_waited_for_until_its_drain_is_over_and_for_five_seconds_of_looks_then() {
        let mut patience = Patience::new(0, Some(SECOND_NS), SECOND_NS);
        assert!(!looks(&mut patience, SECOND_NS + DRAIN_NS_MAX, 1000));
        assert!(!looks(&mut patience, SECOND_NS + DRAIN_NS_MAX + 1, LOOKS_OVERDUE_MAX));
        assert!(looks(&mut patience, SECOND_NS + DRAIN_NS_MAX + 1, 1));
    }

    #[test]
    fn a_worker_that_was_told_to_end_is_waited_for_from_then_on() {
        let mut patience = Patience::new(0, Some(3600 * SECOND_NS), SECOND_NS);
        assert!(!patience.is_over(SECOND_NS, false, true));
        assert!(!looks(&mut patience, SECOND_NS + DRAIN_NS_MAX, 1000));
        assert!(looks(&mut patience, 2 * SECOND_NS + DRAIN_NS_MAX, 1000));
    }

    #[test]
    fn a_job_without_an_end_in_time_goes_on_as_long_as_anybody_reports() {
        let mut patience = Patience::new(0, None, SECOND_NS);
        for minute in 0..60 {
            assert!(!patience.is_over(60 * minute * SECOND_NS, true, false));
            assert!(!looks(&mut patience, 60 * minute * SECOND_NS, 1000));
        }
        assert!(looks(&mut patience, (59 * 60 + 1) * SECOND_NS + SILENCE_NS_MAX + 1, 1000));
    }

    #[test]
    fn nobody_is_late_before_the_start() {
        for end_ns in [None, Some(3601 * SECOND_NS)] {
            let mut patience = Patience::new(3600 * SECOND_NS, end_ns, SECOND_NS);
            assert!(!looks(&mut patience, 0, 1000));
            assert!(!looks(&mut patience, 3600 * SECOND_NS - 1, 1000));
        }
    }

    #[test]
    fn a_machine_that_stood_still_finds_nobody_late() {
        let mut patience = Patience::new(0, Some(SECOND_NS), SECOND_NS);
        assert!(!patience.is_over(3600 * SECOND_NS, false, false));
    }
}
