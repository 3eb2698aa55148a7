//! Runs a job on simulated drives: one loop steps all workers, and advances virtual time when all of them wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::collector::Collector;
use super::memory_needed;
use super::result::{DriveState, Interval, JobResult};
use super::run_job::targets_of;
use super::thread::{Granted, WorkerReport};
use super::total::{IntervalForwarder, Snapshot, Total};
use crate::clock::Clock;
use crate::failure::Failure;
use crate::job::{Job, Limits};
use crate::pattern::{Accesses, Arrivals, Shared};
use crate::record::Phase;
use crate::ring::{Completion, Operation, Request, RingFacts, SharedBuffers};
use crate::sim::{Drive, IoCommand, Simulation, VirtualClock};
use crate::target::Target;
use crate::worker::{BatchSize, DRAIN_NS_MAX, Machine, MachineParts, ReapIntervals, Step, recorder_pair};
use crate::write_cache::expect_caches;

/// The context of a job on simulated drives.
pub struct SimulatedContext<'a> {
    /// The targets that represent the drives.
    pub targets: &'a [Target],
    /// The drives, in the same order.
    pub drives: &'a mut [Drive],
    /// The virtual clock.
    pub clock: &'a VirtualClock,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
    /// What ends the job early to spare the drive.
    pub limits: Limits,
}

/// Spare tallies of each worker. The loop collects them at every interval.
const SPARES: usize = 2;

// A worker in virtual time. Its submissions reach the drive immediately; its completions are queued here.
struct VirtualWorker {
    machine: Option<Machine>,
    target: usize,
    requests: Vec<Request>,
    completions: Vec<Completion>,
    // When to step it next if nothing completes before.
    wake_ns: u64,
    // Whether it has completions.
    is_due: bool,
}

// The counters at both ends of the measurement.
#[derive(Default)]
struct MeasurementEnds {
    before: Option<Snapshot>,
    after: Option<Snapshot>,
}

impl MeasurementEnds {
    fn note(&mut self, workers: &[VirtualWorker], clock: &VirtualClock) {
        let phase = workers.iter().find_map(|worker| worker.machine.as_ref()?.phase());
        if phase == Some(Phase::Measure) {
            self.before.get_or_insert_with(|| Snapshot::simulated(clock));
        }
        if phase.is_none() {
            self.after.get_or_insert_with(|| Snapshot::simulated(clock));
        }
    }
}

/// Runs a job to its end in virtual time. See [`super::run_job`]. Virtual time stands still until `deciding` returns: the
/// job then goes on, or ends if `stop` is set.
pub fn run_simulated_job(
    job: &Job,
    context: &mut SimulatedContext<'_>,
    started: &mut dyn FnMut(u64),
    interval: &mut dyn FnMut(Interval),
    deciding: &mut dyn FnMut(u64),
) -> Result<JobResult, Failure> {
    let targets = targets_of(job, context.targets)?;
    expect_caches(targets, job.write_cache)?;
    let wanted = targets.len();
    memory_needed::check(job, SPARES, false)?;
    let clock = context.clock.clone();
    clock.check(if job.amount_bytes.is_some() { 0 } else { job.warmup_ns + job.measure_ns })?;
    let start_ns = clock.now();
    // A job without a time limit may reach the end of virtual time.
    let mut may_run_out = job.amount_bytes.is_some();
    let (mut workers, mut collector) = workers(job, context, start_ns);
    started(start_ns);
    let mut forwarder = IntervalForwarder::of(job);
    let measure_start_ns = start_ns + if job.amount_bytes.is_some() { 0 } else { job.warmup_ns };
    let mut total = Total::default();
    // Simulated operations move no data, so there are no buffers.
    total.grant(0, Granted { facts: RingFacts::plain("none"), buffer_bytes: None });
    let mut ends = MeasurementEnds::default();
    loop {
        let now = clock.now();
        if now >= measure_start_ns.saturating_add(forwarder.next_decision_ns()) {
            end_intervals(&mut workers, now);
            collector.gather();
            forwarder.add_ready(&mut collector, interval, deciding);
            if context.stop.load(Ordering::Relaxed) {
                end_all(&mut workers, now);
            }
        }
        let mut has_turned = false;
        for (number, worker) in
            workers.iter_mut().enumerate().filter(|(_, worker)| worker.is_due || worker.wake_ns <= now)
        {
            has_turned |= worker.wake_ns <= now;
            if let Some(report) = tick(worker, &mut context.drives[worker.target], job, number, start_ns, now) {
                let tally = total.add(report, worker.target);
                collector.add_last(number, tally);
                has_turned = true;
            }
        }
        if has_turned {
            collector.gather();
            forwarder.add_ready(&mut collector, interval, deciding);
            ends.note(&workers, &clock);
        }
        if may_run_out && let Err(failure) = clock.check(0) {
            may_run_out = false;
            total.fail(Some(failure));
            context.stop.store(true, Ordering::Relaxed);
            wake_all(&mut workers);
            continue;
        }
        // Completions after the end of all workers are dropped.
        if workers.iter().all(|worker| worker.machine.is_none()) {
            break;
        }
        advance(&mut workers, &mut context.drives[..wanted], start_ns, &clock);
    }
    forwarder.add_rest(&mut collector, interval);
    let [before, after] =
        [ends.before, ends.after].map(|snapshot| snapshot.unwrap_or_else(|| Snapshot::simulated(&clock)));
    let mut result = total.result(job, &forwarder, collector.shares(), &before, &after);
    result.drives = context.drives[..wanted].iter_mut().map(state_of).collect();
    Ok(result)
}

fn state_of(drive: &mut Drive) -> DriveState {
    let drive = drive.simulation();
    let state_hash = format!("{:016x}", drive.state_hash());
    DriveState { disk: String::new(), state_hash, before: None, health: drive.health().into() }
}

fn workers(job: &Job, context: &SimulatedContext<'_>, start_ns: u64) -> (Vec<VirtualWorker>, Collector) {
    let shared = Shared::new(job).within(context.limits.budget.clone());
    let mut spares = Vec::new();
    let workers = (0..job.workers()).map(|number| {
        let (recorder, spare) = recorder_pair(job, SPARES, None);
        spares.push(spare);
        let parts = MachineParts {
            accesses: Accesses::new(job, number, &shared),
            payload: None,
            ledger: None,
            arrivals: Arrivals::of(job, number),
            recorder,
            stop: Arc::clone(&context.stop),
            heard_ns: shared.heard_ns(),
        };
        let slots = job.slots() as usize;
        VirtualWorker {
            machine: Some(Machine::new(job, parts, start_ns)),
            target: (number / job.workers_each()) as usize,
            requests: Vec::with_capacity(slots),
            completions: Vec::with_capacity(slots),
            wake_ns: start_ns,
            is_due: true,
        }
    });
    let workers = workers.collect();
    (workers, Collector::new(spares, job.workers_each() as usize))
}

// One round of a worker while virtual time stands still: it reaps all completions and submits all that it can. Returns
// the final report if this was its last round.
#[inline]
fn tick(
    worker: &mut VirtualWorker,
    drive: &mut Drive,
    job: &Job,
    number: usize,
    start_ns: u64,
    now: u64,
) -> Option<WorkerReport> {
    let machine = worker.machine.as_mut()?;
    machine.advance(now);
    machine.complete(now, &worker.completions);
    worker.completions.clear();
    let slots = job.slots();
    while machine.plan(now, slots as usize, &mut SharedBuffers::none()) > 0 {
        machine.begin(now, |request| worker.requests.push(request));
    }
    let step = machine.end(now);
    let drive = drive.simulation();
    for request in worker.requests.iter().skip(1) {
        drive.prefetch(&io_command(request));
    }
    for request in worker.requests.drain(..) {
        drive.submit(now, tag(start_ns, number, request.slot), &io_command(&request));
    }
    worker.is_due = false;
    if step == Step::Running {
        worker.wake_ns = machine.deadline();
        return None;
    }
    worker.wake_ns = u64::MAX;
    let end = worker.machine.take()?.finish(BatchSize::of(slots).largest(), ReapIntervals::of(job, now));
    Some(WorkerReport {
        tally: end.tally,
        intervals_merged: end.intervals_merged,
        slowest: end.slowest,
        faults: end.faults,
        censored: end.censored,
        failure: end.failure,
        stopped: end.stopped,
        cpu: None,
        batch_max: end.batch_max,
        sqpoll_wakeups: end.sqpoll_wakeups,
        sweep_ns_max: end.sweep_ns_max,
        reap_gaps: end.reap_gaps,
        kernel_threads: Vec::new(),
    })
}

fn io_command(request: &Request) -> IoCommand {
    let is_flush = request.operation == Operation::Flush;
    IoCommand {
        operation: request.operation,
        offset_bytes: request.offset_bytes,
        length_bytes: if is_flush { 0 } else { request.length_bytes },
    }
}

// The command tag: 32 bits for the job, 16 for the worker, 16 for the slot. A command of a stuck job may complete while
// a later job runs, and must then be dropped. The start time in units of `DRAIN_NS_MAX` identifies the job: a stuck job
// waits for that long, so the next job has another number.
fn tag(start_ns: u64, worker: usize, slot: u32) -> u64 {
    ((start_ns / DRAIN_NS_MAX) << 32) | ((worker as u64) << 16) | u64::from(slot)
}

// Ends the intervals that are over by now, before anything that happens now is counted.
#[cold]
fn end_intervals(workers: &mut [VirtualWorker], now: u64) {
    workers.iter_mut().filter_map(|worker| worker.machine.as_mut()).for_each(|machine| machine.advance(now));
}

#[cold]
fn wake_all(workers: &mut [VirtualWorker]) {
    for worker in workers {
        worker.is_due = true;
    }
}

// Ends the measurement of all workers now, as its planned end would.
#[cold]
fn end_all(workers: &mut [VirtualWorker], now: u64) {
    for worker in workers {
        if let Some(machine) = &mut worker.machine {
            machine.end(now);
            worker.is_due = true;
        }
    }
}

// Advances virtual time to the next event, and delivers completions.
fn advance(workers: &mut [VirtualWorker], drives: &mut [Drive], start_ns: u64, clock: &VirtualClock) {
    let (mut next_ns, mut last_ns) = (u64::MAX, 0);
    for done_ns in drives.iter().map(|drive| drive.simulated().next_ns()) {
        (next_ns, last_ns) = (next_ns.min(done_ns), last_ns.max(done_ns));
    }
    if last_ns == u64::MAX {
        starve(workers, drives, clock.now());
    }
    next_ns = workers.iter().map(|worker| worker.wake_ns).fold(next_ns, u64::min);
    if next_ns == u64::MAX {
        return;
    }
    clock.move_to(next_ns.max(clock.now()));
    for drive in drives {
        let drive: &mut dyn Simulation = drive.simulation();
        while let Some((tag, result)) = drive.take_completion(next_ns) {
            #[allow(clippy::cast_possible_truncation)] // See `tag`.
            let (worker, slot) = (usize::from((tag >> 16) as u16), u32::from(tag as u16));
            // The command belongs to an earlier job that was stuck.
            if tag >> 32 != start_ns / DRAIN_NS_MAX {
                continue;
            }
            let worker = &mut workers[worker];
            if worker.machine.is_some() {
                worker.completions.push(Completion { slot, result });
                worker.is_due = true;
            }
        }
    }
}

// Tells the workers on drives that will never complete anything again to stop waiting.
#[cold]
fn starve(workers: &mut [VirtualWorker], drives: &[Drive], now: u64) {
    for worker in workers.iter_mut().filter(|worker| drives[worker.target].simulated().next_ns() == u64::MAX) {
        if let Some(machine) = worker.machine.as_mut()
            && machine.starve(now)
        {
            worker.wake_ns = machine.deadline();
        }
    }
}
