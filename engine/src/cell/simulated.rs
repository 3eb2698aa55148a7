//! A job on simulated drives: one loop steps all workers, and moves the time whenever none of them has anything to do.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::collector::Collector;
use super::result::{DriveState, Interval, JobResult};
use super::thread::Legacy;
use super::total::{Counted, Moment, Total};
use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::pattern::{Accesses, Arrivals, Shared};
use crate::record::Phase;
use crate::ring::{Completion, Operation, Request, Ring};
use crate::sim::{Drive, Port, Serve, SimRing, Simulation, VirtualClock};
use crate::target::Target;
use crate::worker::{Step, Worker, WorkerParts, recorder_pair};

/// What a simulated job runs in.
pub struct Bench<'a> {
    /// What stands for the drives.
    pub targets: &'a [Target],
    /// The drives, in the same order.
    pub drives: &'a mut [Drive],
    /// Time.
    pub clock: &'a VirtualClock,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
}

/// Empty tallies for each worker: the loop reads them at every interval.
const SPARES: usize = 2;

struct Seat {
    worker: Option<Worker<SimRing, VirtualClock>>,
    port: Rc<RefCell<Port>>,
    target: usize,
}

impl Seat {
    // Whether a step now would do something.
    fn is_due(&self, now: u64) -> bool {
        let Some(worker) = &self.worker else { return false };
        !self.port.borrow().completions.is_empty() || worker.can_launch() || worker.wake_ns() <= now
    }
}

/// Runs a job to its end in virtual time. See [`super::conduct`].
pub fn conduct_simulated(
    job: &Job,
    bench: &mut Bench<'_>,
    started: &mut dyn FnMut(u64),
    interval: &mut dyn FnMut(Interval),
) -> Result<JobResult, Failure> {
    let wanted = job.targets as usize;
    if wanted == 0 || wanted > bench.targets.len() {
        let open = bench.targets.len();
        let message = format!("the job is for {wanted} targets, and {open} are open");
        return Err(Failure::new(FailureKind::NoTarget, message));
    }
    bench.targets[..wanted].iter().try_for_each(|target| job.check(target))?;
    let clock = bench.clock.clone();
    let start_ns = clock.now();
    let (mut seats, mut collector) = seat(job, bench, start_ns);
    started(start_ns);
    let mut counted = Counted::default();
    let mut total = Total::default();
    let (mut before, mut after) = (None, None);
    while seats.iter().any(|seat| seat.worker.is_some()) {
        let now = clock.now();
        while let Some(number) = seats.iter().position(|seat| seat.is_due(now)) {
            if let Some(legacy) = step(&mut seats[number], &mut bench.drives[..wanted], number, now) {
                let tally = total.add(legacy, seats[number].target);
                collector.add_last(number, tally);
            }
        }
        collector.gather();
        while let Some(tally) = collector.take_next() {
            counted.add(Interval::from(&tally), interval);
        }
        let phase = seats.iter().find_map(|seat| seat.worker.as_ref()?.phase());
        if phase == Some(Phase::Measure) && before.is_none() {
            before = Some(Moment::simulated(&clock));
        }
        if phase.is_none() && after.is_none() {
            after = Some(Moment::simulated(&clock));
        }
        advance(&mut seats, &mut bench.drives[..wanted], &clock);
    }
    for phase in [Phase::Warmup, Phase::Measure] {
        if let Some(tally) = collector.rest(phase) {
            counted.add(Interval::from(&tally), interval);
        }
    }
    let now = Moment::simulated(&clock);
    let after = after.unwrap_or(now);
    let before = before.unwrap_or_else(|| Moment::simulated(&clock));
    let mut result = total.result(job, &counted, collector.shares(), &before, &after);
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
        let (ring, port) = SimRing::new();
        let parts = WorkerParts {
            ring,
            clock: bench.clock.clone(),
            accesses: Accesses::new(job, number, &shared),
            payload: None,
            arrivals: Arrivals::of(job, number),
            recorder,
            stop: Arc::clone(&bench.stop),
        };
        let target = (number / job.workers_each()) as usize;
        Seat { worker: Some(Worker::new(job, parts, start_ns)), port, target }
    });
    let seats = seats.collect();
    (seats, Collector::new(spares, job.workers_each() as usize))
}

// One step of a worker, and what it hands over on its way to the drive. What it leaves behind, if that was its last.
fn step(seat: &mut Seat, drives: &mut [Drive], number: usize, now: u64) -> Option<Legacy> {
    let step = seat.worker.as_mut()?.step();
    let drive = drives[seat.target].simulation();
    for request in seat.port.borrow_mut().requests.drain(..) {
        drive.submit(now, ticket(number, request.slot), &serve(&request));
    }
    if step == Step::Running {
        return None;
    }
    let end = seat.worker.take()?.finish();
    Some(Legacy {
        tally: end.tally,
        intervals_merged: end.intervals_merged,
        slowest: end.slowest,
        faults: end.faults,
        censored: end.censored,
        failure: end.failure,
        stopped: end.stopped,
        cpu: None,
        truth: end.ring.truth(),
        kernel_workers: 0,
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

fn ticket(seat: usize, slot: u32) -> u64 {
    ((seat as u64) << 32) | u64::from(slot)
}

// Moves the time to whatever comes next, and hands out what is done by then.
fn advance(seats: &mut [Seat], drives: &mut [Drive], clock: &VirtualClock) {
    let woken = seats.iter().filter_map(|seat| seat.worker.as_ref().map(Worker::wake_ns));
    let done = drives.iter_mut().map(|drive| drive.simulation().next_ns());
    let Some(next_ns) = woken.chain(done).min() else { return };
    if next_ns == u64::MAX {
        return;
    }
    clock.move_to(next_ns.max(clock.now()));
    for drive in drives {
        let drive: &mut dyn Simulation = drive.simulation();
        while let Some((ticket, result)) = drive.take_done(next_ns) {
            #[allow(clippy::cast_possible_truncation)] // A ticket is two numbers of 32 bits.
            let (seat, slot) = ((ticket >> 32) as usize, ticket as u32);
            // What comes back after its worker gave up is for nobody.
            seats[seat].port.borrow_mut().completions.push_back(Completion { slot, result });
        }
    }
}
