//! Rings of the kernel: requested features, granted features, and their record.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{MS, job};
use iosonde_engine::cell::{Interval, JobContext, JobResult, Outcome, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::failure::{Failure, FailureKind};
use iosonde_engine::job::{Engine, Job, Limits, Pattern, Sync};
use iosonde_engine::pattern::{ArrivalKind, Burst, OpenLoop};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::ring::{Poll, uring_refused};
use iosonde_engine::target::{FileOptions, Target};

const MIB: u64 = 1 << 20;

/// Operations of a job that ends after so many, however slow the machine is at the time.
const READS: u64 = 256;

fn try_run(target: &Target, job: &Job) -> Result<(JobResult, Vec<Interval>), Failure> {
    let context = JobContext {
        targets: std::slice::from_ref(target),
        clock: Monotonic::start(),
        stop: Arc::default(),
        limits: Limits::default(),
    };
    let mut intervals = Vec::new();
    let result =
        run_job(job, &context, &mut |_| {}, &mut |interval| intervals.push(interval), &mut |_| {}, &mut |_| {})?;
    Ok((result, intervals))
}

fn run(target: &Target, job: &Job) -> (JobResult, Vec<Interval>) {
    try_run(target, job).expect("a job that can run")
}

/// Reads through `io_uring` for 40 ms.
fn reads() -> Job {
    Job { engine: Engine::IoUring, span_bytes: 4 * MIB, measure_ns: 40 * MS, ..job() }
}

/// A file of 4 MiB in the folder, with direct I/O where possible.
fn filled(folder: &Path) -> Target {
    let path = folder.join("target");
    let make = FileOptions { write: true, create_bytes: Some(4 * MIB), direct: true };
    let target = Target::open(&path, make)
        .or_else(|_| Target::open(&path, FileOptions { direct: false, ..make }))
        .expect("a new file");
    let amount_bytes = Some(4 * MIB);
    let (pattern, block_size_bytes) = (Pattern::Sequential, 65_536);
    let fill = Job { engine: Engine::Psync, pattern, read_percent: 0, block_size_bytes, amount_bytes, ..reads() };
    assert_eq!(run(&target, &fill).0.outcome, Outcome::Finished);
    target
}

/// The same in a folder for each poll mode.
fn filled_beside(folder: &Path, poll: Poll) -> Target {
    let own = folder.join(poll.name());
    std::fs::create_dir(&own).expect("a folder");
    filled(&own)
}

fn count(intervals: &[Interval]) -> u64 {
    let measured = intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    measured.filter_map(|interval| interval.operations.get(&Class::Read)).map(|totals| totals.count).sum()
}

/// Whether `io_uring` is available.
fn has_uring() -> bool {
    uring_refused().is_none()
}

#[test]
fn flags_that_exclude_each_other_are_never_granted_together() {
    if !has_uring() {
        return;
    }
    let folder = tempfile::tempdir_in(".").expect("a folder on a real file system");
    let target = filled(folder.path());
    for poll in Poll::ALL {
        let (result, _) = run(&target, &Job { poll, ..reads() });
        let flags = result.engine.ring_flags;
        let has = |name: &str| flags.contains(&name);
        assert!(!has("defer_taskrun") || has("single_issuer"), "{poll:?}: {flags:?}");
        assert!(!(has("defer_taskrun") && has("coop_taskrun")), "{poll:?}: {flags:?}");
        assert!(!(has("sqpoll") && (has("defer_taskrun") || has("coop_taskrun"))), "{poll:?}: {flags:?}");
        let names: std::collections::BTreeSet<_> = flags.iter().collect();
        assert_eq!(names.len(), flags.len(), "{poll:?}: each flag once");
    }
}

#[test]
fn the_achieved_poll_mode_is_recorded_and_a_fallback_has_a_reason() {
    if !has_uring() {
        return;
    }
    let folder = tempfile::tempdir_in(".").expect("a folder on a real file system");
    let target = filled(folder.path());
    for poll in Poll::ALL {
        let (result, intervals) = run(&target, &Job { poll, amount_bytes: Some(READS * 4096), ..reads() });
        assert_eq!(result.outcome, Outcome::Finished, "{poll:?}: {:?}", result.failure);
        assert_eq!(count(&intervals), READS, "{poll:?}");
        let facts = result.engine;
        if facts.poll_mode == poll.name() {
            assert_eq!(poll != Poll::Interrupt, facts.ring_flags.contains(&poll.name()), "{poll:?}: {facts:?}");
        } else {
            assert_eq!(facts.poll_mode, "interrupt", "{poll:?}");
            assert!(facts.fallbacks.iter().any(|why| why.contains("refused: E")), "{poll:?}: {:?}", facts.fallbacks);
        }
    }
}

#[test]
fn a_file_on_tmpfs_falls_back_to_interrupts() {
    let shared = Path::new("/dev/shm");
    if !has_uring() || !shared.is_dir() {
        return;
    }
    let folder = tempfile::tempdir_in(shared).expect("a folder in memory");
    let target = filled(folder.path());
    let job = Job { poll: Poll::Iopoll, amount_bytes: Some(READS * 4096), ..reads() };
    let (result, intervals) = run(&target, &job);
    assert_eq!((result.outcome, result.engine.poll_mode), (Outcome::Finished, "interrupt"));
    assert!(result.engine.fallbacks[0].starts_with("polled completions refused: E"), "{:?}", result.engine.fallbacks);
    assert_eq!(count(&intervals), READS);
}

#[test]
fn the_cpu_time_of_an_sqpoll_thread_is_counted() {
    if !has_uring() {
        return;
    }
    let folder = tempfile::tempdir_in(".").expect("a folder on a real file system");
    let target = filled(folder.path());
    let (result, _) = run(&target, &Job { poll: Poll::Sqpoll, measure_ns: 300 * MS, ..reads() });
    if result.engine.poll_mode != "sqpoll" {
        return;
    }
    let cpu = result.cpu.expect("a machine's time");
    let spent_ns = cpu.sqpoll_threads_ns.expect("a ring has kernel threads");
    assert!(spent_ns > 0, "none of {} ns", result.measured_ns);
    // Other tests of this process may have rings as well.
    assert!(result.engine.sqpoll_threads >= 1);
}

#[test]
fn sqpoll_threads_that_lag_behind_lose_no_operation() {
    if !has_uring() {
        return;
    }
    // The SQPOLL thread itself executes reads from the page cache, before it reports that it has taken them.
    for folder in [Path::new("."), Path::new("/dev/shm")].into_iter().filter(|folder| folder.is_dir()) {
        let folder = tempfile::tempdir_in(folder).expect("a folder");
        filled(folder.path());
        let cached = FileOptions { write: false, create_bytes: None, direct: false };
        let target = Target::open(&folder.path().join("target"), cached).expect("the file");
        for (queue_depth, jobs) in [(1, 3), (4, 3), (8, 4), (32, 2)] {
            let (poll, amount_bytes) = (Poll::Sqpoll, Some(4 * READS * 4096));
            let job = Job { poll, queue_depth, jobs, amount_bytes, ..reads() };
            let (result, intervals) = run(&target, &job);
            assert_eq!((result.outcome, &result.failure), (Outcome::Finished, &None), "{queue_depth} x {jobs}");
            assert_eq!(count(&intervals), 4 * READS, "{queue_depth} x {jobs}");
        }
    }
}

#[test]
fn each_wakeup_of_an_sqpoll_thread_is_counted() {
    if !has_uring() {
        return;
    }
    let folder = tempfile::tempdir_in(".").expect("a folder on a real file system");
    let target = filled(folder.path());
    // It sleeps after 100 ms without work.
    let pace = Some(OpenLoop { rate_per_s: 4, arrivals: ArrivalKind::Constant });
    let rare = Job { poll: Poll::Sqpoll, pace, measure_ns: 1100 * MS, ..reads() };
    let (result, _) = run(&target, &rare);
    if result.engine.poll_mode != "sqpoll" {
        return;
    }
    assert!((3..=5).contains(&result.engine.sqpoll_wakeups), "{} times", result.engine.sqpoll_wakeups);
    let (busy, _) = run(&target, &Job { poll: Poll::Sqpoll, ..reads() });
    assert!(busy.engine.sqpoll_wakeups <= 1, "{} times", busy.engine.sqpoll_wakeups);
    assert_eq!(run(&target, &reads()).0.engine.sqpoll_wakeups, 0);
}

#[test]
fn differences_between_the_rings_of_two_targets_are_reported() {
    let shared = Path::new("/dev/shm");
    if !has_uring() || !shared.is_dir() {
        return;
    }
    let folders = [tempfile::tempdir_in("."), tempfile::tempdir_in(shared)].map(|made| made.expect("a folder"));
    let both = |poll| {
        let job = Job { poll, targets: 2, ..reads() };
        let targets = [0, 1].map(|at| filled_beside(folders[at].path(), poll));
        let alone = targets.each_ref().map(|target| run(target, &Job { targets: 1, ..job.clone() }).0.engine);
        let context = JobContext {
            targets: &targets,
            clock: Monotonic::start(),
            stop: Arc::default(),
            limits: Limits::default(),
        };
        let together =
            run_job(&job, &context, &mut |_| {}, &mut |_| {}, &mut |_| {}, &mut |_| {}).expect("a job that can run");
        (alone, together.engine)
    };
    for poll in Poll::ALL {
        let (alone, together) = both(poll);
        assert_eq!(together.fixed_buffers, alone.iter().all(|each| each.fixed_buffers), "{poll:?}");
        assert_eq!(
            together.poll_mode == poll.name(),
            alone.iter().all(|each| each.poll_mode == poll.name()),
            "{poll:?}"
        );
        for (number, reason) in
            alone.iter().enumerate().flat_map(|(at, each)| each.fallbacks.iter().map(move |why| (at, why)))
        {
            let of_all = alone.iter().all(|each| each.fallbacks.contains(reason));
            let told = if of_all { reason.clone() } else { format!("target {}: {reason}", number + 1) };
            assert!(together.fallbacks.contains(&told), "{poll:?}: {told} is not in {:?}", together.fallbacks);
        }
        let buffers = alone.each_ref().map(|each| each.fixed_buffers);
        let is_told = together.fallbacks.iter().any(|line| line.contains("registered buffers"));
        assert_eq!(is_told, buffers[0] != buffers[1], "{poll:?}: {:?}", together.fallbacks);
    }
}

#[test]
fn only_io_uring_polls_and_iopoll_excludes_fdatasync() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = filled(folder.path());
    let asked = [
        Job { engine: Engine::Psync, poll: Poll::Iopoll, ..reads() },
        Job { engine: Engine::Psync, poll: Poll::Sqpoll, ..reads() },
        Job { poll: Poll::Iopoll, read_percent: 0, sync: Sync::Fdatasync, ..reads() },
    ];
    for job in asked {
        assert_eq!(try_run(&target, &job).expect_err("it makes no sense").kind, FailureKind::BadJob, "{job:?}");
    }
}

#[test]
fn no_ops_go_through_the_kernel_and_are_all_counted() {
    if !has_uring() {
        return;
    }
    let target = Target::null(4 * MIB);
    for read_percent in [100, 0] {
        let nothing = Job { engine: Engine::Nop, queue_depth: 128, read_percent, ..reads() };
        let (result, intervals) = run(&target, &nothing);
        assert_eq!((result.outcome, result.faults), (Outcome::Finished, Vec::new()));
        assert_eq!(result.engine.poll_mode, "interrupt");
        let totals = intervals.iter().flat_map(|interval| interval.operations.values());
        let (operations, bytes) = totals.fold((0, 0), |sum, each| (sum.0 + each.count, sum.1 + each.bytes));
        assert!(operations > 1_000);
        assert_eq!(bytes, operations * 4096);
    }
}

#[test]
fn no_ops_support_open_loops_and_bursts() {
    if !has_uring() {
        return;
    }
    let target = Target::null(4 * MIB);
    let nothing = Job { engine: Engine::Nop, ..reads() };
    let pace = Some(OpenLoop { rate_per_s: 500, arrivals: ArrivalKind::Constant });
    let burst = Some(Burst { operations: 4, think_ns: 2 * MS });
    for job in [Job { pace, ..nothing.clone() }, Job { burst, ..nothing }] {
        let begun = Instant::now();
        let (result, intervals) = run(&target, &job);
        assert_eq!((result.outcome, result.failure), (Outcome::Finished, None), "{job:?}");
        let count = count(&intervals);
        assert!((5..=80).contains(&count), "{count} operations of {job:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
