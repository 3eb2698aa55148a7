//! A duty cycle: times of submission, with times in between in which nothing is submitted.

use serde::Deserialize;

use crate::job::Job;

/// A time of submission and the time without submissions after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Duty {
    /// How long operations are submitted.
    pub on_ns: u64,
    /// How long nothing is submitted after that.
    pub off_ns: u64,
}

impl Duty {
    /// The length of a period. Both times have bounds, so the sum does not overflow.
    #[inline]
    #[must_use]
    pub fn period_ns(&self) -> u64 {
        self.on_ns + self.off_ns
    }

    /// The on-time within the first `time_ns` of a grid.
    #[must_use]
    pub fn on_within_ns(&self, time_ns: u64) -> u64 {
        time_ns / self.period_ns() * self.on_ns + (time_ns % self.period_ns()).min(self.on_ns)
    }
}

/// One worker's position on the grid, which is fixed at the start of the job. Late completions do not move it.
#[derive(Clone, Debug)]
pub struct DutyCycle {
    duty: Duty,
    // The start of the current or, in an off-time, of the next on-time.
    on_start_ns: u64,
}

impl DutyCycle {
    /// The duty cycle of a job that starts at `start_ns`; None if it submits all the time.
    #[must_use]
    pub fn of(job: &Job, start_ns: u64) -> Option<Self> {
        job.duty.map(|duty| Self { duty, on_start_ns: start_ns })
    }

    /// Moves to the on-time at `now_ns`, or to the next one. Time does not run backwards.
    #[inline]
    pub fn advance(&mut self, now_ns: u64) {
        if now_ns >= self.on_start_ns.saturating_add(self.duty.on_ns) {
            let (period_ns, since_ns) = (self.duty.period_ns(), now_ns - self.on_start_ns);
            let is_off = since_ns % period_ns >= self.duty.on_ns;
            let periods = since_ns / period_ns + u64::from(is_off);
            self.on_start_ns = self.on_start_ns.saturating_add(periods.saturating_mul(period_ns));
        }
    }

    /// The earliest time of the next submission: not later than the time of the last [`Self::advance`] in an on-time.
    #[inline]
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        self.on_start_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUTY: Duty = Duty { on_ns: 5, off_ns: 25 };

    fn next(start_ns: u64, now_ns: u64) -> u64 {
        let mut cycle = DutyCycle { duty: DUTY, on_start_ns: start_ns };
        cycle.advance(now_ns);
        cycle.next_ns()
    }

    #[test]
    fn within_an_on_time_operations_may_be_submitted_at_once() {
        assert_eq!([0, 4, 30, 34, 3_000, 3_004].map(|now| next(0, now)), [0, 0, 30, 30, 3_000, 3_000]);
    }

    #[test]
    fn within_an_off_time_the_next_submission_is_at_the_next_on_time() {
        assert_eq!([5, 29, 35, 59, 3_005].map(|now| next(0, now)), [30, 30, 60, 60, 3_030]);
    }

    #[test]
    fn the_grid_begins_at_the_start_of_the_job() {
        assert_eq!([0, 7, 11, 12, 37, 42].map(|now| next(7, now)), [7, 7, 7, 37, 37, 67]);
    }

    #[test]
    fn the_grid_does_not_depend_on_when_it_is_looked_at() {
        let mut cycle = DutyCycle { duty: DUTY, on_start_ns: 0 };
        for now in 0..1_000 {
            cycle.advance(now);
            assert_eq!(cycle.next_ns(), next(0, now), "at {now}");
        }
    }

    #[test]
    fn the_on_time_of_a_part_of_the_grid_is_known() {
        assert_eq!([0, 3, 5, 29, 31, 60].map(|time| DUTY.on_within_ns(time)), [0, 3, 5, 5, 6, 10]);
    }
}
