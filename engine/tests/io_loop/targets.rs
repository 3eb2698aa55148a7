//! Several targets at the same time, each with its own workers and totals.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::common::{MS, job};
use iosonde_engine::cell::{Collector, Interval, JobContext, JobResult, Outcome, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::failure::{Failure, FailureKind};
use iosonde_engine::job::{Engine, Job, Limits, Pattern};
use iosonde_engine::pattern::{Accesses, Shared};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::ring::uring_refused;
use iosonde_engine::target::{FileOptions, Target};
use iosonde_engine::worker::{Recorder, recorder_pair};

const MIB: u64 = 1 << 20;

fn files(folder: &Path, number: u64) -> Vec<Target> {
    let options = FileOptions { write: true, create_bytes: Some(4 * MIB), direct: false };
    let made = (0..number).map(|each| Target::open(&folder.join(each.to_string()), options));
    made.collect::<Result<_, _>>().expect("new files")
}

fn run(targets: &[Target], job: &Job) -> Result<(JobResult, Vec<Interval>), Failure> {
    let context = JobContext { targets, clock: Monotonic::start(), stop: Arc::default(), limits: Limits::default() };
    let mut intervals = Vec::new();
    let result =
        run_job(job, &context, &mut |_| {}, &mut |interval| intervals.push(interval), &mut |_| {}, &mut |_| {})?;
    Ok((result, intervals))
}

fn on(targets: u32) -> Job {
    Job { engine: Engine::Psync, queue_depth: 2, targets, span_bytes: 4 * MIB, ..job() }
}

fn fill(targets: u32) -> Job {
    let sequential = Job { pattern: Pattern::Sequential, read_percent: 0, ..on(targets) };
    Job { amount_bytes: Some(4 * MIB), block_size_bytes: 65536, ..sequential }
}

#[test]
fn an_amount_is_moved_on_each_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let targets = files(folder.path(), 3);
    let (result, _) = run(&targets, &fill(3)).expect("a job that can run");
    assert_eq!(result.outcome, Outcome::Finished, "{:?}", result.failure);
    let written: Vec<u64> = result.targets.iter().map(|share| share.count(Class::Write)).collect();
    assert_eq!(written, [64, 64, 64]);
    assert!(targets.iter().all(|target| !target.has_holes_now()));
}

#[test]
fn target_totals_add_up_to_the_intervals() {
    let folder = tempfile::tempdir().expect("a folder");
    let targets = files(folder.path(), 2);
    run(&targets, &fill(2)).expect("filling");
    let mut engines = vec![Engine::Psync];
    if uring_refused().is_none() {
        engines.push(Engine::IoUring);
    }
    for engine in engines {
        let (result, intervals) = run(&targets, &Job { engine, jobs: 2, ..on(2) }).expect("a job that can run");
        assert_eq!(result.outcome, Outcome::Finished, "{engine:?}: {:?}", result.failure);
        assert_eq!(result.engine.workers, if engine == Engine::Psync { 8 } else { 4 });
        let shares: u64 = result.targets.iter().map(|share| share.count(Class::Read)).sum();
        let measured = intervals.iter().filter(|each| each.phase == Phase::Measure);
        let counted: u64 = measured.filter_map(|each| each.operations.get(&Class::Read)).map(|all| all.count).sum();
        assert_eq!((result.targets.len(), shares), (2, counted), "{engine:?}");
        let seen: HashSet<u32> = result.slowest.iter().map(|slow| slow.target).collect();
        assert!(seen.iter().all(|target| *target < 2), "{seen:?}");
    }
}

#[test]
fn a_job_may_use_only_the_first_targets() {
    let folder = tempfile::tempdir().expect("a folder");
    let targets = files(folder.path(), 2);
    let (result, _) = run(&targets, &fill(1)).expect("a job that can run");
    assert_eq!((result.targets.len(), targets[0].has_holes_now(), targets[1].has_holes_now()), (1, false, true));
}

#[test]
fn more_targets_than_are_open_or_none_at_all_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let targets = files(folder.path(), 2);
    for asked in [0, 3] {
        assert_eq!(run(&targets, &on(asked)).expect_err("too many or none").kind, FailureKind::NoTarget, "{asked}");
    }
    let shorter =
        Target::open(&folder.path().join("2"), FileOptions { write: true, create_bytes: Some(MIB), direct: false });
    let uneven = [targets.into_iter().next().expect("two were made"), shorter.expect("a new file")];
    assert_eq!(run(&uneven, &on(2)).expect_err("a span beyond the second").kind, FailureKind::BadJob);
}

#[test]
fn a_target_that_changes_ends_the_job_on_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let targets = files(folder.path(), 2);
    run(&targets, &fill(2)).expect("filling");
    let second = folder.path().join("1");
    let changer = std::thread::spawn({
        let second = second.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            std::fs::remove_file(second).expect("removing the file");
        }
    });
    let (result, _) = run(&targets, &Job { measure_ns: 20_000 * MS, ..on(2) }).expect("it had begun");
    changer.join().expect("the changer");
    let failure = result.failure.expect("a target that is gone is a failure");
    assert_eq!(failure.kind, FailureKind::Changed);
    assert!(failure.message.contains(&second.display().to_string()), "{}", failure.message);
}

#[test]
fn a_worker_that_ends_early_does_not_delay_intervals_of_the_others() {
    let (mut first, first_spares) = recorder_pair(&crate::common::job(), 4, None);
    let (mut second, second_spares) = recorder_pair(&crate::common::job(), 4, None);
    let mut collector = Collector::new(vec![first_spares, second_spares], 1);
    for recorder in [&mut first, &mut second] {
        recorder.begin(Phase::Measure, 0);
        recorder.current().record(Class::Read, 100, 4096);
    }
    second.next_interval(10, Phase::Measure, 1);
    collector.gather();
    assert!(collector.take_next().is_none(), "the first may still count in this interval");
    let (tally, _) = first.finish(7);
    collector.add_last(0, tally);
    let both = collector.take_next().expect("the first interval is over");
    assert_eq!((both.class(Class::Read).count, both.end_ns), (2, 10));
    second.current().record(Class::Read, 100, 4096);
    second.next_interval(20, Phase::Measure, 2);
    collector.gather();
    let alone = collector.take_next().expect("the second interval is over, and nobody else is at work");
    assert_eq!((alone.class(Class::Read).count, alone.interval_first), (1, 1));
    let counts: Vec<u64> = collector.shares().iter().map(|share| share.count(Class::Read)).collect();
    assert_eq!(counts, [1, 2]);
}

#[test]
fn each_target_has_its_own_random_order() {
    let random = Job { targets: 2, jobs: 2, ..job() };
    let shared = Shared::new(&random);
    let drawn = |worker: u32| {
        let mut accesses = Accesses::new(&random, worker, &shared);
        (0..32).filter_map(|_| accesses.draw()).map(|access| access.offset_bytes).collect::<Vec<_>>()
    };
    let orders: HashSet<Vec<u64>> = (0..4).map(drawn).collect();
    assert_eq!(orders.len(), 4);
}

#[test]
fn sequential_streams_have_the_same_shares_on_every_target() {
    let sequential = Job { pattern: Pattern::Sequential, targets: 2, jobs: 2, ..job() };
    let shared = Shared::new(&sequential);
    for worker in 0..4 {
        let mut accesses = Accesses::new(&sequential, worker, &shared);
        let blocks: HashSet<u64> =
            (0..128).filter_map(|_| accesses.draw()).map(|access| access.offset_bytes / 4096).collect();
        let first = u64::from(worker % 2) * 128;
        assert_eq!(blocks, (first..first + 128).collect(), "worker {worker}");
    }
}

#[test]
fn workers_that_report_at_different_times_do_not_block_each_other() {
    let (mut first, first_spares) = recorder_pair(&crate::common::job(), 1, None);
    let (mut second, second_spares) = recorder_pair(&crate::common::job(), 1, None);
    let mut collector = Collector::new(vec![first_spares, second_spares], 1);
    let turn = |recorder: &mut Recorder, interval: u64| {
        recorder.current().record(Class::Read, 100, 4096);
        recorder.next_interval(10 * interval, Phase::Measure, interval);
    };
    first.begin(Phase::Measure, 0);
    second.begin(Phase::Measure, 0);
    // The second is late by more than an interval, so the first has no tally left.
    turn(&mut first, 1);
    turn(&mut first, 2);
    turn(&mut second, 1);
    collector.gather();
    assert_eq!(collector.take_next().map(|both| (both.end_ns, both.class(Class::Read).count)), Some((10, 2)));
    // From here on, one reports what the other has merged into its next interval.
    turn(&mut second, 2);
    let mut taken = Vec::new();
    for interval in 3..=20 {
        turn(&mut first, interval);
        turn(&mut second, interval);
        collector.gather();
        taken.extend(std::iter::from_fn(|| collector.take_next()));
    }
    let ends: Vec<u64> = taken.iter().map(|both| both.end_ns).collect();
    assert!(ends.len() > 5 && ends.is_sorted(), "intervals end at {ends:?}");
    for pair in taken.windows(2) {
        assert_eq!((pair[0].end_ns, pair[0].interval_last + 1), (pair[1].start_ns, pair[1].interval_first));
    }
    for (worker, recorder) in [first, second].into_iter().enumerate() {
        collector.add_last(worker, recorder.finish(200).0);
    }
    taken.extend(std::iter::from_fn(|| collector.take_next()));
    taken.extend(collector.rest(Phase::Measure));
    let count: u64 = taken.iter().map(|both| both.class(Class::Read).count).sum();
    assert_eq!((count, taken.last().map(|both| both.end_ns)), (2 * 19, Some(200)));
    let shares: Vec<u64> = collector.shares().iter().map(|share| share.count(Class::Read)).collect();
    assert_eq!(shares, [20, 20]);
}
