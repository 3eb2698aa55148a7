//! What each CPU did besides running threads: steal and interrupts, read from a thread that does not measure.

use std::collections::VecDeque;

use crate::host::ProcessorTimes;
use crate::record::ProcessorPart;

/// The time between two readings. The counters are in units of clock ticks, usually 10 ms.
const SPACING_NS: u64 = 100_000_000;
/// The most values that are kept, over all readings and CPUs. Older readings are dropped.
const VALUES_MAX: usize = 500_000;

struct Reading {
    at_ns: u64,
    times: Vec<ProcessorTimes>,
}

/// Readings of the counters of all CPUs. Of several equal ones in a row, the first and the last are kept.
#[derive(Default)]
pub struct ProcessorMonitor {
    readings: VecDeque<Reading>,
    next_ns: u64,
}

impl ProcessorMonitor {
    /// Takes a reading if it is due.
    pub fn read_if_due(&mut self, now: u64, times: impl FnOnce() -> Vec<ProcessorTimes>) {
        if now >= self.next_ns {
            self.read(now, times());
        }
    }

    /// Adds a reading.
    pub fn read(&mut self, now: u64, times: Vec<ProcessorTimes>) {
        self.next_ns = now + SPACING_NS;
        let mut last = self.readings.iter_mut().rev();
        if let (Some(last), Some(previous)) = (last.next(), last.next())
            && last.times == times
            && previous.times == times
        {
            last.at_ns = now;
            return;
        }
        while self.readings.len() * times.len().max(1) >= VALUES_MAX {
            self.readings.pop_front();
        }
        self.readings.push_back(Reading { at_ns: now, times });
    }

    /// What a CPU did between the readings around an operation; None if there are none, or the CPU is unknown.
    #[must_use]
    pub fn part_of(&self, cpu: u32, submit_ns: u64, reap_ns: u64) -> Option<ProcessorPart> {
        let before = self.readings.iter().rev().find(|reading| reading.at_ns <= submit_ns)?;
        let after = self.readings.iter().find(|reading| reading.at_ns >= reap_ns)?;
        let [then, now] = [before, after].map(|reading| reading.times.iter().find(|each| each.cpu == cpu));
        let (then, now) = then.zip(now)?;
        Some(ProcessorPart {
            window_ns: after.at_ns - before.at_ns,
            steal_ns: now.steal_ns.saturating_sub(then.steal_ns),
            interrupt_ns: now.interrupt_ns.saturating_sub(then.interrupt_ns),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(steal_ns: u64) -> Vec<ProcessorTimes> {
        vec![ProcessorTimes { cpu: 7, steal_ns, interrupt_ns: 2 * steal_ns }]
    }

    #[test]
    fn the_readings_around_an_operation_tell_what_its_cpu_did() {
        let mut monitor = ProcessorMonitor::default();
        for (at_ns, steal_ns) in [(0, 0), (100, 10), (200, 30), (300, 30)] {
            monitor.read(at_ns, times(steal_ns));
        }
        let part = ProcessorPart { window_ns: 200, steal_ns: 30, interrupt_ns: 60 };
        assert_eq!(monitor.part_of(7, 90, 150), Some(part));
        assert_eq!(monitor.part_of(8, 90, 150), None);
        assert_eq!(monitor.part_of(7, 90, 301), None);
    }

    #[test]
    fn equal_readings_in_a_row_take_no_memory() {
        let mut monitor = ProcessorMonitor::default();
        for at_ns in 0..1000 {
            monitor.read(at_ns, times(0));
        }
        monitor.read(1000, times(5));
        assert_eq!(monitor.readings.len(), 3);
        assert_eq!(monitor.part_of(7, 500, 500).map(|part| part.steal_ns), Some(0));
        assert_eq!(monitor.part_of(7, 999, 1000).map(|part| (part.window_ns, part.steal_ns)), Some((1, 5)));
    }

    #[test]
    fn readings_are_taken_at_most_every_tenth_of_a_second() {
        let mut monitor = ProcessorMonitor::default();
        for at_ns in (0..=2 * SPACING_NS).step_by(20_000_000) {
            monitor.read_if_due(at_ns, || times(at_ns));
        }
        assert_eq!(monitor.readings.len(), 3);
    }
}
