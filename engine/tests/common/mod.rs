//! Shared by the tests: a default job, a manual clock, and a scripted ring.
#![allow(dead_code)] // Each test program uses a part of it.

pub mod drive_bay;
pub mod faulty_ring;
pub mod front;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iosonde_engine::clock::Clock;
use iosonde_engine::job::{Data, Engine, FAILED_MAX, Job, Pattern, Sync};
use iosonde_engine::pattern::{Accesses, Arrivals, Direction, Payload, Shared};
use iosonde_engine::ring::{Buffers, Completion, Poll, Request, Ring, RingFacts, SharedBuffers};
use iosonde_engine::worker::{FinalReport, HostMonitor, Step, TallyReceiver, Worker, WorkerParts, recorder_pair};

/// A millisecond in nanoseconds.
pub const MS: u64 = 1_000_000;

/// Random 4 KiB reads at queue depth 4 over 1 MiB: 10 ms of warm-up, 30 ms of measurement, intervals of 10 ms.
pub fn job() -> Job {
    Job {
        engine: Engine::Null,
        pattern: Pattern::Random,
        read_percent: 100,
        trim_percent: 0,
        block_size_bytes: 4096,
        block_sizes: Vec::new(),
        queue_depth: 4,
        jobs: 1,
        targets: 1,
        poll: Poll::Interrupt,
        sync: Sync::None,
        flush_every: 1,
        data: Data::Random,
        compressible_percent: 0,
        duplicates_percent: 0,
        verify: false,
        seed: 7,
        offset_bytes: 0,
        span_bytes: 1 << 20,
        warmup_ns: 10 * MS,
        measure_ns: 30 * MS,
        interval_ns: 10 * MS,
        pace: None,
        burst: None,
        duty: None,
        failed_max: FAILED_MAX,
        write_cache: None,
        amount_bytes: None,
        limit_ns: None,
        decide_ns: None,
        done_bytes: 0,
    }
}

/// A worker's data, in buffers like a ring's.
pub struct Written {
    pub payload: Payload,
    pub buffers: SharedBuffers,
}

impl Written {
    pub fn of(job: &Job, slots: u32, worker: u32) -> Self {
        let (payload, buffers) = Payload::new(job, slots, worker).expect("memory for a few buffers");
        Self { payload, buffers: buffers.into() }
    }

    /// Where a slot's next operation has its data.
    pub fn place(&mut self, slot: u32, direction: Direction, length_bytes: u32) -> usize {
        self.payload.prepare(&mut self.buffers, slot, direction, 0, length_bytes)
    }

    /// The data of a slot's next write.
    pub fn block(&mut self, slot: u32, length_bytes: u32) -> Vec<u8> {
        let at = self.place(slot, Direction::Write, length_bytes);
        assert_eq!(at % 4096, 0);
        let mut block = vec![0; length_bytes as usize];
        self.buffers.read(at, &mut block);
        block
    }
}

/// A clock that is advanced by hand.
#[derive(Clone, Default)]
pub struct ManualClock(Rc<Cell<u64>>);

impl ManualClock {
    pub fn advance(&self, by_ns: u64) {
        self.0.set(self.0.get() + by_ns);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.0.get()
    }
}

/// Completes each operation after a fixed time, in order, with the scripted result (by default its length).
pub struct ScriptedRing {
    clock: ManualClock,
    service_ns: u64,
    // Whether operations complete before the submitting call returns.
    pub is_done_at_once: bool,
    // The time that each push takes; the kernel may start the operation at once.
    pub push_ns: u64,
    // Completions made visible by one call, and the duration of such a call.
    pub seen_at_once: usize,
    pub uncover_ns: u64,
    visible: usize,
    waiting: VecDeque<(u64, Request)>,
    buffers: SharedBuffers,
    pub script: Rc<RefCell<VecDeque<Option<i32>>>>,
    pub seen: Rc<RefCell<Vec<Request>>>,
}

impl ScriptedRing {
    pub fn new(clock: &ManualClock, service_ns: u64) -> Self {
        Self {
            clock: clock.clone(),
            service_ns,
            is_done_at_once: false,
            push_ns: 0,
            seen_at_once: usize::MAX,
            uncover_ns: 0,
            visible: 0,
            waiting: VecDeque::new(),
            buffers: SharedBuffers::none(),
            script: Rc::default(),
            seen: Rc::default(),
        }
    }
}

impl ScriptedRing {
    /// Attaches a worker's buffers.
    pub fn attach(&mut self, buffers: Buffers) {
        self.buffers = buffers.into();
    }

    // Operations completed by now.
    fn due(&self) -> usize {
        self.waiting.iter().take_while(|(due, _)| *due <= self.clock.now()).count()
    }
}

impl Ring for ScriptedRing {
    fn push(&mut self, request: Request) {
        self.seen.borrow_mut().push(request);
        self.waiting.push_back((self.clock.now() + self.service_ns, request));
        self.clock.advance(self.push_ns);
    }

    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        let now = self.clock.now();
        let due = self.waiting.front().map_or(u64::MAX, |(due, _)| *due);
        if self.is_done_at_once {
            self.clock.advance(self.service_ns);
        } else if wait_for > 0 {
            self.clock.advance(due.saturating_sub(now).min(timeout_ns));
        }
        self.visible = self.due().min(self.seen_at_once);
        Ok(())
    }

    fn reap(&mut self, into: &mut Vec<Completion>) {
        for _ in 0..std::mem::take(&mut self.visible) {
            let Some((_, request)) = self.waiting.pop_front() else { return };
            let good = if request.operation.moves_data() { request.length_bytes.cast_signed() } else { 0 };
            let told = self.script.borrow_mut().pop_front().flatten();
            into.push(Completion { slot: request.slot, result: told.unwrap_or(good) });
        }
    }

    fn has_deferred_work(&mut self) -> bool {
        self.due() > 0
    }

    fn run_deferred_work(&mut self) {
        self.visible = self.due().min(self.seen_at_once);
        self.clock.advance(self.uncover_ns);
    }

    fn buffers(&mut self) -> &mut SharedBuffers {
        &mut self.buffers
    }

    fn facts(&self) -> RingFacts {
        RingFacts::plain("none")
    }
}

/// A worker on a scripted ring, with everything that a test manipulates.
pub struct WorkerRig {
    pub worker: Worker<ScriptedRing, ManualClock>,
    pub clock: ManualClock,
    pub spares: TallyReceiver,
    pub stop: Arc<AtomicBool>,
    pub script: Rc<RefCell<VecDeque<Option<i32>>>>,
    pub seen: Rc<RefCell<Vec<Request>>>,
}

impl WorkerRig {
    pub fn new(job: &Job, service_ns: u64, spares: usize) -> Self {
        let clock = ManualClock::default();
        let ring = ScriptedRing::new(&clock, service_ns);
        Self::on(job, ring, clock, spares)
    }

    pub fn on(job: &Job, ring: ScriptedRing, clock: ManualClock, spares: usize) -> Self {
        Self::starting(job, ring, clock, spares, 0)
    }

    /// A worker that starts at a given time.
    pub fn starting(job: &Job, mut ring: ScriptedRing, clock: ManualClock, spares: usize, start_ns: u64) -> Self {
        let (payload, buffers) = Payload::new(job, job.slots(), 0).expect("memory for a few buffers");
        ring.attach(buffers);
        let (script, seen) = (Rc::clone(&ring.script), Rc::clone(&ring.seen));
        let (recorder, spares) = recorder_pair(job, spares, None);
        let stop = Arc::new(AtomicBool::new(false));
        let parts = WorkerParts {
            ring,
            clock: clock.clone(),
            accesses: Accesses::new(job, 0, &Shared::new(job)),
            payload: Some(payload),
            ledger: None,
            arrivals: Arrivals::of(job, 0),
            recorder,
            host_monitor: HostMonitor::none(),
            stop: Arc::clone(&stop),
            heard_ns: Arc::default(),
        };
        Self { worker: Worker::new(job, parts, start_ns), clock, spares, stop, script, seen }
    }

    /// Steps to the end, within a generous bound.
    pub fn run(mut self) -> (FinalReport, TallyReceiver) {
        for _ in 0..1_000_000 {
            if self.worker.step() == Step::Done {
                return (self.worker.finish(), self.spares);
            }
        }
        panic!("the worker did not end");
    }
}
