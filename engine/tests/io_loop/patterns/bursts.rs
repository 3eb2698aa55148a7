//! Bursts with think time, and flushes after every N writes.

use iosonde_engine::cell::Outcome;
use iosonde_engine::job::{Engine, Job, Sync};
use iosonde_engine::pattern::Burst;
use iosonde_engine::record::Class;
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{Drive, Model, QueueingModel, Service};

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, WorkerRig, job};

const SERVICE_NS: u64 = 100_000;

fn bursts(operations: u64, think_ns: u64) -> Job {
    Job {
        engine: Engine::Simulation,
        burst: Some(Burst { operations, think_ns }),
        warmup_ns: 0,
        measure_ns: 100 * MS,
        ..job()
    }
}

// Completed reads, and operations in flight integrated over time, on a drive with a server for each operation.
fn run(job: &Job) -> (u64, u64) {
    let model = QueueingModel { size_bytes: 1 << 20, servers: 4, service: Service::Constant, service_ns: SERVICE_NS };
    let (intervals, result) = DriveBay::of(Drive::new(&Model::Queueing(model), 1)).run(job);
    assert_eq!(result.outcome, Outcome::Finished);
    let reads =
        intervals.iter().filter_map(|interval| interval.operations.get(&Class::Read)).map(|totals| totals.count);
    (reads.sum(), intervals.iter().map(|interval| interval.in_flight_ns).sum())
}

#[test]
fn think_time_starts_at_the_last_completion_of_a_burst() {
    // Eight operations at depth 4 take two service times, then 1.8 ms of think time: 8 every 2 ms.
    assert_eq!(run(&bursts(8, 18 * MS / 10)), (400, 400 * SERVICE_NS));
    // Of nine, the last one needs another service time: 9 every 2.1 ms, 48 times.
    assert_eq!(run(&bursts(9, 18 * MS / 10)).0, 432);
}

#[test]
fn bursts_without_think_time_only_wait_for_their_own_completion() {
    // Completions at the very end are not counted.
    assert_eq!(run(&bursts(4, 0)).0, 4_000 - 4);
    // Two service times for six operations.
    assert_eq!(run(&bursts(6, 0)).0, 3_000 - 2);
}

#[test]
fn a_job_with_an_amount_ends_within_a_burst() {
    assert_eq!(run(&Job { amount_bytes: Some(10 * 4096), ..bursts(8, MS) }).0, 10);
}

#[test]
fn a_flush_follows_every_n_writes() {
    let every = Job { read_percent: 0, sync: Sync::Fdatasync, flush_every: 5, queue_depth: 1, ..job() };
    let rig = WorkerRig::new(&every, SERVICE_NS, 20);
    let seen = std::rc::Rc::clone(&rig.seen);
    rig.run();
    for (number, request) in seen.borrow().iter().enumerate() {
        let expected = if number % 6 == 5 { Operation::Flush } else { Operation::Write };
        assert_eq!(request.operation, expected, "number {number}");
    }
}
