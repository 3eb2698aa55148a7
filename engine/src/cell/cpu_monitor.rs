//! What the CPUs of a job did: readings from the thread that collects the results.

use std::collections::BTreeSet;

use super::frequency_monitor::{FrequencyMonitor, frequencies};
use super::processor_monitor::ProcessorMonitor;
use super::total::Total;
use crate::host::processor_times;

/// Reads steal, interrupts and frequency.
pub struct CpuMonitor {
    processors: ProcessorMonitor,
    frequency: FrequencyMonitor,
}

impl CpuMonitor {
    /// A monitor of the CPUs of the workers. Their frequency is read between the two times.
    pub fn new(cpus: BTreeSet<u32>, from_ns: u64, until_ns: u64) -> Self {
        let frequency = FrequencyMonitor::new(cpus, from_ns, until_ns);
        Self { processors: ProcessorMonitor::default(), frequency }
    }

    /// Takes the readings that are due.
    pub fn read_if_due(&mut self, now: u64) {
        self.processors.read_if_due(now, processor_times);
        self.frequency.read_if_due(now, frequencies);
    }

    /// Takes the last reading, and adds what was found to the result.
    pub fn finish(mut self, now: u64, total: &mut Total) {
        self.processors.read(now, processor_times());
        total.add_processors(&self.processors);
        total.set_frequency(self.frequency.found());
    }
}
