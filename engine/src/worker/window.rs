//! The timing of a job: warm-up and measurement, divided into intervals.

use crate::job::Job;
use crate::record::Phase;

/// The position of a job in its timing. All boundaries are fixed at the start, so that all workers have the same ones.
#[derive(Clone, Debug)]
pub struct Window {
    phase: Phase,
    interval: u64,
    boundary_ns: u64,
    warmup_end_ns: u64,
    end_ns: u64,
    interval_ns: u64,
    has_amount: bool,
}

impl Window {
    /// The window of a job that starts at `start_ns`. A job with an amount has no warm-up, and ends by a time only if
    /// it has a limit.
    #[must_use]
    pub fn new(job: &Job, start_ns: u64) -> Self {
        let timed = job.amount_bytes.is_none();
        let warmup_end_ns = if timed { start_ns + job.warmup_ns } else { start_ns };
        let mut window = Self {
            phase: if warmup_end_ns > start_ns { Phase::Warmup } else { Phase::Measure },
            interval: 0,
            boundary_ns: 0,
            warmup_end_ns,
            end_ns: job.longest_ns().map_or(u64::MAX, |longest_ns| warmup_end_ns + longest_ns),
            interval_ns: job.interval_ns,
            has_amount: job.amount_bytes.is_some(),
        };
        window.boundary_ns = window.boundary_after(start_ns);
        window
    }

    fn boundary_after(&self, start_ns: u64) -> u64 {
        let phase_end_ns = if self.phase == Phase::Warmup { self.warmup_end_ns } else { self.end_ns };
        phase_end_ns.min(start_ns + self.interval_ns)
    }

    /// Moves past a boundary that was reached.
    pub fn advance(&mut self) {
        let reached_ns = self.boundary_ns;
        if self.phase == Phase::Warmup && reached_ns >= self.warmup_end_ns {
            self.phase = Phase::Measure;
        }
        self.interval += 1;
        self.boundary_ns = self.boundary_after(reached_ns);
    }

    /// Ends the window now, because the amount was transferred or the job was stopped.
    pub fn close(&mut self, now_ns: u64) {
        self.end_ns = self.end_ns.min(now_ns);
        self.boundary_ns = self.boundary_ns.min(self.end_ns);
    }

    /// Whether an amount ends the job, before its limit if it has one.
    #[must_use]
    pub fn has_amount(&self) -> bool {
        self.has_amount
    }

    /// The phase of the current interval.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The number of the current interval, from the start of the job.
    #[must_use]
    pub fn interval(&self) -> u64 {
        self.interval
    }

    /// The end of the current interval.
    #[must_use]
    pub fn boundary_ns(&self) -> u64 {
        self.boundary_ns
    }

    /// The end of the warm-up.
    #[must_use]
    pub fn warmup_end_ns(&self) -> u64 {
        self.warmup_end_ns
    }

    /// The end of the measurement.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.end_ns
    }
}
