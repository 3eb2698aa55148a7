//! The kernel's threads that `io_uring` hands operations to, watched from a thread that measures nothing.

use std::collections::BTreeMap;

use crate::host::kernel_workers;

/// How often they are looked at between the ends of intervals. They stay for seconds after their last operation.
const LOOK_NS: u64 = 200_000_000;

/// How many there were, and the CPU time that they took.
#[derive(Debug, Default)]
pub struct KernelWorkers {
    // By thread: the CPU time that it was last seen to have taken.
    cpu_ns: BTreeMap<u32, u64>,
    looked_ns: u64,
    most_since: u32,
    most: u32,
}

impl KernelWorkers {
    /// Looks, unless that was done just now.
    pub fn look(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.looked_ns) >= LOOK_NS {
            self.looked_ns = now_ns;
            self.look_now();
        }
    }

    /// The most at a time since this was last asked.
    pub fn most_since(&mut self) -> u32 {
        self.look_now();
        std::mem::take(&mut self.most_since)
    }

    /// The most at a time so far.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The CPU time of all of them so far, of those that have gone as well.
    pub fn cpu_ns(&mut self) -> u64 {
        self.look_now();
        self.cpu_ns.values().sum()
    }

    /// Adds what a worker saw before it gave its ring up, and the ring's threads with it.
    pub fn add(&mut self, found: &[(u32, u64)]) {
        let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
        self.most_since = self.most_since.max(count);
        self.most = self.most.max(count);
        for &(thread, cpu_ns) in found {
            let known = self.cpu_ns.entry(thread).or_default();
            *known = cpu_ns.max(*known);
        }
    }

    fn look_now(&mut self) {
        self.add(&kernel_workers());
    }
}
