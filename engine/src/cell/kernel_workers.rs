//! The kernel's threads that `io_uring` hands operations to, and those that look for what is submitted, watched from a thread
//! that measures nothing.

use std::collections::BTreeMap;
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

/// How many io-wq workers there were, and the CPU time that they and the submission threads of SQPOLL took. Of these there is
/// one for each ring that has been granted `sqpoll`, which its flags say, so that they are not counted here.
#[derive(Debug)]
pub struct KernelWorkers {
    helpers: Arc<Helpers>,
    cpus: CpuSet,
    // By thread: the CPU time that it was last seen to have taken, of workers and of submission threads.
    cpu_ns: BTreeMap<u32, u64>,
    submitters_ns: BTreeMap<u32, u64>,
    // When they were last judged, and what they had spent by then: they are looked at more often than that.
    judged_ns: u64,
    spent_then_ns: u64,
    look_every_ns: u64,
    most_since: u32,
    most: u32,
}

impl KernelWorkers {
    /// None yet; whichever are found may run where helpers may from then on.
    #[must_use]
    pub fn of(helpers: Arc<Helpers>) -> Self {
        Self {
            cpus: set_of(&helpers.cpus),
            helpers,
            cpu_ns: BTreeMap::new(),
            submitters_ns: BTreeMap::new(),
            judged_ns: 0,
            spent_then_ns: 0,
            look_every_ns: LOOK_NS_MIN,
            most_since: 0,
            most: 0,
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
        self.spent_ns() + self.submitters_ns.values().sum::<u64>()
    }

    // Of the workers alone: a submission thread that looks all the time does no operation for it.
    fn spent_ns(&self) -> u64 {
        self.cpu_ns.values().sum()
    }

    /// Adds what a worker saw before it gave its ring up, and the ring's threads with it.
    pub fn add(&mut self, found: &[KernelThread]) {
        let count = found.iter().filter(|each| each.kind == KernelThreadKind::Worker).count();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.most_since = self.most_since.max(count);
        self.most = self.most.max(count);
        for &KernelThread { kind, thread, cpu_ns } in found {
            let spent = match kind {
                KernelThreadKind::Worker => &mut self.cpu_ns,
                KernelThreadKind::Submitter => &mut self.submitters_ns,
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
        let mut workers = KernelWorkers::of(Arc::clone(&helpers));
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
    fn a_submission_thread_makes_nobody_busy_and_is_no_worker_but_its_cpu_time_counts() {
        assert!(!are_busy(Submitter, &[100 * MS]));
        let mut workers = KernelWorkers::of(Arc::default());
        let thread = |kind, thread| KernelThread { kind, thread, cpu_ns: 100 * MS };
        workers.add(&[thread(Submitter, 7), thread(Submitter, 8), thread(Worker, 9)]);
        assert_eq!((workers.most(), workers.most_since(), workers.cpu_ns()), (1, 1, 300 * MS));
    }

    #[test]
    fn what_was_seen_at_the_ends_of_intervals_counts_as_well() {
        assert!(are_busy(Worker, &[20 * MS, 40 * MS, 60 * MS]));
    }
}
