//! Runs a job on real targets: starts the workers, forwards their intervals and sums their final reports.

use std::sync::atomic::Ordering;
use std::thread::{park_timeout, scope};
use std::time::Duration;

use super::crew::{Crew, spares_each};
use super::device_counts::Witness;
use super::kernel_threads::KernelWatch;
use super::memory_needed;
use super::patience::Patience;
use super::result::{Interval, JobResult, Outcome};
use super::setting::Setting;
use super::thread::Gate;
use super::total::{Counted, Moment};
use super::watch::{Watch, Watcher};
use crate::clock::{Clock, Monotonic};
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::Shared;
use crate::target::Target;
use crate::watchdog::{Signs, has_its_own_deadlines, waits_for};

/// The longest sleep of the collector. It bounds the delay for events that do not wake it.
const SLEEP_NS_MAX: u64 = 20_000_000;

/// The targets that a job uses, in the order in which they were opened. Each is checked.
pub fn targets_of<'a>(job: &Job, open: &'a [Target]) -> Result<&'a [Target], Failure> {
    let wanted = open.get(..job.targets as usize).filter(|targets| !targets.is_empty());
    let targets = wanted.ok_or_else(|| {
        let message = format!("the job needs {} targets, but {} are open", job.targets, open.len());
        Failure::new(FailureKind::NoTarget, message)
    })?;
    for target in targets {
        job.check(target)?;
        waits_for(format!("checking {}", target.path().display()), Signs::None);
        if let Some(change) = target.changed() {
            return Err(change);
        }
    }
    Ok(targets)
}

/// Runs a job to its end. `started` is called when all workers are ready, `interval` with each interval in order.
///
/// A worker that sleeps in the kernel long after its end is given up. `measured` is called with the result before
/// anything else can wait for a target. If operations did not complete, the function may never return after that call.
/// If the kernel does wake the worker later, the same result is returned.
pub fn conduct(
    job: &Job,
    setting: &Setting<'_>,
    started: &mut dyn FnMut(u64),
    interval: &mut dyn FnMut(Interval),
    measured: &mut dyn FnMut(JobResult),
) -> Result<JobResult, Failure> {
    let targets = targets_of(job, setting.targets)?;
    memory_needed::check(job, spares_each(job), true)?;
    // Trims punch holes, so holes then do not prove that another process changed the file.
    let whole: Vec<&Target> = targets.iter().filter(|target| !job.trims() && !has_holes(target)).collect();
    let gate = Gate::closed();
    let (shared, watch) = (Shared::new(job), Watch::default());
    scope(|scope| {
        let mut crew = Crew::hire(scope, job, setting, &gate, &shared)?;
        let watcher = Watcher::start(scope, &watch, targets, &setting.stop).inspect_err(|_| crew.send_home(&gate))?;
        let witness = Witness::of(targets);
        has_its_own_deadlines();
        let start_ns = setting.clock.now();
        gate.open(Some(start_ns));
        crew.wake();
        started(start_ns);
        let mut counted = Counted::default();
        let warmup_end_ns = start_ns + if job.amount_bytes.is_some() { 0 } else { job.warmup_ns };
        let end_ns = if job.amount_bytes.is_some() { u64::MAX } else { warmup_end_ns + job.measure_ns };
        let mut patience = Patience::new(start_ns, job.amount_bytes.is_none().then_some(end_ns), job.interval_ns);
        let mut pass_on = |crew: &mut Crew| {
            let is_heard = crew.gather();
            counted.add_ready(&mut crew.collector, &mut |found| interval(watched(found, &mut crew.kernel_watch)));
            if let Some(watch) = &mut crew.kernel_watch {
                watch.look(setting.clock.now());
            }
            crew.is_given_up |=
                patience.has_expired(setting.clock.now(), is_heard, setting.stop.load(Ordering::Relaxed));
        };
        wait_until(setting.clock, warmup_end_ns, &mut crew, &mut pass_on);
        let (before, counts_before) = (Moment::real(setting.clock), witness.look(setting.clock));
        let spent_before = crew.kernel_watch.as_mut().map(KernelWatch::cpu_ns);
        wait_until(setting.clock, end_ns, &mut crew, &mut pass_on);
        let (after, counts_after) = (Moment::real(setting.clock), witness.look(setting.clock));
        wait_until(setting.clock, u64::MAX, &mut crew, &mut pass_on);
        counted.add_rest(&mut crew.collector, &mut |found| interval(watched(found, &mut crew.kernel_watch)));
        let asleep = crew.asleep();
        let Crew { mut total, collector, kernel_watch, .. } = crew;
        if let Some((mut watch, before)) = kernel_watch.zip(spent_before) {
            let spent = watch.cpu_ns().since(before);
            total.set_kernel_threads(watch.threads(), spent);
        }
        total.fail(asleep);
        // A worker that noticed the change knows the offset.
        total.fail(watcher.end());
        let is_stuck = total.is_stuck();
        let mut result = total.result(job, &counted, collector.shares(), &before, &after);
        result.devices = witness.between(&counts_before, &counts_after);
        if is_stuck {
            setting.stop.store(true, Ordering::Relaxed);
        }
        measured(result.clone());
        if !is_stuck && whole.iter().any(|target| has_holes(target)) {
            let message = "the target has new unwritten parts: it was truncated during the measurement";
            result.fail(Failure::new(FailureKind::Changed, message));
        }
        // A power-cut test reads the ledger from its disk, so it has to be there by now.
        targets.iter().try_for_each(flush_ledger)?;
        Ok(result)
    })
}

impl JobResult {
    /// Adds a failure found after the job ended; see [`Failure::after`].
    pub fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure.after(self.failure.take()));
        self.outcome = Outcome::Failed;
    }
}

fn has_holes(target: &Target) -> bool {
    waits_for(format!("searching {} for holes", target.path().display()), target.signs());
    target.has_holes_now()
}

fn flush_ledger(target: &Target) -> Result<(), Failure> {
    let Some(ledger) = &target.ledger else { return Ok(()) };
    waits_for(format!("writing the ledger of {} to its disk", target.path().display()), ledger.signs());
    ledger.flush()
}

fn watched(found: Interval, watch: &mut Option<KernelWatch>) -> Interval {
    Interval { kernel_workers: watch.as_mut().map(KernelWatch::most_workers_since), ..found }
}

// Forwards intervals until the given time, or until all workers have ended.
fn wait_until<'scope>(
    clock: Monotonic,
    until_ns: u64,
    crew: &mut Crew<'scope>,
    pass_on: &mut dyn FnMut(&mut Crew<'scope>),
) {
    loop {
        pass_on(crew);
        let left_ns = until_ns.saturating_sub(clock.now());
        if left_ns == 0 || !crew.running() {
            return;
        }
        park_timeout(Duration::from_nanos(left_ns.min(SLEEP_NS_MAX)));
    }
}
