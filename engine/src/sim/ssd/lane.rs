//! The time of one die: programs and erases in their order, and reads that go before those that have not begun.

use std::collections::VecDeque;

use crate::sim::StateHash;

#[derive(Clone, Copy, Debug)]
struct Job {
    start_ns: u64,
    end_ns: u64,
    // The program unit that it writes, or NOTHING.
    unit: u32,
}

/// What a job that writes no unit is for.
pub const NOTHING: u32 = u32::MAX;

/// What a die is going to do. Times are kept in the order of arrival, so that all is known when a request arrives.
///
/// A read waits for what is under way, and postpones what is not. A program is postponed for no longer than it takes:
/// so neither side starves.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    jobs: VecDeque<Job>,
    // By how much all of `jobs` are later than they say.
    shift_ns: u64,
    // How long the first of them has been held up by reads.
    held_up_ns: u64,
    current_end_ns: u64,
    current_unit: u32,
    reads_end_ns: u64,
    free_ns: u64,
}

impl Lane {
    /// When all that is planned is done.
    pub fn free_ns(&self) -> u64 {
        self.free_ns.max(self.reads_end_ns)
    }

    /// Plans a read that may begin at `at_ns`. When it will be done.
    #[inline]
    pub fn read(&mut self, at_ns: u64, length_ns: u64) -> u64 {
        self.pass(at_ns);
        loop {
            let start_ns = at_ns.max(self.current_end_ns).max(self.reads_end_ns);
            let end_ns = start_ns + length_ns;
            if let Some(next) = self.jobs.front() {
                let delay_ns = end_ns.saturating_sub(next.start_ns + self.shift_ns);
                if self.held_up_ns + delay_ns > (next.end_ns - next.start_ns).max(length_ns) {
                    self.begin_next();
                    continue;
                }
                self.held_up_ns += delay_ns;
                self.shift_ns += delay_ns;
                self.free_ns += delay_ns;
            }
            self.reads_end_ns = end_ns;
            return end_ns;
        }
    }

    /// Plans a program, an erase, or a read of collection, behind all others. `now_ns` is when this is planned, and
    /// `at_ns` when it may begin. When it will be done.
    pub fn work(&mut self, now_ns: u64, at_ns: u64, length_ns: u64, unit: u32) -> u64 {
        self.pass(now_ns);
        let start_ns = at_ns.max(self.free_ns).max(self.current_end_ns).max(self.reads_end_ns);
        let end_ns = start_ns + length_ns;
        self.jobs.push_back(Job { start_ns: start_ns - self.shift_ns, end_ns: end_ns - self.shift_ns, unit });
        self.free_ns = end_ns;
        end_ns
    }

    /// Whether a unit is still on its way to the media.
    pub fn is_writing(&self, now_ns: u64, unit: u32) -> bool {
        (self.current_unit == unit && now_ns < self.current_end_ns)
            || self.jobs.iter().any(|job| job.unit == unit && job.end_ns + self.shift_ns > now_ns)
    }

    /// Adds it to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        for job in &self.jobs {
            hash.add(job.start_ns + self.shift_ns);
            hash.add(job.end_ns + self.shift_ns);
            hash.add(u64::from(job.unit));
        }
        for word in
            [self.held_up_ns, self.current_end_ns, u64::from(self.current_unit), self.reads_end_ns, self.free_ns]
        {
            hash.add(word);
        }
    }

    #[inline]
    fn pass(&mut self, now_ns: u64) {
        while self.jobs.front().is_some_and(|job| job.start_ns + self.shift_ns <= now_ns) {
            self.begin_next();
        }
    }

    #[inline]
    fn begin_next(&mut self) {
        let Some(job) = self.jobs.pop_front() else { return };
        self.current_end_ns = job.end_ns + self.shift_ns;
        self.current_unit = job.unit;
        self.held_up_ns = 0;
        if self.jobs.is_empty() {
            self.shift_ns = 0;
        }
    }
}
