//! How long a watched thread is waited for.

use std::time::Duration;

use super::note::Note;
use super::signs::Sign;
use crate::failure::{Failure, FailureKind};

/// The longest time that one look counts for: a machine that stood still finds nobody late.
const LOOK_MAX: Duration = Duration::from_secs(1);
/// How often signs are looked for. Going through the pages of a large file takes milliseconds.
const SIGN_EVERY: Duration = Duration::from_secs(1);

/// What a command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// For a call that shows no sign of being at work.
    pub silent: Duration,
    /// For all calls of a command together, from one that comes back within a wait to the next.
    pub total: Duration,
    /// For what was told to stop.
    pub stopped: Duration,
}

/// Two minutes: what an engine may be silent for. The kernel's own answer to a drive that is lost comes in less: SCSI and
/// NVMe give a command 30 s, and another try after a reset.
const SILENT_MAX: Duration = Duration::from_secs(120);
/// Writing out what a large page cache holds takes a slow disk many minutes, and a front has to know when to ask no more.
const COMMAND_MAX: Duration = Duration::from_secs(1800);
/// What comes before and after a job are calls that move little: looking at targets, making rings, and a ledger of 1 GiB
/// at most.
const JOB_MAX: Duration = Duration::from_secs(300);
/// Less than the 5 s that a front waits for an engine whose input it has closed.
const STOPPED_MAX: Duration = Duration::from_secs(3);

impl Deadlines {
    /// For opening, syncing, verifying and closing.
    pub const COMMAND: Self = Self { silent: SILENT_MAX, total: COMMAND_MAX, stopped: STOPPED_MAX };
    /// For what comes before and after the measuring of a job, which has deadlines of its own.
    pub const JOB: Self = Self { total: JOB_MAX, ..Self::COMMAND };
}

/// Looks at one command, and says when it is over with it.
pub struct Watch {
    deadlines: Deadlines,
    waits: u64,
    moves: u64,
    last: Option<Sign>,
    unseen: Duration,
    waited: Duration,
    silent: Duration,
    total: Duration,
    stopped: Duration,
}

impl Watch {
    pub fn new(deadlines: Deadlines) -> Self {
        let [unseen, waited, silent, total, stopped] = [Duration::ZERO; 5];
        Self { deadlines, waits: 0, moves: 0, last: None, unseen, waited, silent, total, stopped }
    }

    /// A look, so long after the one before; `see` looks for signs. A failure when the thread is to be given up.
    pub fn look(
        &mut self,
        passed: Duration,
        note: &Note,
        is_stopped: bool,
        see: impl FnOnce() -> Option<Sign>,
    ) -> Option<Failure> {
        let passed = passed.min(LOOK_MAX);
        let what = note.what.as_ref()?;
        if note.waits != self.waits {
            (self.waits, self.moves, self.last) = (note.waits, note.moves, None);
            (self.waited, self.silent) = (Duration::ZERO, Duration::ZERO);
        }
        if note.moves != self.moves {
            self.moves = note.moves;
            (self.waited, self.silent, self.total) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        }
        (self.waited, self.silent, self.total) = (self.waited + passed, self.silent + passed, self.total + passed);
        self.stopped = if is_stopped { self.stopped + passed } else { Duration::ZERO };
        self.unseen += passed;
        let is_due = self.last.is_none() || self.unseen >= SIGN_EVERY;
        let now = is_due.then(see).flatten();
        if is_due {
            self.unseen = Duration::ZERO;
        }
        if let Some(now) = now.filter(|now| self.last.is_none_or(|last| now.is_beyond(last))) {
            // The first look is where signs begin.
            self.silent = if self.last.is_some() { Duration::ZERO } else { self.silent };
            self.last = Some(now);
        }
        let message = self.over(what)?;
        Some(Failure::new(FailureKind::Stuck, message).after(note.beside.clone()))
    }

    fn over(&self, what: &str) -> Option<String> {
        let Deadlines { silent, total, stopped } = self.deadlines;
        if self.stopped >= stopped {
            return Some(format!("{what} was told to stop, and did not come back within {} s", stopped.as_secs()));
        }
        if self.silent < silent && self.total < total {
            return None;
        }
        let (waited_s, silent_s) = (self.waited.as_secs(), self.silent.as_secs());
        let still =
            if waited_s > silent_s { format!(", the last {silent_s} s without a sign of it") } else { String::new() };
        Some(format!("{what} did not come back within {waited_s} s{still}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const TEN: Deadlines =
        Deadlines { silent: Duration::from_secs(10), total: Duration::from_secs(40), stopped: Duration::from_secs(3) };

    fn note() -> Note {
        Note { what: Some("opening x".to_owned()), waits: 1, ..Note::default() }
    }

    // Seconds until the thread is given up, and why; `change` is what happens in each.
    fn given_up(note: &mut Note, change: impl Fn(u64, &mut Note) -> (bool, Option<Sign>)) -> (u64, String) {
        let mut watch = Watch::new(TEN);
        for second in 1..1000 {
            let (is_stopped, sign) = change(second, note);
            if let Some(failure) = watch.look(SECOND, note, is_stopped, || sign) {
                assert_eq!(failure.kind, FailureKind::Stuck);
                return (second, failure.message);
            }
        }
        (1000, String::new())
    }

    #[test]
    fn what_is_silent_is_given_up_and_the_sentence_says_what_and_how_long() {
        let found = given_up(&mut note(), |_, _| (false, None));
        assert_eq!(found, (10, "opening x did not come back within 10 s".to_owned()));
    }

    #[test]
    fn what_is_told_to_stop_is_given_up_soon() {
        let (second, message) = given_up(&mut note(), |second, _| (second > 2, None));
        assert_eq!((second, message.as_str()), (5, "opening x was told to stop, and did not come back within 3 s"));
    }

    #[test]
    fn signs_of_work_put_the_end_off_but_not_for_ever() {
        let (second, message) = given_up(&mut note(), |second, _| (false, Some(Sign::Completed(second.min(20)))));
        let told = "opening x did not come back within 30 s, the last 10 s without a sign of it";
        assert_eq!((second, message.as_str()), (30, told));
        let (second, message) = given_up(&mut note(), |second, _| (false, Some(Sign::Completed(second))));
        assert_eq!(second, 40, "{message}");
    }

    #[test]
    fn each_wait_has_its_time_and_all_together_have_a_bound() {
        let (second, _) = given_up(&mut note(), |second, note| {
            note.waits = 1 + second / 9;
            (false, None)
        });
        assert_eq!(second, 40);
    }

    #[test]
    fn what_comes_back_bit_by_bit_is_never_late() {
        let (second, _) = given_up(&mut note(), |second, note| {
            note.moves = second / 9;
            (false, None)
        });
        assert_eq!(second, 1000);
    }

    #[test]
    fn a_thread_with_deadlines_of_its_own_is_left_alone_even_when_it_is_told_to_stop() {
        let (second, _) = given_up(&mut note(), |_, note| {
            note.what = None;
            (true, None)
        });
        assert_eq!(second, 1000);
    }

    #[test]
    fn a_machine_that_stood_still_finds_nobody_late() {
        let mut watch = Watch::new(TEN);
        assert_eq!(watch.look(Duration::from_secs(3600), &note(), false, || None), None);
    }

    #[test]
    fn what_failed_besides_is_told_as_well() {
        let mut note = note();
        note.beside = Some(Failure::new(FailureKind::Io, "fdatasync: EIO"));
        let (_, message) = given_up(&mut note, |_, _| (false, None));
        assert_eq!(message, "opening x did not come back within 10 s; besides, fdatasync: EIO");
    }
}
