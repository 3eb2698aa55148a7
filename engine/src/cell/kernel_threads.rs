//! The kernel's threads that `io_uring` hands operations to, and those that look for what is submitted, watched from a thread
//! that measures nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

use super::placement::set_of;
use crate::host::{KernelThread, KernelThreadKind, kernel_threads};
use crate::ring::Helpers;

/// How often they are looked at between the ends of intervals, first and last. They stay for seconds after their last
/// operation; until they are found, they share a CPU with the worker whose operations they do.
const LOOK_NS_MIN: u64 = 5_000_000;
const LOOK_NS_MAX: u64 = 200_000_000;
/// They are busy when they run for longer than one part of so many of the time.
const BUSY_PART: u64 = 2;

/// Kernel threads that were at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelThreads {
    /// Those that operations were handed to (io-wq), at most at a time.
    pub workers: u32,
    /// Those that look for what is submitted (SQPOLL), which workers had when they ended.
    pub sqpoll: u32,
}

/// The CPU time that they have taken, those that have gone included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelThreadsCpu {
    /// Of those that operations were handed to.
    pub workers_ns: u64,
    /// Of those that look for what is submitted.
    pub sqpoll_ns: u64,
}

impl KernelThreadsCpu {
    /// What came after an earlier moment.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self { workers_ns: self.workers_ns - before.workers_ns, sqpoll_ns: self.sqpoll_ns - before.sqpoll_ns }
    }
}

/// Keeps an eye on both.
#[derive(Debug)]
pub struct KernelWatch {
    helpers: Arc<Helpers>,
    cpus: CpuSet,
    // By thread: the CPU time that it was last seen to have taken, of workers and of submission threads.
    cpu_ns: BTreeMap<u32, u64>,
    sqpoll_ns: BTreeMap<u32, u64>,
    // When they were last judged, and what they had spent by then: they are looked at more often than that.
    judged_ns: u64,
    spent_then_ns: u64,
    look_every_ns: u64,
    most_workers_since: u32,
    most_workers: u32,
    // Those that workers saw last. One of a ring that was given up before goes some time later.
    sqpoll_last: BTreeSet<u32>,
}

impl KernelWatch {
    /// None yet; whichever are found may run where helpers may from then on.
    #[must_use]
    pub fn of(helpers: Arc<Helpers>) -> Self {
        Self {
            cpus: set_of(&helpers.cpus),
            helpers,
            cpu_ns: BTreeMap::new(),
            sqpoll_ns: BTreeMap::new(),
            judged_ns: 0,
            spent_then_ns: 0,
            look_every_ns: LOOK_NS_MIN,
            most_workers_since: 0,
            most_workers: 0,
            sqpoll_last: BTreeSet::new(),
        }
    }

    /// Looks, unless that was done just now, and says whether they are busy.
    pub fn look(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.judged_ns) >= self.look_every_ns {
            self.look_now();
            self.judge(now_ns);
            self.look_every_ns = (self.look_every_ns * 2).min(LOOK_NS_MAX);
        }
    }

    fn judge(&mut self, now_ns: u64) {
        let (passed_ns, spent_ns) = (now_ns.saturating_sub(self.judged_ns), self.spent_ns());
        let are_busy = (spent_ns - self.spent_then_ns) * BUSY_PART > passed_ns;
        self.helpers.are_busy.store(are_busy, Ordering::Relaxed);
        (self.judged_ns, self.spent_then_ns) = (now_ns, spent_ns);
    }

    /// The most io-wq workers at a time since this was last asked.
    pub fn most_workers_since(&mut self) -> u32 {
        self.look_now();
        std::mem::take(&mut self.most_workers_since)
    }

    /// Those that have been at work.
    #[must_use]
    pub fn threads(&self) -> KernelThreads {
        let sqpoll = u32::try_from(self.sqpoll_last.len()).unwrap_or(u32::MAX);
        KernelThreads { workers: self.most_workers, sqpoll }
    }

    /// The CPU time of all of them so far.
    pub fn cpu_ns(&mut self) -> KernelThreadsCpu {
        self.look_now();
        KernelThreadsCpu { workers_ns: self.spent_ns(), sqpoll_ns: self.sqpoll_ns.values().sum() }
    }

    // Of the workers alone: a submission thread that looks all the time does no operation for it.
    fn spent_ns(&self) -> u64 {
        self.cpu_ns.values().sum()
    }

    /// Adds what a worker saw before it gave its ring up, and the ring's threads with it.
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

    // The kernel starts them where the worker is held that they do operations for. Those of kernels before Linux 6.3 can't
    // be moved from here, and follow what their ring was told.
    fn look_now(&mut self) {
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
        let helpers = Arc::new(Helpers::default());
        let mut workers = KernelWatch::of(Arc::clone(&helpers));
        workers.judge(0);
        for spent_ns in spent_ns {
            workers.add(&[KernelThread { kind, thread: 7, cpu_ns: *spent_ns }]);
        }
        workers.judge(100 * MS);
        helpers.are_busy.load(Ordering::Relaxed)
    }

    #[test]
    fn they_are_busy_when_they_run_for_most_of_the_time() {
        assert!(are_busy(Worker, &[60 * MS]));
        assert!(!are_busy(Worker, &[40 * MS]));
    }

    #[test]
    fn a_submission_thread_makes_nobody_busy_and_is_counted_apart() {
        assert!(!are_busy(Submitter, &[100 * MS]));
        let mut watch = KernelWatch::of(Arc::default());
        let thread = |kind, thread| KernelThread { kind, thread, cpu_ns: 100 * MS };
        watch.add_last(&[thread(Submitter, 7), thread(Submitter, 8), thread(Worker, 9)]);
        assert_eq!((watch.threads(), watch.most_workers_since()), (KernelThreads { workers: 1, sqpoll: 2 }, 1));
        assert_eq!(watch.cpu_ns(), KernelThreadsCpu { workers_ns: 100 * MS, sqpoll_ns: 200 * MS });
    }

    #[test]
    fn a_submission_thread_of_a_ring_that_was_given_up_before_is_not_counted() {
        let mut watch = KernelWatch::of(Arc::default());
        let thread = |thread, cpu_ns| KernelThread { kind: Submitter, thread, cpu_ns };
        watch.add(&[thread(7, 100 * MS), thread(8, 5 * MS)]);
        watch.add_last(&[thread(8, 90 * MS)]);
        assert_eq!(watch.threads().sqpoll, 1);
    }

    #[test]
    fn what_was_seen_at_the_ends_of_intervals_counts_as_well() {
        assert!(are_busy(Worker, &[20 * MS, 40 * MS, 60 * MS]));
    }
}
