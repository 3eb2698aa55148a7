//! Watchdog for workers that no longer check their own deadline.
//!
//! A worker on a ring checks its deadlines itself. A worker that sleeps in the kernel, because a file system or device
//! does not respond, checks nothing until it is woken, which may be never.

use crate::worker::{DRAIN_ALL_NS_MAX, DRAIN_NS_MAX, SILENCE_NS_MAX};

/// The number of checks, 20 ms apart, after a worker's deadline. Checks are counted because a timer would expire after
/// a suspend before the worker could run.
const OVERDUE_CHECKS_MAX: u32 = 250;

/// Decides when the workers of a job are overdue.
pub struct WorkerWatchdog {
    // None for a job with an amount instead of an end.
    end_ns: Option<u64>,
    interval_ns: u64,
    heard_ns: u64,
    stopped_ns: Option<u64>,
    overdue_checks: u32,
}

impl WorkerWatchdog {
    /// With an `end_ns`, the job ends at that time. With None, it runs for as long as its workers report intervals.
    #[must_use]
    pub fn new(start_ns: u64, end_ns: Option<u64>, interval_ns: u64) -> Self {
        Self { end_ns, interval_ns, heard_ns: start_ns, stopped_ns: None, overdue_checks: 0 }
    }

    /// Called while any worker still runs. `is_heard` means that, since the last check, a worker has reported or an
    /// operation has completed after the end of the job. `is_stopped` means that the workers were told to stop. Returns
    /// true if the workers are so overdue that they will not end.
    pub fn has_expired(&mut self, now_ns: u64, is_heard: bool, is_stopped: bool) -> bool {
        if is_heard {
            self.heard_ns = now_ns;
        }
        if is_stopped {
            self.stopped_ns.get_or_insert(now_ns);
        }
        let heard_ns = self.heard_ns;
        let drained = |end_ns: u64| {
            heard_ns.max(end_ns).saturating_add(DRAIN_NS_MAX).min(end_ns.saturating_add(DRAIN_ALL_NS_MAX))
        };
        let silent_ns = self.heard_ns.saturating_add(self.interval_ns).saturating_add(SILENCE_NS_MAX);
        let due_ns = self.end_ns.map_or(silent_ns, drained).min(self.stopped_ns.map_or(u64::MAX, drained));
        self.overdue_checks = if now_ns > due_ns { self.overdue_checks + 1 } else { 0 };
        self.overdue_checks > OVERDUE_CHECKS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn checks(watchdog: &mut WorkerWatchdog, now_ns: u64, number: u32) -> bool {
        (0..number).any(|_| watchdog.has_expired(now_ns, false, false))
    }

    #[test]
    fn a_worker_has_its_drain_time_and_five_seconds_of_checks() {
        let mut watchdog = WorkerWatchdog::new(0, Some(SECOND_NS), SECOND_NS);
        assert!(!checks(&mut watchdog, SECOND_NS + DRAIN_NS_MAX, 1000));
        assert!(!checks(&mut watchdog, SECOND_NS + DRAIN_NS_MAX + 1, OVERDUE_CHECKS_MAX));
        assert!(checks(&mut watchdog, SECOND_NS + DRAIN_NS_MAX + 1, 1));
    }

    #[test]
    fn the_drain_time_of_a_stopped_worker_starts_at_the_stop() {
        let mut watchdog = WorkerWatchdog::new(0, Some(3600 * SECOND_NS), SECOND_NS);
        assert!(!watchdog.has_expired(SECOND_NS, false, true));
        assert!(!checks(&mut watchdog, SECOND_NS + DRAIN_NS_MAX, 1000));
        assert!(checks(&mut watchdog, 2 * SECOND_NS + DRAIN_NS_MAX, 1000));
    }

    #[test]
    fn the_drain_time_starts_again_with_each_sign_of_progress_up_to_a_limit() {
        let mut watchdog = WorkerWatchdog::new(0, Some(SECOND_NS), SECOND_NS);
        for second in (1..=281).step_by(20) {
            assert!(!watchdog.has_expired(second * SECOND_NS, true, false));
            assert!(!checks(&mut watchdog, second * SECOND_NS + 20 * SECOND_NS - 1, 1000));
        }
        let all_ns = SECOND_NS + DRAIN_ALL_NS_MAX;
        assert!(!checks(&mut watchdog, all_ns, 1000));
        assert!(!watchdog.has_expired(all_ns + 1, true, false));
        assert!(checks(&mut watchdog, all_ns + 1, OVERDUE_CHECKS_MAX));
    }

    #[test]
    fn a_job_without_a_time_limit_continues_as_long_as_workers_report() {
        let mut watchdog = WorkerWatchdog::new(0, None, SECOND_NS);
        for minute in 0..60 {
            assert!(!watchdog.has_expired(60 * minute * SECOND_NS, true, false));
            assert!(!checks(&mut watchdog, 60 * minute * SECOND_NS, 1000));
        }
        assert!(checks(&mut watchdog, (59 * 60 + 1) * SECOND_NS + SILENCE_NS_MAX + 1, 1000));
    }

    #[test]
    fn no_worker_is_overdue_before_the_start() {
        for end_ns in [None, Some(3601 * SECOND_NS)] {
            let mut watchdog = WorkerWatchdog::new(3600 * SECOND_NS, end_ns, SECOND_NS);
            assert!(!checks(&mut watchdog, 0, 1000));
            assert!(!checks(&mut watchdog, 3600 * SECOND_NS - 1, 1000));
        }
    }

    #[test]
    fn no_worker_is_overdue_after_a_suspend() {
        let mut watchdog = WorkerWatchdog::new(0, Some(SECOND_NS), SECOND_NS);
        assert!(!watchdog.has_expired(3600 * SECOND_NS, false, false));
    }
}
