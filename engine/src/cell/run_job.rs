//! Runs a job on real targets: starts the workers, forwards their intervals and sums their final reports.

use std::mem::take;
use std::sync::atomic::Ordering;
use std::thread::{park_timeout, scope};
use std::time::Duration;

use super::context::JobContext;
use super::cpu_monitor::CpuMonitor;
use super::device_counts::DeviceCounters;
use super::drive_watch::DriveWatch;
use super::kernel_threads::{KernelThreadMonitor, KernelThreadsCpu};
use super::memory_needed;
use super::monitor::{Checks, Monitor, MonitorState};
use super::result::{Interval, JobResult, Outcome};
use super::thread::Gate;
use super::total::{IntervalForwarder, Snapshot, Total};
use super::worker_pool::{WorkerPool, spares_each};
use super::worker_watchdog::WorkerWatchdog;
use crate::clock::{Clock, Monotonic};
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::Shared;
use crate::target::{Target, explained_by_removal};
use crate::watchdog::{ProgressSource, has_its_own_deadlines, waiting_for};
use crate::write_cache::expect_caches;

/// The longest sleep of the collector. It bounds the delay for events that do not wake it.
const SLEEP_NS_MAX: u64 = 20_000_000;
/// Interval between two checks of the targets.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Checks the targets that a job uses, and returns them in the order in which they were opened.
pub fn targets_of<'a>(job: &Job, open: &'a [Target]) -> Result<&'a [Target], Failure> {
    let wanted = open.get(..job.targets as usize).filter(|targets| !targets.is_empty());
    let targets = wanted.ok_or_else(|| {
        let message = format!("the job needs {} targets, but {} are open", job.targets, open.len());
        Failure::new(FailureKind::NoTarget, message)
    })?;
    for target in targets {
        job.check(target)?;
        waiting_for(format!("checking {}", target.path().display()), ProgressSource::None);
        if let Some(change) = target.changed() {
            return Err(explained_by_removal(&change, targets).unwrap_or(change));
        }
    }
    Ok(targets)
}

/// Runs a job to its end. `started` is called when all workers are ready, `interval` with each interval in order, and
/// `deciding` with the measurement time at each moment of a decision. The job does not wait for the decision.
///
/// A worker that still sleeps in the kernel long after it should have ended is given up. `measured` is called with the
/// result before the function waits for a target again. If operations did not complete, the function may never return
/// from that wait. It returns the same result if the kernel wakes the worker after all.
pub fn run_job(
    job: &Job,
    context: &JobContext<'_>,
    started: &mut dyn FnMut(u64),
    interval: &mut dyn FnMut(Interval),
    deciding: &mut dyn FnMut(u64),
    measured: &mut dyn FnMut(JobResult),
) -> Result<JobResult, Failure> {
    let targets = targets_of(job, context.targets)?;
    memory_needed::check(job, spares_each(job), true)?;
    expect_caches(targets, job.write_cache)?;
    let drives = DriveWatch::start(targets, &context.limits)?;
    // New holes mean that another process changed the file, unless the job's own trims punch them.
    let whole: Vec<&Target> = targets.iter().filter(|target| !job.trims() && !has_holes(target)).collect();
    let mut events = Events { started, interval, deciding, measured };
    let mut result = run_workers(job, context, targets, &drives, &mut events)?;
    let is_stuck = result.is_stuck();
    if !is_stuck && whole.iter().any(|target| has_holes(target)) {
        let message = "the target has new holes: it was truncated during the measurement";
        result.fail(Failure::new(FailureKind::Changed, message));
    }
    if let Some(failure) = expect_caches(targets, job.write_cache).err().filter(|_| !is_stuck) {
        result.fail(failure);
    }
    // A power-cut test reads the ledger from disk, so it has to be on disk when the job ends.
    targets.iter().try_for_each(flush_ledger)?;
    if !is_stuck {
        result.drives = drives.end();
    }
    Ok(result)
}

// What is told while a job runs.
struct Events<'a> {
    started: &'a mut dyn FnMut(u64),
    interval: &'a mut dyn FnMut(Interval),
    deciding: &'a mut dyn FnMut(u64),
    measured: &'a mut dyn FnMut(JobResult),
}

fn run_workers(
    job: &Job,
    context: &JobContext<'_>,
    targets: &[Target],
    drives: &DriveWatch,
    events: &mut Events<'_>,
) -> Result<JobResult, Failure> {
    let Events { started, interval, deciding, measured } = events;
    let gate = Gate::closed();
    let shared = Shared::new(job).within(context.limits.budget.clone());
    let (target_state, drive_state) = (MonitorState::default(), MonitorState::default());
    let drive_checks = drives.checks(&context.limits);
    scope(|scope| {
        let mut pool = WorkerPool::spawn(scope, job, context, &gate, &shared)?;
        let target_monitor = Monitor::start(scope, &target_state, target_checks(targets), &context.stop)
            .inspect_err(|_| pool.cancel(&gate))?;
        let drive_monitor =
            Monitor::start(scope, &drive_state, drive_checks, &context.stop).inspect_err(|_| pool.cancel(&gate))?;
        let counters = DeviceCounters::of(targets);
        has_its_own_deadlines();
        let start_ns = context.clock.now();
        gate.open(Some(start_ns));
        pool.wake();
        started(start_ns);
        let mut forwarder = IntervalForwarder::of(job);
        let warmup_end_ns = start_ns + if job.amount_bytes.is_some() { 0 } else { job.warmup_ns };
        let end_ns = job.longest_ns().map_or(u64::MAX, |longest_ns| warmup_end_ns + longest_ns);
        let mut watchdog = WorkerWatchdog::new(start_ns, job.amount_bytes.is_none().then_some(end_ns), job.interval_ns);
        let mut cpus = CpuMonitor::new(take(&mut pool.cpus), warmup_end_ns, end_ns);
        let mut pass_on = |pool: &mut WorkerPool| {
            cpus.read_if_due(context.clock.now());
            let has_news = pool.gather();
            let monitor = &mut pool.kernel_monitor;
            forwarder.add_ready(&mut pool.collector, &mut |found| interval(with_io_wq(found, monitor)), deciding);
            if let Some(monitor) = &mut pool.kernel_monitor {
                monitor.scan_if_due(context.clock.now());
            }
            pool.is_given_up |=
                watchdog.has_expired(context.clock.now(), has_news, context.stop.load(Ordering::Relaxed));
        };
        wait_until(context.clock, warmup_end_ns, &mut pool, &mut pass_on);
        let (before, counts_before) = (Snapshot::real(context.clock), counters.read(context.clock));
        let spent_before = pool.kernel_monitor.as_mut().map(KernelThreadMonitor::cpu_ns);
        wait_until(context.clock, end_ns, &mut pool, &mut pass_on);
        let (after, counts_after) = (Snapshot::real(context.clock), counters.read(context.clock));
        wait_until(context.clock, u64::MAX, &mut pool, &mut pass_on);
        forwarder.add_rest(&mut pool.collector, &mut |found| interval(with_io_wq(found, &mut pool.kernel_monitor)));
        let stuck_workers = pool.stuck_workers();
        let WorkerPool { mut total, collector, kernel_monitor, .. } = pool;
        add_kernel_threads(&mut total, kernel_monitor.zip(spent_before));
        cpus.finish(context.clock.now(), &mut total);
        total.fail(stuck_workers);
        // Comes after the workers' failures: a worker that noticed the change also reports the offset.
        total.fail(target_monitor.end());
        total.fail(drive_monitor.end());
        total.fail(total.failure().and_then(|failure| explained_by_removal(failure, targets)));
        let is_stuck = total.is_stuck();
        let mut result = total.result(job, &forwarder, collector.shares(), &before, &after);
        result.devices = counters.between(&counts_before, &counts_after);
        if is_stuck {
            context.stop.store(true, Ordering::Relaxed);
        }
        measured(result.clone());
        Ok(result)
    })
}

impl JobResult {
    // Whether operations did not complete, so that nothing may wait for the target any more.
    fn is_stuck(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Stuck)
    }

    /// Adds a failure found after the job ended; see [`Failure::after`].
    pub fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure.after(self.failure.take()));
        self.outcome = Outcome::Failed;
    }
}

// The checks that no target changes while a job runs.
fn target_checks(targets: &[Target]) -> Option<Checks<impl Fn() -> Option<Failure> + Send + '_>> {
    let check = || targets.iter().find_map(Target::changed);
    targets.iter().any(|target| target.file().is_some()).then_some(Checks {
        name: "watcher",
        every: CHECK_EVERY,
        silent: "the file system",
        check,
    })
}

fn has_holes(target: &Target) -> bool {
    waiting_for(format!("searching {} for holes", target.path().display()), target.progress_source());
    target.has_holes_now()
}

fn flush_ledger(target: &Target) -> Result<(), Failure> {
    let Some(ledger) = &target.ledger else { return Ok(()) };
    waiting_for(format!("flushing the ledger of {} to disk", target.path().display()), ledger.progress_source());
    ledger.flush()
}

// The kernel threads of a job, with their CPU time at the start of the measurement.
fn add_kernel_threads(total: &mut Total, found: Option<(KernelThreadMonitor, KernelThreadsCpu)>) {
    if let Some((mut monitor, before)) = found {
        let spent = monitor.cpu_ns().since(before);
        total.set_kernel_threads(monitor.threads(), spent);
    }
}

fn with_io_wq(found: Interval, monitor: &mut Option<KernelThreadMonitor>) -> Interval {
    Interval { kernel_workers: monitor.as_mut().map(KernelThreadMonitor::most_workers_since), ..found }
}

// Forwards intervals until the given time, or until all workers have ended.
fn wait_until<'scope>(
    clock: Monotonic,
    until_ns: u64,
    pool: &mut WorkerPool<'scope>,
    pass_on: &mut dyn FnMut(&mut WorkerPool<'scope>),
) {
    loop {
        pass_on(pool);
        let left_ns = until_ns.saturating_sub(clock.now());
        if left_ns == 0 || !pool.running() {
            return;
        }
        park_timeout(Duration::from_nanos(left_ns.min(SLEEP_NS_MAX)));
    }
}
