//! Monitors the io-wq workers and SQPOLL threads of `io_uring`, from a thread that does not measure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

use super::placement::set_of;
use crate::host::{KernelThread, KernelThreadKind, kernel_threads};
use crate::ring::IoWqWorkers;

/// Bounds of the time between two scans. There is also a scan at the end of each interval. Kernel threads exit seconds
/// after their last operation, so a scan finds them. The first scans are frequent because an io-wq worker shares a CPU
/// with the submitting thread until a scan moves it.
const SCAN_NS_MIN: u64 = 5_000_000;
const SCAN_NS_MAX: u64 = 200_000_000;
/// The io-wq workers are busy if their CPU time exceeds half of the elapsed time.
const BUSY_PART: u64 = 2;

/// The number of kernel threads that `io_uring` used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelThreads {
    /// The largest number of io-wq workers at one time.
    pub workers: u32,
    /// SQPOLL threads that existed when their workers ended.
    pub sqpoll: u32,
}

/// CPU time of the kernel threads, including those that have exited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelThreadsCpu {
    /// Of the io-wq workers.
    pub workers_ns: u64,
    /// Of the SQPOLL threads.
    pub sqpoll_ns: u64,
}

impl KernelThreadsCpu {
    /// The difference from an earlier reading.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self { workers_ns: self.workers_ns - before.workers_ns, sqpoll_ns: self.sqpoll_ns - before.sqpoll_ns }
    }
}

/// Monitors io-wq workers and SQPOLL threads.
#[derive(Debug)]
pub struct KernelThreadMonitor {
    io_wq: Arc<IoWqWorkers>,
    cpus: CpuSet,
    // CPU time at the last scan, by thread: io-wq workers, then SQPOLL threads.
    cpu_ns: BTreeMap<u32, u64>,
    sqpoll_ns: BTreeMap<u32, u64>,
    // Time of the last busy check and the CPU time at that point. Scans are more frequent.
    checked_ns: u64,
    spent_at_check_ns: u64,
    scan_every_ns: u64,
    most_workers_since: u32,
    most_workers: u32,
    // The SQPOLL threads that existed when workers ended. Scans also see threads of replaced rings, which exit late.
    sqpoll_last: BTreeSet<u32>,
}

impl KernelThreadMonitor {
    /// Starts with no known threads. Each io-wq worker that a scan finds is moved to the CPUs in `io_wq`.
    #[must_use]
    pub fn of(io_wq: Arc<IoWqWorkers>) -> Self {
        Self {
            cpus: set_of(&io_wq.cpus),
            io_wq,
            cpu_ns: BTreeMap::new(),
            sqpoll_ns: BTreeMap::new(),
            checked_ns: 0,
            spent_at_check_ns: 0,
            scan_every_ns: SCAN_NS_MIN,
            most_workers_since: 0,
            most_workers: 0,
            sqpoll_last: BTreeSet::new(),
        }
    }

    /// Scans the threads if the scan interval has passed, and updates the busy flag.
    pub fn scan_if_due(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.checked_ns) >= self.scan_every_ns {
            self.scan();
            self.update_busy(now_ns);
            self.scan_every_ns = (self.scan_every_ns * 2).min(SCAN_NS_MAX);
        }
    }

    fn update_busy(&mut self, now_ns: u64) {
        let (passed_ns, spent_ns) = (now_ns.saturating_sub(self.checked_ns), self.spent_ns());
        let are_busy = (spent_ns - self.spent_at_check_ns) * BUSY_PART > passed_ns;
        self.io_wq.are_busy.store(are_busy, Ordering::Relaxed);
        (self.checked_ns, self.spent_at_check_ns) = (now_ns, spent_ns);
    }

    /// The largest number of io-wq workers at one time since the last call.
    pub fn most_workers_since(&mut self) -> u32 {
        self.scan();
        std::mem::take(&mut self.most_workers_since)
    }

    /// The threads seen so far.
    #[must_use]
    pub fn threads(&self) -> KernelThreads {
        let sqpoll = u32::try_from(self.sqpoll_last.len()).unwrap_or(u32::MAX);
        KernelThreads { workers: self.most_workers, sqpoll }
    }

    /// The CPU time of all threads so far.
    pub fn cpu_ns(&mut self) -> KernelThreadsCpu {
        self.scan();
        KernelThreadsCpu { workers_ns: self.spent_ns(), sqpoll_ns: self.sqpoll_ns.values().sum() }
    }

    // Excludes SQPOLL threads: they spin all the time and execute no operations.
    fn spent_ns(&self) -> u64 {
        self.cpu_ns.values().sum()
    }

    /// Adds the kernel threads that a worker found before it closed its ring. They exit when the ring is closed.
    pub fn add_last(&mut self, found: &[KernelThread]) {
        let submitters = found.iter().filter(|each| each.kind == KernelThreadKind::Submitter);
        self.sqpoll_last.extend(submitters.map(|each| each.thread));
        self.add(found);
    }

    fn add(&mut self, found: &[KernelThread]) {
        let workers = found.iter().filter(|each| each.kind == KernelThreadKind::Worker).count();
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        self.most_workers_since = self.most_workers_since.max(workers);
        self.most_workers = self.most_workers.max(workers);
        for &KernelThread { kind, thread, cpu_ns } in found {
            let spent = match kind {
                KernelThreadKind::Worker => &mut self.cpu_ns,
                KernelThreadKind::Submitter => &mut self.sqpoll_ns,
            };
            let known = spent.entry(thread).or_default();
            *known = cpu_ns.max(*known);
        }
    }

    // The kernel starts io-wq workers on the CPUs of the submitting thread. Before Linux 6.3, another thread cannot
    // move them, so the ring sets their affinity instead.
    fn scan(&mut self) {
        let found = kernel_threads();
        let workers = found.iter().filter(|each| each.kind == KernelThreadKind::Worker);
        for new in workers.filter(|each| !self.cpu_ns.contains_key(&each.thread)) {
            let _ = sched_setaffinity(Pid::from_raw(new.thread.cast_signed()), &self.cpus);
        }
        self.add(&found);
    }
}

#[cfg(test)]
mod tests {
    use super::KernelThreadKind::{Submitter, Worker};
    use super::*;

    const MS: u64 = 1_000_000;

    fn are_busy(kind: KernelThreadKind, spent_ns: &[u64]) -> bool {
        let io_wq = Arc::new(IoWqWorkers::default());
        let mut workers = KernelThreadMonitor::of(Arc::clone(&io_wq));
        workers.update_busy(0);
        for spent_ns in spent_ns {
            workers.add(&[KernelThread { kind, thread: 7, cpu_ns: *spent_ns }]);
        }
        workers.update_busy(100 * MS);
        io_wq.are_busy.load(Ordering::Relaxed)
    }

    #[test]
    fn io_wq_workers_are_busy_when_they_run_for_most_of_the_time() {
        assert!(are_busy(Worker, &[60 * MS]));
        assert!(!are_busy(Worker, &[40 * MS]));
    }

    #[test]
    fn an_sqpoll_thread_is_counted_separately_and_not_as_busy() {
        assert!(!are_busy(Submitter, &[100 * MS]));
        let mut monitor = KernelThreadMonitor::of(Arc::default());
        let thread = |kind, thread| KernelThread { kind, thread, cpu_ns: 100 * MS };
        monitor.add_last(&[thread(Submitter, 7), thread(Submitter, 8), thread(Worker, 9)]);
        assert_eq!((monitor.threads(), monitor.most_workers_since()), (KernelThreads { workers: 1, sqpoll: 2 }, 1));
        assert_eq!(monitor.cpu_ns(), KernelThreadsCpu { workers_ns: 100 * MS, sqpoll_ns: 200 * MS });
    }

    #[test]
    fn an_sqpoll_thread_of_a_replaced_ring_is_not_counted() {
        let mut monitor = KernelThreadMonitor::of(Arc::default());
        let thread = |thread, cpu_ns| KernelThread { kind: Submitter, thread, cpu_ns };
        monitor.add(&[thread(7, 100 * MS), thread(8, 5 * MS)]);
        monitor.add_last(&[thread(8, 90 * MS)]);
        assert_eq!(monitor.threads().sqpoll, 1);
    }

    #[test]
    fn scans_at_interval_ends_add_to_the_cpu_time() {
        assert!(are_busy(Worker, &[20 * MS, 40 * MS, 60 * MS]));
    }
}
