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
use crate::job::Job;
use crate::pattern::{Accesses, Arrivals, Shared};
use crate::record::Phase;
use crate::ring::{Completion, Operation, Request, RingFacts, SharedBuffers};
use crate::sim::{Drive, Serve, Simulation, VirtualClock};
use crate::target::Target;
use crate::worker::{BatchSize, DRAIN_NS_MAX, Machine, MachineParts, ReapIntervals, Step, recorder_pair};

/// The context of a job on simulated drives.
pub struct Bench<'a> {
    /// The targets that represent the drives.
    pub targets: &'a [Target],
    /// The drives, in the same order.
    pub drives: &'a mut [Drive],
    /// The virtual clock.
    pub clock: &'a VirtualClock,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
}

/// Spare tallies of each worker. The loop collects them at every interval.
const SPARES: usize = 2;

// A worker in virtual time. Its submissions reach the drive at once; its completions wait here.
struct Seat {
    worker: Option<Machine>,
    target: usize,
    requests: Vec<Request>,
    completions: Vec<Completion>,
    // When to step it next if nothing completes before.
    wake_ns: u64,
    // Whether it has completions.
    is_due: bool,
}

/// Runs a job to its end in virtual time. See [`super::run_job`].
pub fn run_simulated_job(
    job: &Job,
    bench: &mut Bench<'_>,
    started: &mut dyn FnMut(u64),
    interval: &mut dyn FnMut(Interval),
) -> Result<JobResult, Failure> {
    let wanted = targets_of(job, bench.targets)?.len();
    memory_needed::check(job, SPARES, false)?;
    let clock = bench.clock.clone();
    clock.check(if job.amount_bytes.is_some() { 0 } else { job.warmup_ns + job.measure_ns })?;
    let start_ns = clock.now();
    // A job without a time limit may reach the end of virtual time.
    let mut may_run_out = job.amount_bytes.is_some();
    let (mut seats, mut collector) = seat(job, bench, start_ns);
    started(start_ns);
    let mut forwarder = IntervalForwarder::default();
    let mut total = Total::default();
    // Simulated operations move no data, so there are no buffers.
    total.grant(0, Granted { facts: RingFacts::plain("none"), buffer_bytes: None });
    let (mut before, mut after) = (None, None);
    loop {
        let now = clock.now();
        let mut has_turned = false;
        for (number, seat) in seats.iter_mut().enumerate().filter(|(_, seat)| seat.is_due || seat.wake_ns <= now) {
            has_turned |= seat.wake_ns <= now;
            if let Some(report) = tick(seat, &mut bench.drives[seat.target], job, number, start_ns, now) {
                let tally = total.add(report, seat.target);
                collector.add_last(number, tally);
                has_turned = true;
            }
        }
        if has_turned {
            collector.gather();
            forwarder.add_ready(&mut collector, interval);
            let phase = seats.iter().find_map(|seat| seat.worker.as_ref()?.phase());
            if phase == Some(Phase::Measure) && before.is_none() {
                before = Some(Snapshot::simulated(&clock));
            }
            if phase.is_none() && after.is_none() {
                after = Some(Snapshot::simulated(&clock));
            }
        }
        if may_run_out && let Err(failure) = clock.check(0) {
            may_run_out = false;
            total.fail(Some(failure));
            bench.stop.store(true, Ordering::Relaxed);
            for seat in &mut seats {
                seat.is_due = true;
            }
            continue;
        }
        // Completions after the end of all workers are dropped.
        if seats.iter().all(|seat| seat.worker.is_none()) {
            break;
        }
        advance(&mut seats, &mut bench.drives[..wanted], start_ns, &clock);
    }
    forwarder.add_rest(&mut collector, interval);
    let [before, after] = [before, after].map(|snapshot| snapshot.unwrap_or_else(|| Snapshot::simulated(&clock)));
    let mut result = total.result(job, &forwarder, collector.shares(), &before, &after);
    result.drives = bench.drives[..wanted].iter_mut().map(state_of).collect();
    Ok(result)
}

fn state_of(drive: &mut Drive) -> DriveState {
    let drive = drive.simulation();
    DriveState { state_hash: format!("{:016x}", drive.state_hash()), health: drive.health() }
}

fn seat(job: &Job, bench: &Bench<'_>, start_ns: u64) -> (Vec<Seat>, Collector) {
    let shared = Shared::new(job);
    let mut spares = Vec::new();
    let seats = (0..job.workers()).map(|number| {
        let (recorder, spare) = recorder_pair(job, SPARES, None);
        spares.push(spare);
        let parts = MachineParts {
            accesses: Accesses::new(job, number, &shared),
            payload: None,
            ledger: None,
            arrivals: Arrivals::of(job, number),
            recorder,
            stop: Arc::clone(&bench.stop),
        };
        let slots = job.slots() as usize;
        Seat {
            worker: Some(Machine::new(job, parts, start_ns)),
            target: (number / job.workers_each()) as usize,
            requests: Vec::with_capacity(slots),
            completions: Vec::with_capacity(slots),
            wake_ns: start_ns,
            is_due: true,
        }
    });
    let seats = seats.collect();
    (seats, Collector::new(spares, job.workers_each() as usize))
}

// One round of a worker while virtual time stands still: it reaps all completions and submits all that it can. Returns
// the final report if this was its last round.
#[inline]
fn tick(seat: &mut Seat, drive: &mut Drive, job: &Job, number: usize, start_ns: u64, now: u64) -> Option<WorkerReport> {
    let worker = seat.worker.as_mut()?;
    worker.advance(now);
    worker.complete(now, &seat.completions);
    seat.completions.clear();
    let slots = job.slots();
    while worker.plan(now, slots as usize, &mut SharedBuffers::none()) > 0 {
        worker.begin(now, |request| seat.requests.push(request));
    }
    let step = worker.end(now);
    let drive = drive.simulation();
    for request in seat.requests.iter().skip(1) {
        drive.expect(&serve(request));
    }
    for request in seat.requests.drain(..) {
        drive.submit(now, ticket(start_ns, number, request.slot), &serve(&request));
    }
    seat.is_due = false;
    if step == Step::Running {
        seat.wake_ns = worker.deadline();
        return None;
    }
    seat.wake_ns = u64::MAX;
    let end = seat.worker.take()?.finish(BatchSize::of(slots).largest(), ReapIntervals::of(job, now));
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

fn serve(request: &Request) -> Serve {
    let is_flush = request.operation == Operation::Flush;
    Serve {
        operation: request.operation,
        offset_bytes: request.offset_bytes,
        length_bytes: if is_flush { 0 } else { request.length_bytes },
    }
}

// The command tag: 32 bits for the job, 16 for the worker, 16 for the slot. Commands of a stuck job may complete while
// a later job runs and have to be dropped then. A stuck job has waited for them for `DRAIN_NS_MAX`, so the next one
// starts in another multiple of that time.
fn ticket(start_ns: u64, seat: usize, slot: u32) -> u64 {
    ((start_ns / DRAIN_NS_MAX) << 32) | ((seat as u64) << 16) | u64::from(slot)
}

// Advances virtual time to the next event, and delivers completions.
fn advance(seats: &mut [Seat], drives: &mut [Drive], start_ns: u64, clock: &VirtualClock) {
    let (mut next_ns, mut last_ns) = (u64::MAX, 0);
    for done_ns in drives.iter().map(|drive| drive.simulated().next_ns()) {
        (next_ns, last_ns) = (next_ns.min(done_ns), last_ns.max(done_ns));
    }
    if last_ns == u64::MAX {
        starve(seats, drives, clock.now());
    }
    next_ns = seats.iter().map(|seat| seat.wake_ns).fold(next_ns, u64::min);
    if next_ns == u64::MAX {
        return;
    }
    clock.move_to(next_ns.max(clock.now()));
    for drive in drives {
        let drive: &mut dyn Simulation = drive.simulation();
        while let Some((ticket, result)) = drive.take_done(next_ns) {
            #[allow(clippy::cast_possible_truncation)] // See `ticket`.
            let (seat, slot) = (usize::from((ticket >> 16) as u16), u32::from(ticket as u16));
            // The worker has given up on this operation.
            if ticket >> 32 != start_ns / DRAIN_NS_MAX {
                continue;
            }
            let seat = &mut seats[seat];
            if seat.worker.is_some() {
                seat.completions.push(Completion { slot, result });
                seat.is_due = true;
            }
        }
    }
}

// Ends the wait for a drive that will never complete anything again.
#[cold]
fn starve(seats: &mut [Seat], drives: &[Drive], now: u64) {
    for seat in seats.iter_mut().filter(|seat| drives[seat.target].simulated().next_ns() == u64::MAX) {
        if let Some(worker) = seat.worker.as_mut()
            && worker.starve(now)
        {
            seat.wake_ns = worker.deadline();
        }
    }
}
