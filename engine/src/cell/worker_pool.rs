//! The worker threads of a job: spawned, monitored and given up.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Scope, ScopedJoinHandle, current};

use super::collector::Collector;
use super::context::JobContext;
use super::kernel_threads::KernelThreadMonitor;
use super::placement::{cpus_used, io_wq_cpus, worker_cpus};
use super::thread::{Gate, SetupResult, WorkerReport, WorkerSetup, cpus_allowed, run_worker};
use super::total::Total;
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::Shared;
use crate::record::Tally;
use crate::ring::IoWqWorkers;
use crate::target::Target;
use crate::watchdog::{also_failed, made_progress, waiting_for};
use crate::worker::{DRAIN_NS_MAX, SILENCE_NS_MAX, recorder_pair};

/// The largest number of spare tallies of a worker. At half-second intervals, they last for two seconds in which the
/// front end does not read or a worker is late.
const SPARES_MOST: u64 = 4;
/// Bound on the spare tallies of all workers together. Each worker has at least one.
const SPARES_BYTES_MAX: u64 = 64 << 20;

/// Spare tallies for each worker of a job.
pub fn spares_each(job: &Job) -> usize {
    let bytes_each = Tally::bytes(&job.classes(), job.pace.is_some()) * u64::from(job.workers());
    usize::try_from((SPARES_BYTES_MAX / bytes_each).clamp(1, SPARES_MOST)).unwrap_or(1)
}

type Handle<'scope> = ScopedJoinHandle<'scope, ()>;

/// The worker threads of a job, and the sum of the reports of those that have ended.
pub struct WorkerPool<'scope> {
    // Handles of the threads that have not ended. They are never joined, because a thread cannot exit before its
    // operations complete.
    handles: Vec<Option<Handle<'scope>>>,
    ended: Receiver<(usize, WorkerReport)>,
    /// Their intervals.
    pub collector: Collector,
    /// The sum of the workers' final reports.
    pub total: Total,
    /// None for engines that submit nothing to the kernel.
    pub kernel_monitor: Option<KernelThreadMonitor>,
    targets: &'scope [Target],
    stop: Arc<AtomicBool>,
    has_end: bool,
    workers_each: usize,
    /// The CPUs on which its workers may run.
    pub cpus: BTreeSet<u32>,
    /// Whether the remaining workers, which sleep in the kernel, are no longer waited for.
    pub is_given_up: bool,
}

impl<'scope> WorkerPool<'scope> {
    /// Spawns the threads and waits until each is ready. If one is not, all are ended.
    pub fn spawn<'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        job: &'env Job,
        context: &'env JobContext<'env>,
        gate: &'env Gate,
        shared: &'env Shared,
    ) -> Result<Self, Failure> {
        let workers = job.workers();
        let spares_each = spares_each(job);
        let allowed = cpus_allowed();
        let cpus = cpus_of_workers(job, context, &allowed);
        let io_wq = Arc::new(IoWqWorkers { cpus: io_wq_cpus(&cpus, &allowed), ..IoWqWorkers::default() });
        let used = cpus_used(&cpus, &allowed);
        let mut cpus = cpus.into_iter();
        let (ready, answers) = sync_channel(workers as usize);
        let (leave, ended) = sync_channel(workers as usize);
        let mut handles = Vec::with_capacity(workers as usize);
        let mut spares = Vec::with_capacity(workers as usize);
        let mut refusal = None;
        let what = "cannot start a thread for each operation in flight";
        for worker in 0..workers {
            let (recorder, spare) = recorder_pair(job, spares_each, Some(current()));
            let setup = WorkerSetup {
                worker,
                cpus: cpus.next().expect("every worker has its CPUs"),
                job,
                target: &context.targets[(worker / job.workers_each()) as usize],
                shared,
                io_wq: Arc::clone(&io_wq),
                clock: context.clock,
                gate,
                stop: Arc::clone(&context.stop),
                recorder,
                ready: ready.clone(),
            };
            let builder = std::thread::Builder::new().name(format!("worker {worker}")).stack_size(256 << 10);
            let (leave, collector) = (leave.clone(), current());
            let work = move || {
                // The receiver is gone if the worker was given up.
                let _ = run_worker(setup).is_some_and(|report| leave.send((worker as usize, report)).is_ok());
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
        let total = granted_by(&answers, handles.len(), job, context.targets, &mut refusal);
        let pool = Self {
            handles,
            ended,
            collector: Collector::new(spares, job.workers_each() as usize),
            total,
            kernel_monitor: job.engine.is_ring_on_a_target().then(|| KernelThreadMonitor::of(io_wq)),
            targets: &context.targets[..job.targets as usize],
            stop: Arc::clone(&context.stop),
            has_end: job.amount_bytes.is_none(),
            workers_each: job.workers_each() as usize,
            cpus: used,
            is_given_up: false,
        };
        let Some(refusal) = refusal else { return Ok(pool) };
        pool.cancel(gate);
        Err(refusal)
    }

    /// Ends workers that are ready but were not started.
    pub fn cancel(&self, gate: &Gate) {
        gate.open(None);
        self.wake();
    }

    /// Wakes all parked workers.
    pub fn wake(&self) {
        for handle in self.handles.iter().flatten() {
            handle.thread().unpark();
        }
    }

    /// Whether any worker is still waited for.
    pub fn running(&self) -> bool {
        !self.is_given_up && self.handles.iter().any(Option::is_some)
    }

    /// The failure if workers that were given up have not ended.
    pub fn stuck_workers(&self) -> Option<Failure> {
        let workers = self.handles.iter().flatten().count();
        (workers > 0).then(|| {
            // The deadline counts from the end of the job, or from the last report if the job has no time limit.
            let has_end = self.has_end || self.stop.load(Ordering::Relaxed);
            let bound = if has_end { DRAIN_NS_MAX } else { SILENCE_NS_MAX };
            let (of, limit_s) = (self.handles.len(), bound / 1_000_000_000);
            let stuck_workers = self.handles.iter().enumerate().filter(|(_, handle)| handle.is_some());
            let prefix = target_prefix(stuck_workers.map(|(worker, _)| worker / self.workers_each), self.targets);
            let message = format!(
                "{prefix}{workers} of {of} workers are blocked in the kernel by an operation that did not complete within \
                 {limit_s} s"
            );
            Failure::new(FailureKind::Stuck, message)
        })
    }

    /// Receives intervals, and the final reports of workers that have ended. A target that ends early does not delay
    /// the others. Returns true if anything arrived.
    pub fn gather(&mut self) -> bool {
        let mut has_news = false;
        while let Ok((worker, mut report)) = self.ended.try_recv() {
            self.handles[worker] = None;
            let target = worker / self.workers_each;
            if let Some(failure) = &mut report.failure {
                if self.targets.len() > 1 {
                    failure.message = format!("{}: {}", self.targets[target].path().display(), failure.message);
                }
                // The results of the other targets are useless without this one, so all workers stop.
                self.stop.store(true, Ordering::Relaxed);
            }
            if let Some(monitor) = &mut self.kernel_monitor {
                monitor.add_last(&report.kernel_threads);
            }
            let tally = self.total.add(report, target);
            self.collector.add_last(worker, tally);
            has_news = true;
        }
        self.collector.gather() || has_news
    }
}

// Waits for all workers and sums what they were granted. Keeps the first refusal. The set-up can take long: it fills
// buffers, creates rings, and reads from a device to find out whether it can be polled.
fn granted_by(
    answers: &Receiver<SetupResult>,
    workers: usize,
    job: &Job,
    targets: &[Target],
    refusal: &mut Option<Failure>,
) -> Total {
    let mut total = Total::default();
    let each = job.workers_each() as usize;
    let mut waiting: Vec<usize> = (0..workers).collect();
    while !waiting.is_empty() {
        let numbers = waiting.iter().map(|worker| worker / each);
        let prefix = target_prefix(numbers, &targets[..job.targets as usize]);
        let source = targets[waiting[0] / each].progress_source();
        waiting_for(format!("{prefix}the set-up of {} of {workers} workers", waiting.len()), source);
        let Ok((worker, answer)) = answers.recv() else { break };
        match answer {
            Ok(granted) => total.grant(worker as usize / each, granted),
            Err(error) => {
                also_failed(&error);
                *refusal = refusal.take().or(Some(error));
            }
        }
        waiting.retain(|other| *other != worker as usize);
        made_progress();
    }
    total
}

// The paths of these targets as the prefix of a message; empty if the job has only one target.
fn target_prefix(numbers: impl Iterator<Item = usize>, targets: &[Target]) -> String {
    if targets.len() < 2 {
        return String::new();
    }
    let numbers: BTreeSet<usize> = numbers.collect();
    let paths: Vec<String> = numbers.iter().map(|number| targets[*number].path().display().to_string()).collect();
    format!("{}: ", paths.join(", "))
}

// The CPUs of each worker, in worker order.
fn cpus_of_workers(job: &Job, context: &JobContext<'_>, allowed: &[u32]) -> Vec<Vec<u32>> {
    let targets = &context.targets[..job.targets as usize];
    let near: Vec<Vec<u32>> = targets.iter().map(|each| each.cpus_near.clone()).collect();
    worker_cpus(&near, job.workers_each() as usize, allowed)
}
