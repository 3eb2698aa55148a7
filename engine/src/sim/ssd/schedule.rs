//! The schedule of one die: programs and erases in order, and reads that precede those not yet started.

use std::collections::VecDeque;

use crate::sim::StateHash;

#[derive(Clone, Copy, Debug)]
struct Job {
    start_ns: u64,
    end_ns: u64,
    // The program unit that it writes, or NOTHING.
    unit: u32,
}

/// The unit of an operation that programs none.
pub const NOTHING: u32 = u32::MAX;

/// The scheduled operations of a die. They are kept in order of arrival, so that completion times are known at arrival.
///
/// A read waits for the operation in progress, and delays those not yet started. Reads delay a program by at most its
/// own duration, or by one read if that takes longer, so that neither side starves.
#[derive(Clone, Debug, Default)]
pub struct DieSchedule {
    jobs: VecDeque<Job>,
    // Delay of all `jobs` relative to their stored times.
    shift_ns: u64,
    // How long reads have delayed the first of `jobs`.
    delayed_ns: u64,
    current_end_ns: u64,
    current_unit: u32,
    reads_end_ns: u64,
    free_ns: u64,
}

impl DieSchedule {
    /// When all scheduled operations are complete.
    pub fn free_ns(&self) -> u64 {
        self.free_ns.max(self.reads_end_ns)
    }

    /// Schedules a read that may start at `at_ns`. Returns its completion time.
    #[inline]
    pub fn read(&mut self, at_ns: u64, length_ns: u64) -> u64 {
        self.advance(at_ns);
        loop {
            let start_ns = at_ns.max(self.current_end_ns).max(self.reads_end_ns);
            let end_ns = start_ns + length_ns;
            if let Some(next) = self.jobs.front() {
                let delay_ns = end_ns.saturating_sub(next.start_ns + self.shift_ns);
                if self.delayed_ns + delay_ns > (next.end_ns - next.start_ns).max(length_ns) {
                    self.begin_next();
                    continue;
                }
                self.delayed_ns += delay_ns;
                self.shift_ns += delay_ns;
                self.free_ns += delay_ns;
            }
            self.reads_end_ns = end_ns;
            return end_ns;
        }
    }

    /// Schedules a program, an erase, or a read for relocation after all others. `now_ns` is the current time, `at_ns`
    /// the earliest start. Returns its completion time.
    pub fn work(&mut self, now_ns: u64, at_ns: u64, length_ns: u64, unit: u32) -> u64 {
        self.advance(now_ns);
        let start_ns = at_ns.max(self.free_ns).max(self.current_end_ns).max(self.reads_end_ns);
        let end_ns = start_ns + length_ns;
        self.jobs.push_back(Job { start_ns: start_ns - self.shift_ns, end_ns: end_ns - self.shift_ns, unit });
        self.free_ns = end_ns;
        end_ns
    }

    /// Whether a unit is still being programmed.
    pub fn is_writing(&self, now_ns: u64, unit: u32) -> bool {
        (self.current_unit == unit && now_ns < self.current_end_ns)
            || self.jobs.iter().any(|job| job.unit == unit && job.end_ns + self.shift_ns > now_ns)
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        for job in &self.jobs {
            hash.add(job.start_ns + self.shift_ns);
            hash.add(job.end_ns + self.shift_ns);
            hash.add(u64::from(job.unit));
        }
        for word in
            [self.delayed_ns, self.current_end_ns, u64::from(self.current_unit), self.reads_end_ns, self.free_ns]
        {
            hash.add(word);
        }
    }

    #[inline]
    fn advance(&mut self, now_ns: u64) {
        while self.jobs.front().is_some_and(|job| job.start_ns + self.shift_ns <= now_ns) {
            self.begin_next();
        }
    }

    #[inline]
    fn begin_next(&mut self) {
        let Some(job) = self.jobs.pop_front() else { return };
        self.current_end_ns = job.end_ns + self.shift_ns;
        self.current_unit = job.unit;
        self.delayed_ns = 0;
        if self.jobs.is_empty() {
            self.shift_ns = 0;
        }
    }
}
