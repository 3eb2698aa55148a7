//! The I/O loop allocates nothing once it runs, as counted by the allocator.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use common::job;
use iosonde_engine::clock::{Clock, Monotonic};
use iosonde_engine::job::{Job, Pattern, RATE_PER_S_MAX, Sync};
use iosonde_engine::pattern::{Accesses, ArrivalKind, Arrivals, OpenLoop, Payload, Shared};
use iosonde_engine::ring::NullRing;
use iosonde_engine::worker::{HostMonitor, Step, Worker, WorkerParts, recorder_pair};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(job: &Job) -> u64 {
    let clock = Monotonic::start();
    let (recorder, mut spares) = recorder_pair(job, 4, None);
    let (payload, buffers) = Payload::new(job, job.slots(), 0).expect("memory for a few buffers");
    let parts = WorkerParts {
        ring: NullRing::new(job.slots(), buffers),
        clock,
        accesses: Accesses::new(job, 0, &Shared::new(job)),
        payload: Some(payload),
        ledger: None,
        arrivals: Arrivals::of(job, 0),
        recorder,
        host_monitor: HostMonitor::of_thread(),
        stop: Arc::default(),
        heard_ns: Arc::default(),
    };
    let mut worker = Worker::new(job, parts, clock.now());
    assert_eq!(worker.step(), Step::Running);
    let before = ALLOCATIONS.get();
    let mut rounds = 0_u64;
    while worker.step() == Step::Running {
        if let Ok(tally) = spares.full.pop() {
            spares.recycle(tally);
        }
        rounds += 1;
    }
    let allocated = ALLOCATIONS.get() - before;
    assert!(rounds > 100, "only {rounds} rounds");
    allocated
}

#[test]
fn a_mixed_job_allocates_nothing_from_its_second_round_to_its_end() {
    assert_eq!(allocations_of(&Job { read_percent: 70, queue_depth: 64, ..job() }), 0);
}

#[test]
fn the_writes_to_steady_state_allocate_nothing_from_the_second_round_to_the_end() {
    let pattern = Pattern::FastRandom { over_provisioning_permille: 150 };
    assert_eq!(allocations_of(&Job { read_percent: 0, queue_depth: 64, pattern, ..job() }), 0);
}

#[test]
fn a_job_of_commits_allocates_nothing_from_its_second_round_to_its_end() {
    assert_eq!(allocations_of(&Job { read_percent: 0, sync: Sync::Fdatasync, ..job() }), 0);
}

#[test]
fn an_overloaded_open_loop_allocates_nothing_however_much_waits() {
    // 10⁹ arrivals per second, which no loop keeps up with: hundreds of thousands wait almost at once.
    let pace = Some(OpenLoop { rate_per_s: RATE_PER_S_MAX, arrivals: ArrivalKind::Poisson });
    assert_eq!(allocations_of(&Job { pace, queue_depth: 64, ..job() }), 0);
}
