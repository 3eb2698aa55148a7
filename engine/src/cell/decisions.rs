//! When the front end is asked whether a job goes on.

use crate::job::Job;

/// The moments at which a job asks: each multiple of a measurement time before its end.
#[allow(clippy::struct_field_names)] // Units come last.
pub struct Decisions {
    every_ns: u64,
    next_ns: u64,
    end_ns: u64,
}

impl Decisions {
    /// The moments of a job, counted from the start of its measurement.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        let every_ns = job.decide_ns.unwrap_or(u64::MAX);
        Self { every_ns, next_ns: every_ns, end_ns: job.longest_ns().unwrap_or(u64::MAX) }
    }

    /// The next moment; `u64::MAX` if there is none.
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        if self.next_ns < self.end_ns { self.next_ns } else { u64::MAX }
    }

    /// Whether the front end has to be asked after this much measurement time. Moments that were missed because
    /// intervals had to be merged are one.
    pub fn take(&mut self, measured_ns: u64) -> bool {
        if measured_ns >= self.end_ns || measured_ns < self.next_ns {
            return false;
        }
        self.next_ns = (measured_ns / self.every_ns + 1).saturating_mul(self.every_ns);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(every_ns: u64, end_ns: u64, measured: &[u64]) -> Vec<u64> {
        let mut decisions = Decisions { every_ns, next_ns: every_ns, end_ns };
        measured.iter().copied().filter(|measured_ns| decisions.take(*measured_ns)).collect()
    }

    #[test]
    fn each_multiple_before_the_end_is_asked_once() {
        assert_eq!(asked(20, 60, &[10, 20, 30, 40, 50, 60]), [20, 40]);
        assert_eq!(asked(20, 70, &[10, 20, 20, 40, 60, 70]), [20, 40, 60]);
    }

    #[test]
    fn several_multiples_at_once_are_asked_once() {
        assert_eq!(asked(20, u64::MAX, &[70, 80, 90, 100]), [70, 80, 100]);
    }

    #[test]
    fn a_job_without_decisions_never_asks() {
        assert_eq!(asked(u64::MAX, u64::MAX, &[1, 1 << 62]), Vec::<u64>::new());
        assert_eq!(Decisions { every_ns: 20, next_ns: 60, end_ns: 60 }.next_ns(), u64::MAX);
    }
}
