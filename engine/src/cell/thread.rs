//! The thread that runs one worker.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::placement::set_of;
use super::result::ThreadCpu;
use crate::clock::{Clock, Monotonic};
use crate::failure::{Failure, FailureKind};
use crate::host::{KernelThread, Usage, kernel_threads, migrations};
use crate::job::{Engine, Job};
use crate::pattern::{Accesses, Arrivals, Payload, Shared};
use crate::record::{Faults, Phase, Slowest, Tally, TimeDistribution};
use crate::ring::{
    IoPath, IoWqWorkers, NopRing, NullRing, PassthroughRing, PassthroughTarget, PsyncRing, Ring, RingFacts, UringRing,
};
use crate::target::Target;
use crate::worker::{Censored, HostMonitor, Recorder, Step, Worker, WorkerParts};

/// The start signal of the workers: zero until they may start, then the common start time.
pub struct Gate(AtomicU64);

/// The gate's value if the workers are ended without a start.
const NEVER: u64 = u64::MAX;

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn closed() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Releases every worker with a common start time; None ends them. Parked workers have to be woken.
    pub fn open(&self, start_ns: Option<u64>) {
        self.0.store(start_ns.map_or(NEVER, |start_ns| start_ns.max(1)), Ordering::Release);
    }

    fn wait(&self) -> Option<u64> {
        loop {
            match self.0.load(Ordering::Acquire) {
                0 => std::thread::park(),
                NEVER => return None,
                start_ns => return Some(start_ns),
            }
        }
    }
}

/// Everything a thread needs to run one worker.
pub struct WorkerSetup<'a> {
    /// Which worker.
    pub worker: u32,
    /// The CPUs to pin it to; empty leaves the choice to the scheduler.
    pub cpus: Vec<u32>,
    /// The job.
    pub job: &'a Job,
    /// The target.
    pub target: &'a Target,
    /// State shared by the workers.
    pub shared: &'a Shared,
    /// State shared with the monitor of the io-wq workers.
    pub io_wq: Arc<IoWqWorkers>,
    /// The clock.
    pub clock: Monotonic,
    /// The start signal.
    pub gate: &'a Gate,
    /// Set from outside to end the worker.
    pub stop: Arc<AtomicBool>,
    /// Where tallies go.
    pub recorder: Recorder,
    /// Receives one answer when the worker is ready or has failed.
    pub ready: SyncSender<SetupResult>,
}

/// The worker's number, with what it was granted or why it cannot start.
pub type SetupResult = (u32, Result<Granted, Failure>);

/// What a worker was granted before it starts.
pub struct Granted {
    /// The ring's features.
    pub facts: RingFacts,
    /// The size of its I/O buffers; None if the engine moves no data.
    pub buffer_bytes: Option<u64>,
}

/// A worker's final report.
pub struct WorkerReport {
    /// The last interval.
    pub tally: Box<Tally>,
    /// How often intervals had to be merged.
    pub intervals_merged: u64,
    /// The slowest operations.
    pub slowest: Slowest,
    /// Errors and short transfers.
    pub faults: Faults,
    /// Operations in flight at the end.
    pub censored: Censored,
    /// The largest batch size.
    pub batch_max: u32,
    /// How often a submission had to wake the SQPOLL thread.
    pub sqpoll_wakeups: u64,
    /// The longest timed poll of the completion queue.
    pub sweep_ns_max: u64,
    /// Reap intervals.
    pub reap_gaps: TimeDistribution,
    /// Why the worker ended early.
    pub failure: Option<Failure>,
    /// Whether it was stopped from outside.
    pub stopped: bool,
    /// CPU time over the measurement time; None in virtual time.
    pub cpu: Option<ThreadCpu>,
    /// The kernel threads of all rings just before this ring was closed; see [`kernel_threads`].
    pub kernel_threads: Vec<KernelThread>,
}

/// Runs one worker from start to end; None if it could not start.
pub fn run_worker(setup: WorkerSetup<'_>) -> Option<WorkerReport> {
    let slots = setup.job.slots();
    // Pinned before any memory is touched, so that pages are allocated on the worker's NUMA node.
    let is_pinned = pin(&setup.cpus).is_ok();
    let cpu = if let [cpu] = setup.cpus[..] { Some(cpu).filter(|_| is_pinned) } else { None };
    let (payload, buffers) = match Payload::new(setup.job, slots, setup.worker) {
        Ok(made) => made,
        Err(error) => return refuse(&setup, "cannot allocate the I/O buffers", &error),
    };
    match setup.job.engine {
        Engine::Simulation => unreachable!("simulated jobs run in virtual time, in one thread"),
        Engine::Null => run(setup, cpu, NullRing::new(slots, buffers), payload),
        Engine::Psync => {
            let ring = PsyncRing::new(file_of(&setup), buffers);
            run(setup, cpu, ring, payload)
        }
        Engine::Nop => match NopRing::new(slots, buffers) {
            Ok(ring) => run(setup, cpu, ring, payload),
            Err(error) => refuse(&setup, "io_uring", &error),
        },
        Engine::Passthrough => match PassthroughRing::new(slots, passthrough_target(&setup), buffers, setup.job.poll) {
            Ok(ring) => run(setup, cpu, ring, payload),
            Err(error) => refuse(&setup, "NVMe passthrough", &error),
        },
        Engine::IoUring => match UringRing::new(slots, &io_path(&setup), buffers) {
            Ok(ring) => run(setup, cpu, ring, payload),
            Err(error) => refuse(&setup, "io_uring", &error),
        },
    }
}

// The job was checked before: its target has what its engine needs.
fn file_of(setup: &WorkerSetup<'_>) -> Arc<File> {
    Arc::clone(setup.target.file().expect("the target is a file or a device"))
}

fn io_path(setup: &WorkerSetup<'_>) -> IoPath {
    let (direct, poll) = (setup.target.direct, setup.job.poll);
    IoPath { file: file_of(setup), direct, poll, io_wq: Arc::clone(&setup.io_wq) }
}

fn passthrough_target(setup: &WorkerSetup<'_>) -> PassthroughTarget {
    let namespace = setup.target.namespace.as_ref().expect("the target was opened as a namespace");
    let facts = namespace.facts;
    PassthroughTarget {
        generic: Arc::clone(namespace.generic()),
        block: file_of(setup),
        namespace: facts.number,
        block_bytes: facts.block_bytes,
    }
}

fn refuse(setup: &WorkerSetup<'_>, what: &str, error: &io::Error) -> Option<WorkerReport> {
    // The receiver is gone if the pool has already failed.
    let _ = setup.ready.send((setup.worker, Err(Failure::from_io(FailureKind::EngineRefused, what, error))));
    None
}

fn pin(cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    Ok(sched_setaffinity(None, &set_of(cpus))?)
}

/// The CPUs that this thread may run on, ascending.
#[must_use]
pub fn cpus_allowed() -> Vec<u32> {
    let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect()
}

fn run<R: Ring>(
    setup: WorkerSetup<'_>,
    cpu_pinned: Option<u32>,
    mut ring: R,
    payload: Payload,
) -> Option<WorkerReport> {
    let granted = Granted { facts: ring.facts(), buffer_bytes: Some(ring.buffers().length() as u64) };
    let parts = WorkerParts {
        ring,
        clock: setup.clock,
        accesses: Accesses::new(setup.job, setup.worker, setup.shared),
        payload: Some(payload),
        ledger: setup.target.ledger.clone(),
        arrivals: Arrivals::of(setup.job, setup.worker),
        recorder: setup.recorder,
        host_monitor: HostMonitor::of_thread(),
        stop: setup.stop,
        heard_ns: setup.shared.heard_ns(),
    };
    let migrated = migrations();
    setup.ready.send((setup.worker, Ok(granted))).ok()?;
    let start_ns = setup.gate.wait()?;
    let mut worker = Worker::new(setup.job, parts, start_ns);
    let (before, after) = run_to_end(&mut worker);
    let used = after.since(&before);
    // The kernel's threads exit with the ring.
    let kernel_threads = if setup.job.engine.is_ring_on_a_target() { kernel_threads() } else { Vec::new() };
    let end = worker.finish();
    Some(WorkerReport {
        tally: end.tally,
        intervals_merged: end.intervals_merged,
        slowest: end.slowest,
        faults: end.faults,
        censored: end.censored,
        batch_max: end.batch_max,
        sqpoll_wakeups: end.sqpoll_wakeups,
        sweep_ns_max: end.sweep_ns_max,
        reap_gaps: end.reap_gaps,
        stopped: end.stopped,
        cpu: Some(ThreadCpu {
            worker: setup.worker,
            cpu_pinned,
            user_ns: used.user_ns,
            system_ns: used.system_ns,
            switches_voluntary: used.switches_voluntary,
            switches_involuntary: used.switches_involuntary,
            migrations: migrations().zip(migrated).map(|(now, then)| now - then),
        }),
        kernel_threads,
        failure: end.failure,
    })
}

// Steps the worker to its end, and reads the thread's CPU time at both ends of the measurement.
fn run_to_end<R: Ring, C: Clock>(worker: &mut Worker<R, C>) -> (Usage, Usage) {
    while worker.phase() == Some(Phase::Warmup) && worker.step() == Step::Running {}
    let before = Usage::of_thread();
    while worker.phase() == Some(Phase::Measure) && worker.step() == Step::Running {}
    let after = Usage::of_thread();
    while worker.step() == Step::Running {}
    (before, after)
}
