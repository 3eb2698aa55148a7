//! Starts the workers, passes on their intervals, and adds up what they leave behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Scope, ScopedJoinHandle, current, park_timeout, scope};
use std::time::Duration;

use super::collector::Collector;
use super::kernel_workers::KernelWorkers;
use super::memory_needed;
use super::patience::Patience;
use super::placement::{beside, place};
use super::result::{Interval, JobResult};
use super::thread::{Gate, Granted, Legacy, Post, cpus_allowed, drive};
use super::total::{Counted, Moment, Total};
use super::watch::{Watch, Watcher};
use crate::clock::{Clock, Monotonic};
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::Shared;
use crate::ring::Helpers;
use crate::target::Target;
use crate::worker::{DRAIN_NS_MAX, recorder_pair};

/// The longest sleep of the collector, so that what nobody wakes it for is noticed soon.
const SLEEP_NS_MAX: u64 = 20_000_000;
/// Empty tallies for a worker that is alone: two seconds of a front that does not listen, at half-second intervals.
const SPARES_ALONE: usize = 4;
/// Empty tallies for each of many workers.
const SPARES_EACH: usize = 1;

fn spares_each(job: &Job) -> usize {
    if job.workers() == 1 { SPARES_ALONE } else { SPARES_EACH }
}

/// What a job runs in.
pub struct Setting<'a> {
    /// The open targets; a job uses as many of them as it asks for, from the first on.
    pub targets: &'a [Target],
    /// Time.
    pub clock: Monotonic,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
}

/// The targets that a job uses, from the first on, each of them checked.
pub fn targets_of<'a>(job: &Job, open: &'a [Target]) -> Result<&'a [Target], Failure> {
    let wanted = open.get(..job.targets as usize).filter(|targets| !targets.is_empty());
    let targets = wanted.ok_or_else(|| {
        let message = format!("the job is for {} targets, and {} are open", job.targets, open.len());
        Failure::new(FailureKind::NoTarget, message)
    })?;
    for target in targets {
        job.check(target)?;
        if let Some(change) = target.changed() {
            return Err(change);
        }
    }
    Ok(targets)
}

/// Runs a job to its end. `started` is called once all workers stand ready; `interval` with each interval, in order.
///
/// A worker that sleeps in the kernel long after it should have ended is given up: `given_up` is called with the result,
/// and nothing is certain to come after it. Should the kernel wake the worker after all, the same is returned.
pub fn conduct(
    job: &Job,
    setting: &Setting<'_>,
    started: &mut dyn FnMut(u64),
    interval: &mut dyn FnMut(Interval),
    given_up: &mut dyn FnMut(JobResult),
) -> Result<JobResult, Failure> {
    let targets = targets_of(job, setting.targets)?;
    memory_needed::check(job, spares_each(job), true)?;
    // Trims make holes, so that those say nothing of who else is at work.
    let whole: Vec<&Target> = targets.iter().filter(|target| !job.trims() && !target.has_holes_now()).collect();
    let gate = Gate::closed();
    let (shared, watch) = (Shared::new(job), Watch::default());
    scope(|scope| {
        let mut crew = Crew::hire(scope, job, setting, &gate, &shared)?;
        let watcher = Watcher::start(scope, &watch, targets, &setting.stop).inspect_err(|_| crew.send_home(&gate))?;
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
            counted.add_ready(&mut crew.collector, &mut |found| interval(watched(found, &mut crew.kernel_workers)));
            if let Some(workers) = &mut crew.kernel_workers {
                workers.look(setting.clock.now());
            }
            crew.is_given_up |= patience.is_over(setting.clock.now(), is_heard, setting.stop.load(Ordering::Relaxed));
        };
        wait_until(setting.clock, warmup_end_ns, &mut crew, &mut pass_on);
        let before = Moment::real(setting.clock);
        let handed_over_ns = crew.kernel_workers.as_mut().map_or(0, KernelWorkers::cpu_ns);
        wait_until(setting.clock, end_ns, &mut crew, &mut pass_on);
        let after = Moment::real(setting.clock);
        wait_until(setting.clock, u64::MAX, &mut crew, &mut pass_on);
        counted.add_rest(&mut crew.collector, &mut |found| interval(watched(found, &mut crew.kernel_workers)));
        let asleep = crew.asleep();
        let Crew { mut total, collector, kernel_workers, .. } = crew;
        if let Some(mut workers) = kernel_workers {
            total.needed(workers.most(), workers.cpu_ns() - handed_over_ns);
        }
        total.fail(asleep);
        // A worker that met the change knows the offset.
        total.fail(watcher.end());
        if !total.is_stuck() {
            let message = "parts of the target are unwritten that were not: it was made shorter meanwhile";
            let shortened = whole.iter().any(|target| target.has_holes_now());
            total.fail(shortened.then(|| Failure::new(FailureKind::Changed, message)));
        }
        let is_stuck = total.is_stuck();
        let result = total.result(job, &counted, collector.shares(), &before, &after);
        if is_stuck {
            setting.stop.store(true, Ordering::Relaxed);
            // Before the ledgers, which may lie on the drive that does not answer.
            given_up(result.clone());
        }
        // What a power cut is to find has to be on its disk by now.
        targets.iter().filter_map(|target| target.ledger.as_ref()).try_for_each(|ledger| ledger.flush())?;
        Ok(result)
    })
}

type Handle<'scope> = ScopedJoinHandle<'scope, ()>;

// The threads that drive a job, and what those left behind that have ended.
struct Crew<'scope> {
    // Without those that have ended. Nobody joins them: the kernel keeps a thread whose operations don't come back.
    handles: Vec<Option<Handle<'scope>>>,
    ended: Receiver<(usize, Legacy)>,
    collector: Collector,
    total: Total,
    // None where no operation could be handed over.
    kernel_workers: Option<KernelWorkers>,
    targets: &'scope [Target],
    stop: Arc<AtomicBool>,
    workers_each: usize,
    // Whoever still runs sleeps in the kernel, and nobody waits for it any more.
    is_given_up: bool,
}

impl<'scope> Crew<'scope> {
    // Starts the threads and waits until each says that it can go; if one can't, all go home.
    fn hire<'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        job: &'env Job,
        setting: &'env Setting<'env>,
        gate: &'env Gate,
        shared: &'env Shared,
    ) -> Result<Self, Failure> {
        let workers = job.workers();
        let spares_each = spares_each(job);
        let allowed = cpus_allowed();
        let places = places_of(job, setting, &allowed);
        let helpers = Arc::new(Helpers { cpus: beside(&places, &allowed), ..Helpers::default() });
        let mut places = places.into_iter();
        let (ready, answers) = sync_channel(workers as usize);
        let (leave, ended) = sync_channel(workers as usize);
        let mut handles = Vec::with_capacity(workers as usize);
        let mut spares = Vec::with_capacity(workers as usize);
        let mut refusal = None;
        let what = "a thread for each operation in flight";
        for worker in 0..workers {
            let (recorder, spare) = recorder_pair(job, spares_each, Some(current()));
            let post = Post {
                worker,
                cpus: places.next().expect("every worker has a place"),
                job,
                target: &setting.targets[(worker / job.workers_each()) as usize],
                shared,
                helpers: Arc::clone(&helpers),
                clock: setting.clock,
                gate,
                stop: Arc::clone(&setting.stop),
                recorder,
                ready: ready.clone(),
            };
            let builder = std::thread::Builder::new().name(format!("worker {worker}")).stack_size(256 << 10);
            let (leave, collector) = (leave.clone(), current());
            let work = move || {
                // Whoever gave the worker up does not listen any more.
                let _ = drive(post).is_some_and(|legacy| leave.send((worker as usize, legacy)).is_ok());
                collector.unpark();
            };
            match builder.spawn_scoped(scope, work) {
                Ok(handle) => handles.push(Some(handle)),
                Err(error) => {
                    refusal = Some(Failure::from_io(FailureKind::EngineRefused, what, &error));
                    break;
                }
            }
            spares.push(spare);
        }
        drop(ready);
        let total = granted_by(answers.iter().take(handles.len()), &mut refusal);
        let crew = Self {
            handles,
            ended,
            collector: Collector::new(spares, job.workers_each() as usize),
            total,
            kernel_workers: job.engine.is_ring_on_a_target().then(|| KernelWorkers::of(helpers)),
            targets: &setting.targets[..job.targets as usize],
            stop: Arc::clone(&setting.stop),
            workers_each: job.workers_each() as usize,
            is_given_up: false,
        };
        let Some(refusal) = refusal else { return Ok(crew) };
        crew.send_home(gate);
        Err(refusal)
    }

    // Ends those that stand ready.
    fn send_home(&self, gate: &Gate) {
        gate.open(None);
        self.wake();
    }

    fn wake(&self) {
        for handle in self.handles.iter().flatten() {
            handle.thread().unpark();
        }
    }

    fn running(&self) -> bool {
        !self.is_given_up && self.handles.iter().any(Option::is_some)
    }

    // Why a worker that was given up did not end.
    fn asleep(&self) -> Option<Failure> {
        let workers = self.handles.iter().flatten().count();
        (workers > 0).then(|| {
            let (of, limit_s) = (self.handles.len(), DRAIN_NS_MAX / 1_000_000_000);
            let message = format!(
                "{workers} of {of} workers wait in the kernel for an operation that did not come back within {limit_s} s"
            );
            Failure::new(FailureKind::Stuck, message)
        })
    }

    // Takes what the workers have handed over, and all that those leave behind that have ended: a target that is done
    // early holds nobody up. True if there was anything.
    fn gather(&mut self) -> bool {
        let mut is_heard = false;
        while let Ok((worker, mut legacy)) = self.ended.try_recv() {
            self.handles[worker] = None;
            let target = worker / self.workers_each;
            if let Some(failure) = &mut legacy.failure {
                if self.targets.len() > 1 {
                    failure.message = format!("{}: {}", self.targets[target].path().display(), failure.message);
                }
                // What the others would still measure is worth nothing beside it.
                self.stop.store(true, Ordering::Relaxed);
            }
            if let Some(workers) = &mut self.kernel_workers {
                workers.add(&legacy.kernel_workers);
            }
            let tally = self.total.add(legacy, target);
            self.collector.add_last(worker, tally);
            is_heard = true;
        }
        self.collector.gather() || is_heard
    }
}

// What all were granted together; the first refusal is kept.
fn granted_by(answers: impl Iterator<Item = Result<Granted, Failure>>, refusal: &mut Option<Failure>) -> Total {
    let mut total = Total::default();
    for answer in answers {
        match answer {
            Ok(granted) => total.grant(granted),
            Err(error) => *refusal = refusal.take().or(Some(error)),
        }
    }
    total
}

// The CPUs of each worker, in their order.
fn places_of(job: &Job, setting: &Setting<'_>, allowed: &[u32]) -> Vec<Vec<u32>> {
    let targets = &setting.targets[..job.targets as usize];
    let near: Vec<Vec<u32>> = targets.iter().map(|each| each.cpus_near.clone()).collect();
    place(&near, job.workers_each() as usize, allowed)
}

fn watched(found: Interval, kernel_workers: &mut Option<KernelWorkers>) -> Interval {
    Interval { kernel_workers: kernel_workers.as_mut().map(KernelWorkers::most_since), ..found }
}

// Passes intervals on until a time has come or no worker runs any more.
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
