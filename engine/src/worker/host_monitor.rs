//! What the host did to a worker around a slow operation: the time that its thread waited for a CPU, its involuntary
//! context switches, and the time in which it neither waited for completions nor looked at them.
//!
//! The counters of the thread are read at most once per `SPACING_NS`, and after rounds with one of the slowest
//! operations so far, as long as the budget allows. A reading takes less than a microsecond.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::host::Usage;
use crate::record::HostPart;

/// The time between two regular readings: about 0.1 % of a CPU.
const SPACING_NS: u64 = 1_000_000;
/// Readings that are kept, to find the last one before the submission of an operation.
const KEPT: usize = 1024;
/// Additional readings that slow operations may cause at once. A regular reading adds one.
const BUDGET: u32 = 256;
/// A reading that ends this much later than the poll may include what happened after it.
const LATE_NS: u64 = 50_000;
/// A delay of the reading below this part of the latency does not affect the cause.
const LATE_PART: u64 = 100;

/// How far back long waits for a CPU are counted.
const CONTENDED_WITHIN_NS: u64 = 1_000_000_000;
/// A wait for a CPU that is longer than this is due to another thread, and not the time that a switch takes.
const LONG_WAIT_NS: u64 = 500_000;

/// The counters of a thread at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostReading {
    /// The time, on the engine's clock.
    pub at_ns: u64,
    /// Time spent runnable but not on a CPU.
    pub run_delay_ns: u64,
    /// Involuntary context switches.
    pub switches_involuntary: u64,
    /// The CPU on which the thread ran.
    pub cpu: u32,
}

/// A round of a worker: from its previous poll to its poll.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// The end of the previous poll.
    pub begin_ns: u64,
    /// When it began to wait for completions; the end of the poll if it did not wait.
    pub wait_ns: u64,
    /// The end of the poll.
    pub end_ns: u64,
}

impl Round {
    // The time since a submission in which the worker neither waited nor looked.
    fn unpolled_ns(&self, submit_ns: u64) -> u64 {
        self.wait_ns.min(self.end_ns).saturating_sub(self.begin_ns.max(submit_ns))
    }
}

/// The last readings.
#[derive(Debug)]
pub struct HostReadings {
    kept: Vec<HostReading>,
    // The place of the oldest reading when all places are in use.
    oldest: usize,
}

impl HostReadings {
    /// No readings yet, with the memory for all of them.
    #[must_use]
    pub fn new() -> Self {
        Self { kept: Vec::with_capacity(KEPT), oldest: 0 }
    }

    /// Adds a reading.
    pub fn add(&mut self, reading: HostReading) {
        if self.kept.len() < KEPT {
            self.kept.push(reading);
        } else {
            self.kept[self.oldest] = reading;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }

    fn newest_first(&self) -> impl Iterator<Item = &HostReading> {
        let (newer, older) = self.kept.split_at(self.oldest);
        newer.iter().rev().chain(older.iter().rev())
    }

    // The last reading that is not later than the given time.
    fn before(&self, time_ns: u64) -> Option<&HostReading> {
        self.newest_first().find(|reading| reading.at_ns <= time_ns)
    }

    // The long waits for a CPU between readings of the last second.
    fn contended_ns(&self, now: &HostReading) -> u64 {
        let (mut later_ns, mut sum_ns) = (now.run_delay_ns, 0);
        for reading in self.newest_first() {
            if now.at_ns.saturating_sub(reading.at_ns) > CONTENDED_WITHIN_NS {
                break;
            }
            let wait_ns = later_ns.saturating_sub(reading.run_delay_ns);
            sum_ns += if wait_ns > LONG_WAIT_NS { wait_ns } else { 0 };
            later_ns = reading.run_delay_ns;
        }
        sum_ns
    }

    /// What happened between the last reading before a submission and `now`, which ends the given round. None if there
    /// is no such reading.
    #[must_use]
    pub fn part_of(&self, submit_ns: u64, round: &Round, now: &HostReading) -> Option<HostPart> {
        let before = self.before(submit_ns)?;
        Some(HostPart {
            window_ns: now.at_ns - before.at_ns,
            run_delay_ns: now.run_delay_ns.saturating_sub(before.run_delay_ns),
            switches_involuntary: now.switches_involuntary.saturating_sub(before.switches_involuntary),
            unpolled_ns: round.unpolled_ns(submit_ns),
            contended_ns: self.contended_ns(now),
            cpu: now.cpu,
            processor: None,
        })
    }
}

impl Default for HostReadings {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads the counters of the worker's thread.
#[derive(Debug)]
pub struct HostMonitor {
    schedstat: Option<File>,
    readings: HostReadings,
    next_ns: u64,
    budget: u32,
}

impl HostMonitor {
    /// For the calling thread. Nothing is recorded if the kernel does not report the counters.
    #[must_use]
    pub fn of_thread() -> Self {
        let schedstat = File::open("/proc/thread-self/schedstat").ok().filter(|file| run_delay_ns(file).is_some());
        Self { schedstat, ..Self::none() }
    }

    /// Records nothing.
    #[must_use]
    pub fn none() -> Self {
        Self { schedstat: None, readings: HostReadings::new(), next_ns: 0, budget: BUDGET }
    }

    /// Takes the regular reading at the end of a poll if it is due.
    #[inline]
    pub fn read_if_due(&mut self, now: u64) {
        if now >= self.next_ns {
            self.read_regularly(now);
        }
    }

    #[cold]
    fn read_regularly(&mut self, now: u64) {
        self.next_ns = now + SPACING_NS;
        self.budget = (self.budget + 1).min(BUDGET);
        if let Some(reading) = self.read(now) {
            self.readings.add(reading);
        }
    }

    /// Whether slow operations can be looked at: the counters are known, and their budget is not used up.
    #[inline]
    #[must_use]
    pub fn can_look(&self) -> bool {
        self.schedstat.is_some() && self.budget > 0
    }

    /// Takes a reading at the end of a round with slow operations, the shortest of which took `latency_ns`. `later` reads
    /// the clock. None if the thread may have lost the CPU since the poll for a time that matters.
    #[cold]
    pub fn look(&mut self, round: &Round, latency_ns: u64, later: impl FnOnce() -> u64) -> Option<HostReading> {
        self.budget -= 1;
        let reading = self.read(round.end_ns)?;
        let end_ns = later();
        let is_late = end_ns - round.end_ns > LATE_NS.max(latency_ns / LATE_PART);
        self.next_ns = end_ns + SPACING_NS;
        self.readings.add(HostReading { at_ns: if is_late { end_ns } else { round.end_ns }, ..reading });
        (!is_late).then_some(reading)
    }

    /// The readings so far.
    #[must_use]
    pub fn readings(&self) -> &HostReadings {
        &self.readings
    }

    fn read(&self, now: u64) -> Option<HostReading> {
        let run_delay_ns = run_delay_ns(self.schedstat.as_ref()?)?;
        let switches_involuntary = Usage::of_thread().switches_involuntary;
        let cpu = u32::try_from(rustix::thread::sched_getcpu()).unwrap_or(u32::MAX);
        Some(HostReading { at_ns: now, run_delay_ns, switches_involuntary, cpu })
    }
}

// The second number of schedstat. Does not allocate.
fn run_delay_ns(schedstat: &File) -> Option<u64> {
    let mut text = [0; 80];
    let length = schedstat.read_at(&mut text, 0).ok()?;
    std::str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;
    const MS: u64 = 1_000_000;

    fn reading(at_ns: u64, run_delay_ns: u64) -> HostReading {
        HostReading { at_ns, run_delay_ns, switches_involuntary: run_delay_ns / MS, cpu: 3 }
    }

    fn part(readings: &HostReadings, submit_ns: u64, round: Round, run_delay_ns: u64) -> Option<HostPart> {
        readings.part_of(submit_ns, &round, &reading(round.end_ns, run_delay_ns))
    }

    #[test]
    fn the_part_counts_from_the_last_reading_before_the_submission() {
        let mut readings = HostReadings::new();
        for at_ms in 0..5 {
            readings.add(reading(at_ms * MS, at_ms * 10 * US));
        }
        let round = Round { begin_ns: 3 * MS, wait_ns: 3 * MS, end_ns: 7 * MS };
        let found = part(&readings, 2 * MS + 1, round, 4 * MS).expect("a reading before");
        assert_eq!((found.window_ns, found.run_delay_ns), (5 * MS, 4 * MS - 20 * US));
        assert_eq!((found.switches_involuntary, found.cpu), (4, 3));
    }

    #[test]
    fn an_operation_submitted_before_the_oldest_reading_is_unknown() {
        let mut readings = HostReadings::new();
        for at_ns in 1..=3 * KEPT as u64 / 2 {
            readings.add(reading(at_ns, 0));
        }
        let end_ns = 2 * KEPT as u64;
        let round = Round { begin_ns: 0, wait_ns: end_ns, end_ns };
        assert_eq!(part(&readings, KEPT as u64 / 2, round, 0), None);
        let oldest = KEPT as u64 / 2 + 1;
        assert_eq!(part(&readings, oldest, round, 0).map(|part| part.window_ns), Some(end_ns - oldest));
    }

    #[test]
    fn long_waits_for_a_cpu_within_the_last_second_are_contention() {
        let mut readings = HostReadings::new();
        let mut run_delay_ns = 0;
        for at_ms in 0..3000 {
            // A wait of 4 ms once every 500 ms, and short ones in between.
            run_delay_ns += if at_ms % 500 == 250 { 4 * MS } else { 3 * US };
            readings.add(reading(at_ms * MS, run_delay_ns));
        }
        let round = Round { begin_ns: 2999 * MS, wait_ns: 2999 * MS, end_ns: 3000 * MS };
        let contended_ns = |run_delay_ns| part(&readings, 2999 * MS, round, run_delay_ns).map(|part| part.contended_ns);
        assert_eq!(contended_ns(run_delay_ns), Some(8 * MS));
        assert_eq!(contended_ns(run_delay_ns + MS), Some(9 * MS));
    }

    #[test]
    fn time_before_the_wait_and_after_the_submission_is_unpolled() {
        let waits = Round { begin_ns: 10 * US, wait_ns: 15 * US, end_ns: 90 * US };
        assert_eq!(waits.unpolled_ns(0), 5 * US);
        assert_eq!(waits.unpolled_ns(12 * US), 3 * US);
        assert_eq!(waits.unpolled_ns(15 * US), 0);
        let polls = Round { wait_ns: 90 * US, ..waits };
        assert_eq!(polls.unpolled_ns(0), 80 * US);
    }

    #[test]
    fn the_thread_that_ran_without_a_pause_has_counters_of_its_own() {
        let mut monitor = HostMonitor::of_thread();
        assert!(monitor.can_look(), "this kernel reports schedstat");
        monitor.read_if_due(0);
        let round = Round { begin_ns: 0, wait_ns: 0, end_ns: 100 };
        let now = monitor.look(&round, 50, || 100 + LATE_NS).expect("in time");
        assert!(monitor.readings().part_of(50, &round, &now).is_some());
        assert_eq!(monitor.look(&round, 50, || 101 + LATE_NS), None);
        // A delay of 0.1 ms does not matter after half a second.
        assert!(monitor.look(&round, 500 * MS, || 100 + 2 * LATE_NS).is_some());
        assert_eq!(monitor.look(&round, 500 * MS, || 101 + 5 * MS), None);
    }

    #[test]
    fn slow_operations_cannot_cause_readings_without_end() {
        let mut monitor = HostMonitor::of_thread();
        let round = Round { begin_ns: 0, wait_ns: 0, end_ns: 0 };
        let looks = (0..2 * BUDGET).filter(|_| monitor.can_look() && monitor.look(&round, 0, || 0).is_some()).count();
        assert_eq!(looks, BUDGET as usize);
        monitor.read_if_due(2 * SPACING_NS);
        assert!(monitor.can_look());
    }
}
