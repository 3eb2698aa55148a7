//! The thread around one worker.

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
use crate::record::{Faults, Phase, Slowest, Spread, Tally};
use crate::ring::{
    Destination, FileWay, Helpers, NopRing, NullRing, PassthroughRing, PsyncRing, Ring, RingTruth, UringRing,
};
use crate::target::Target;
use crate::worker::{Censored, Recorder, Step, Worker, WorkerParts};

/// What starts the workers: zero until they may, then the time that all of them start from.
pub struct Gate(AtomicU64);

/// What the gate holds when there will be no start.
const NEVER: u64 = u64::MAX;

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn closed() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Lets every worker start from a time (workers that are parked have to be woken); None sends them home.
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

/// What a thread needs to drive one worker.
pub struct Post<'a> {
    /// Which worker.
    pub worker: u32,
    /// The CPUs to be tied to; none to leave it to the scheduler.
    pub cpus: Vec<u32>,
    /// The job.
    pub job: &'a Job,
    /// The target.
    pub target: &'a Target,
    /// What the workers share.
    pub shared: &'a Shared,
    /// What is known of the kernel's threads that help them.
    pub helpers: Arc<Helpers>,
    /// Time.
    pub clock: Monotonic,
    /// The start.
    pub gate: &'a Gate,
    /// The end, from outside.
    pub stop: Arc<AtomicBool>,
    /// Where counts go.
    pub recorder: Recorder,
    /// Told once, when the worker can start or can't.
    pub ready: SyncSender<Answer>,
}

/// Which worker, and what it was given, or why it can't start.
pub type Answer = (u32, Result<Granted, Failure>);

/// What a worker was given before it starts.
pub struct Granted {
    /// By the kernel.
    pub truth: RingTruth,
    /// The size of its I/O buffers; None where nobody looks at the data.
    pub buffer_bytes: Option<u64>,
}

/// What a thread leaves behind.
pub struct Legacy {
    /// The last interval.
    pub tally: Box<Tally>,
    /// How often intervals had to be added together.
    pub intervals_merged: u64,
    /// The slowest operations.
    pub slowest: Slowest,
    /// What went wrong.
    pub faults: Faults,
    /// What was in flight at the end.
    pub censored: Censored,
    /// The most operations that were to be handed over in one go.
    pub batch_max: u32,
    /// How often the kernel's submission thread had to be woken.
    pub sqpoll_wakeups: u64,
    /// The longest time that one look took.
    pub sweep_ns_max: u64,
    /// Times between looks at what had come back.
    pub reap_gaps: Spread,
    /// Why the worker ended early.
    pub failure: Option<Failure>,
    /// Whether it was stopped from outside.
    pub stopped: bool,
    /// CPU time while measuring; None in virtual time.
    pub cpu: Option<ThreadCpu>,
    /// The kernel threads of all rings when this one was about to be given up; see [`kernel_threads`].
    pub kernel_threads: Vec<KernelThread>,
}

/// Drives one worker from start to end; None when it could not start.
pub fn drive(post: Post<'_>) -> Option<Legacy> {
    let slots = post.job.slots();
    // Before any memory is touched, which then lies where the worker runs.
    let is_pinned = pin(&post.cpus).is_ok();
    let cpu = if let [cpu] = post.cpus[..] { Some(cpu).filter(|_| is_pinned) } else { None };
    let (payload, buffers) = match Payload::new(post.job, slots, post.worker) {
        Ok(made) => made,
        Err(error) => return refuse(&post, "memory for the buffers", &error),
    };
    match post.job.engine {
        Engine::Simulation => unreachable!("a simulated drive is driven in virtual time, by one thread"),
        Engine::Null => run(post, cpu, NullRing::new(slots, buffers), payload),
        Engine::Psync => {
            let ring = PsyncRing::new(file_of(&post), buffers);
            run(post, cpu, ring, payload)
        }
        Engine::Nop => match NopRing::new(slots, buffers) {
            Ok(ring) => run(post, cpu, ring, payload),
            Err(error) => refuse(&post, "io_uring", &error),
        },
        Engine::Passthrough => match PassthroughRing::new(slots, destination(&post), buffers, post.job.poll) {
            Ok(ring) => run(post, cpu, ring, payload),
            Err(error) => refuse(&post, "NVMe passthrough", &error),
        },
        Engine::IoUring => match UringRing::new(slots, &way(&post), buffers) {
            Ok(ring) => run(post, cpu, ring, payload),
            Err(error) => refuse(&post, "io_uring", &error),
        },
    }
}

// A job was checked before it came here: its target has what its engine needs.
fn file_of(post: &Post<'_>) -> Arc<File> {
    Arc::clone(post.target.file().expect("the target is a file or a device"))
}

fn way(post: &Post<'_>) -> FileWay {
    let (direct, poll) = (post.target.direct, post.job.poll);
    FileWay { file: file_of(post), direct, poll, helpers: Arc::clone(&post.helpers) }
}

fn destination(post: &Post<'_>) -> Destination {
    let namespace = post.target.namespace.as_ref().expect("the target was opened as a namespace");
    let facts = namespace.facts;
    Destination {
        generic: Arc::clone(namespace.generic()),
        block: file_of(post),
        namespace: facts.number,
        block_bytes: facts.block_bytes,
    }
}

fn refuse(post: &Post<'_>, what: &str, error: &io::Error) -> Option<Legacy> {
    // Should nobody listen any more, nobody needs the reason.
    let _ = post.ready.send((post.worker, Err(Failure::from_io(FailureKind::EngineRefused, what, error))));
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

fn run<R: Ring>(post: Post<'_>, cpu_pinned: Option<u32>, mut ring: R, payload: Payload) -> Option<Legacy> {
    let granted = Granted { truth: ring.truth(), buffer_bytes: Some(ring.buffers().length() as u64) };
    let parts = WorkerParts {
        ring,
        clock: post.clock,
        accesses: Accesses::new(post.job, post.worker, post.shared),
        payload: Some(payload),
        ledger: post.target.ledger.clone(),
        arrivals: Arrivals::of(post.job, post.worker),
        recorder: post.recorder,
        stop: post.stop,
    };
    let migrated = migrations();
    post.ready.send((post.worker, Ok(granted))).ok()?;
    let start_ns = post.gate.wait()?;
    let mut worker = Worker::new(post.job, parts, start_ns);
    let (before, after) = turn_over(&mut worker);
    let used = after.since(&before);
    // The threads go with the ring.
    let kernel_threads = if post.job.engine.is_ring_on_a_target() { kernel_threads() } else { Vec::new() };
    let end = worker.finish();
    Some(Legacy {
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
            worker: post.worker,
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

// Steps the worker to its end, and reads the thread's CPU time where measuring begins and ends.
fn turn_over<R: Ring, C: Clock>(worker: &mut Worker<R, C>) -> (Usage, Usage) {
    while worker.phase() == Some(Phase::Warmup) && worker.step() == Step::Running {}
    let before = Usage::of_thread();
    while worker.phase() == Some(Phase::Measure) && worker.step() == Step::Running {}
    let after = Usage::of_thread();
    while worker.step() == Step::Running {}
    (before, after)
}
