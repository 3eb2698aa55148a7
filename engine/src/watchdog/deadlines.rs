//! Deadlines of a watched thread.

use std::time::Duration;

use super::progress::Progress;
use super::wait_state::WaitState;
use crate::failure::{Failure, FailureKind};

/// The maximum time that is counted between two checks, so that a suspend of the host does not exceed a deadline.
const CHECK_MAX: Duration = Duration::from_secs(1);
/// Interval between two readings of the progress. They are rare because counting the pages of a large file takes
/// milliseconds.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Time limits of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// For a call without progress.
    pub silent: Duration,
    /// For all calls of a command. Each [`made_progress`](super::made_progress) restarts it.
    pub total: Duration,
    /// After a stop.
    pub stopped: Duration,
}

/// Two minutes, the longest silence that the front end expects. The kernel's own error handling is faster: SCSI and
/// NVMe commands time out after 30 s, with one retry after a reset.
const SILENT_MAX: Duration = Duration::from_secs(120);
/// The front end needs a bound, but a slow disk takes many minutes to write back a large page cache.
const COMMAND_MAX: Duration = Duration::from_secs(1800);
/// Before and after a job, calls move little data: checks of targets, ring set-up, and a ledger of at most 1 GiB.
const JOB_MAX: Duration = Duration::from_secs(300);
/// Less than the 5 s that the front end waits after closing the engine's input.
const STOPPED_MAX: Duration = Duration::from_secs(3);

impl Deadlines {
    /// For `open`, `sync`, `verify` and `close`.
    pub const COMMAND: Self = Self { silent: SILENT_MAX, total: COMMAND_MAX, stopped: STOPPED_MAX };
    /// For the parts of a job before and after its measurement, which has its own deadlines.
    pub const JOB: Self = Self { total: JOB_MAX, ..Self::COMMAND };
}

/// Checks the deadlines of one command.
pub struct DeadlineWatch {
    deadlines: Deadlines,
    waits: u64,
    progress: u64,
    last: Option<Progress>,
    unseen: Duration,
    waited: Duration,
    silent: Duration,
    total: Duration,
    stopped: Duration,
}

impl DeadlineWatch {
    pub fn new(deadlines: Deadlines) -> Self {
        let [unseen, waited, silent, total, stopped] = [Duration::ZERO; 5];
        Self { deadlines, waits: 0, progress: 0, last: None, unseen, waited, silent, total, stopped }
    }

    /// Called at intervals of `passed`; `see` reads the progress. Returns a failure if the thread has to be given up.
    pub fn check(
        &mut self,
        passed: Duration,
        state: &WaitState,
        is_stopped: bool,
        see: impl FnOnce() -> Option<Progress>,
    ) -> Option<Failure> {
        let passed = passed.min(CHECK_MAX);
        let what = state.what.as_ref()?;
        if state.waits != self.waits {
            (self.waits, self.progress, self.last) = (state.waits, state.progress, None);
            (self.waited, self.silent) = (Duration::ZERO, Duration::ZERO);
        }
        if state.progress != self.progress {
            self.progress = state.progress;
            (self.waited, self.silent, self.total) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        }
        (self.waited, self.silent, self.total) = (self.waited + passed, self.silent + passed, self.total + passed);
        self.stopped = if is_stopped { self.stopped + passed } else { Duration::ZERO };
        self.unseen += passed;
        let is_due = self.last.is_none() || self.unseen >= PROGRESS_EVERY;
        let now = is_due.then(see).flatten();
        if is_due {
            self.unseen = Duration::ZERO;
        }
        if let Some(now) = now.filter(|now| self.last.is_none_or(|last| now.is_progress_since(last))) {
            // The first reading is the baseline.
            self.silent = if self.last.is_some() { Duration::ZERO } else { self.silent };
            self.last = Some(now);
        }
        let message = self.over(what)?;
        Some(Failure::new(FailureKind::Stuck, message).after(state.other_failure.clone()))
    }

    fn over(&self, what: &str) -> Option<String> {
        let Deadlines { silent, total, stopped } = self.deadlines;
        if self.stopped >= stopped {
            return Some(format!("{what} did not stop within {} s", stopped.as_secs()));
        }
        if self.silent < silent && self.total < total {
            return None;
        }
        let (waited_s, silent_s) = (self.waited.as_secs(), self.silent.as_secs());
        let still =
            if waited_s > silent_s { format!(", without progress for the last {silent_s} s") } else { String::new() };
        Some(format!("{what} did not complete within {waited_s} s{still}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const TEN: Deadlines =
        Deadlines { silent: Duration::from_secs(10), total: Duration::from_secs(40), stopped: Duration::from_secs(3) };

    fn state() -> WaitState {
        WaitState { what: Some("opening x".to_owned()), waits: 1, ..WaitState::default() }
    }

    // Seconds until the thread is given up, and the reason. `change` supplies the events of each second.
    fn given_up(
        state: &mut WaitState,
        change: impl Fn(u64, &mut WaitState) -> (bool, Option<Progress>),
    ) -> (u64, String) {
        let mut watch = DeadlineWatch::new(TEN);
        for second in 1..1000 {
            let (is_stopped, sign) = change(second, state);
            if let Some(failure) = watch.check(SECOND, state, is_stopped, || sign) {
                assert_eq!(failure.kind, FailureKind::Stuck);
                return (second, failure.message);
            }
        }
        (1000, String::new())
    }

    #[test]
    fn a_call_without_progress_is_given_up_and_named() {
        let found = given_up(&mut state(), |_, _| (false, None));
        assert_eq!(found, (10, "opening x did not complete within 10 s".to_owned()));
    }

    #[test]
    fn a_call_that_ignores_a_stop_is_given_up_soon() {
        let (second, message) = given_up(&mut state(), |second, _| (second > 2, None));
        assert_eq!((second, message.as_str()), (5, "opening x did not stop within 3 s"));
    }

    #[test]
    fn progress_extends_the_deadline_but_not_for_ever() {
        let (second, message) = given_up(&mut state(), |second, _| (false, Some(Progress::Completed(second.min(20)))));
        let told = "opening x did not complete within 30 s, without progress for the last 10 s";
        assert_eq!((second, message.as_str()), (30, told));
        let (second, message) = given_up(&mut state(), |second, _| (false, Some(Progress::Completed(second))));
        assert_eq!(second, 40, "{message}");
    }

    #[test]
    fn each_call_has_a_deadline_and_so_have_all_together() {
        let (second, _) = given_up(&mut state(), |second, state| {
            state.waits = 1 + second / 9;
            (false, None)
        });
        assert_eq!(second, 40);
    }

    #[test]
    fn a_call_that_keeps_reporting_progress_is_never_late() {
        let (second, _) = given_up(&mut state(), |second, state| {
            state.progress = second / 9;
            (false, None)
        });
        assert_eq!(second, 1000);
    }

    #[test]
    fn a_thread_with_its_own_deadlines_is_not_checked() {
        let (second, _) = given_up(&mut state(), |_, state| {
            state.what = None;
            (true, None)
        });
        assert_eq!(second, 1000);
    }

    #[test]
    fn a_suspend_exceeds_no_deadline() {
        let mut watch = DeadlineWatch::new(TEN);
        assert_eq!(watch.check(Duration::from_secs(3600), &state(), false, || None), None);
    }

    #[test]
    fn other_failures_are_appended() {
        let mut state = state();
        state.other_failure = Some(Failure::new(FailureKind::Io, "fdatasync: EIO"));
        let (_, message) = given_up(&mut state, |_, _| (false, None));
        assert_eq!(message, "opening x did not complete within 10 s; also: fdatasync: EIO");
    }
}
