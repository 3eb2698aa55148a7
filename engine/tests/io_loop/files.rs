//! File targets: which are opened and which refused, and changes of a file during a job.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{MS, job};
use iosonde_engine::cell::{Interval, JobContext, JobResult, Outcome, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::failure::{Failure, FailureKind};
use iosonde_engine::job::{Engine, Job, Limits, Pattern, Sync};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::ring::{Buffers, IoPath, Operation, Poll, Request, Ring, UringRing, uring_refused};
use iosonde_engine::target::{FileOptions, Target};

const MIB: u64 = 1 << 20;
const READ: FileOptions = FileOptions { write: false, create_bytes: None, direct: false };
const WRITE: FileOptions = FileOptions { write: true, create_bytes: None, direct: false };
const MAKE: FileOptions = FileOptions { write: true, create_bytes: Some(4 * MIB), direct: false };

fn refusal(path: &Path, options: FileOptions) -> FailureKind {
    Target::open(path, options).expect_err("this should be refused").kind
}

fn run(target: &Target, job: &Job) -> (JobResult, Vec<Interval>) {
    try_run(target, job).expect("a job that can run")
}

fn try_run(target: &Target, job: &Job) -> Result<(JobResult, Vec<Interval>), Failure> {
    try_run_on(std::slice::from_ref(target), job)
}

fn try_run_on(targets: &[Target], job: &Job) -> Result<(JobResult, Vec<Interval>), Failure> {
    let context = JobContext { targets, clock: Monotonic::start(), stop: Arc::default(), limits: Limits::default() };
    let mut intervals = Vec::new();
    let result =
        run_job(job, &context, &mut |_| {}, &mut |interval| intervals.push(interval), &mut |_| {}, &mut |_| {})?;
    Ok((result, intervals))
}

fn psync() -> Job {
    Job { engine: Engine::Psync, queue_depth: 2, span_bytes: 4 * MIB, ..job() }
}

fn fill() -> Job {
    Job {
        pattern: Pattern::Sequential,
        read_percent: 0,
        amount_bytes: Some(4 * MIB),
        block_size_bytes: 65536,
        ..psync()
    }
}

fn count(intervals: &[Interval], class: Class) -> u64 {
    let measured = intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    measured.filter_map(|interval| interval.operations.get(&class)).map(|totals| totals.count).sum()
}

#[test]
fn only_regular_files_are_opened_even_through_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("innocent.dat");
    symlink("/dev/zero", &link).expect("a link");
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    for path in [folder.path(), &link, &pipe, Path::new("/dev/null")] {
        for options in [READ, WRITE] {
            assert_eq!(refusal(path, options), FailureKind::NotRegular, "{}", path.display());
        }
    }
}

#[test]
fn missing_existing_and_forbidden_paths_have_separate_kinds() {
    let folder = tempfile::tempdir().expect("a folder");
    let there = folder.path().join("there");
    fs::write(&there, "data that must not be lost").expect("a file");
    assert_eq!(refusal(&folder.path().join("missing"), READ), FailureKind::TargetMissing);
    assert_eq!(refusal(&folder.path().join("no/such/folder"), MAKE), FailureKind::TargetMissing);
    assert_eq!(refusal(&there.join("below a file"), READ), FailureKind::TargetMissing);
    assert_eq!(refusal(&there, MAKE), FailureKind::TargetExists);
    assert_eq!(fs::read_to_string(&there).expect("still there"), "data that must not be lost");
    if !rustix::process::geteuid().is_root() {
        fs::set_permissions(&there, fs::Permissions::from_mode(0o000)).expect("permissions");
        assert_eq!(refusal(&there, READ), FailureKind::NoRights);
    }
}

#[test]
fn a_created_file_is_allocated_and_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    let target = Target::open(&path, MAKE).expect("a new file");
    let facts = fs::metadata(&path).expect("it is there");
    assert_eq!((facts.len(), facts.permissions().mode() & 0o777), (4 * MIB, 0o600));
    assert_eq!(target.identity.map(|identity| identity.inode), Some(facts.ino()));
    assert!(target.created);
    drop(target);
    assert!(!Target::open(&path, WRITE).expect("an existing file").created);
}

#[test]
fn holes_are_seen_before_a_fill_and_gone_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    let target = Target::open(&path, MAKE).expect("a new file");
    assert!(target.holes);
    let (result, intervals) = run(&target, &fill());
    assert_eq!(result.outcome, Outcome::Finished);
    assert_eq!(count(&intervals, Class::Write), 64);
    target.sync().expect("fdatasync");
    drop(target);
    assert!(!Target::open(&path, READ).expect("the file").holes);
}

#[test]
fn a_fill_leaves_no_block_of_zeros() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    let target = Target::open(&path, MAKE).expect("a new file");
    run(&target, &fill());
    let mut content = Vec::new();
    File::open(&path).and_then(|mut file| file.read_to_end(&mut content)).expect("reading");
    assert_eq!(content.len() as u64, 4 * MIB);
    assert!(content.chunks(512).all(|sector| sector.iter().any(|byte| *byte != 0)));
}

#[test]
fn a_target_opened_for_reading_is_never_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    fs::write(&path, vec![7; 4 << 20]).expect("a file");
    let target = Target::open(&path, READ).expect("the file");
    let refused = try_run(&target, &Job { read_percent: 50, ..psync() }).expect_err("a job that writes");
    assert_eq!(refused.kind, FailureKind::BadJob);
    run(&target, &psync());
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 7));
}

#[test]
fn a_truncated_file_ends_the_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    let target = Target::open(&path, MAKE).expect("a new file");
    run(&target, &fill());
    let long = Job { measure_ns: 20_000 * MS, ..psync() };
    let cutter = std::thread::spawn({
        let path = path.clone();
        move || {
            // On a busy host, nothing may have been measured after a tenth of a second.
            std::thread::sleep(Duration::from_millis(700));
            File::options().write(true).open(path).and_then(|file| file.set_len(MIB)).expect("cutting the file");
        }
    });
    let (result, intervals) = run(&target, &long);
    cutter.join().expect("the cutter");
    let failure = result.failure.expect("a cut file is a failure");
    assert_eq!((result.outcome, failure.kind), (Outcome::Failed, FailureKind::Changed));
    // The check of the file during the job may be faster than the first read beyond its end.
    assert!(failure.offset_bytes.is_none_or(|offset| offset >= MIB));
    assert!(count(&intervals, Class::Read) > 0, "what was measured before is kept");
    assert!(result.measured_ns < 10_000 * MS);
}

#[test]
fn a_file_is_measured_by_one_engine_at_a_time_and_the_holder_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    let target = Target::open(&path, MAKE).expect("a new file");
    let refused = Target::open(&path, READ).expect_err("a file that is held");
    assert_eq!(refused.kind, FailureKind::Held);
    assert!(refused.message.contains(&format!("is in use by process {}", std::process::id())), "{}", refused.message);
    drop(target);
    Target::open(&path, READ).expect("a file that is free again");
}

#[test]
fn a_truncation_outside_of_the_test_region_is_noticed_even_if_it_is_undone() {
    for long_again in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("target");
        let target = Target::open(&path, MAKE).expect("a new file");
        run(&target, &fill());
        let cutter = std::thread::spawn({
            let path = path.clone();
            move || {
                std::thread::sleep(Duration::from_millis(50));
                let file = File::options().write(true).open(path).expect("the file");
                file.set_len(2 * MIB).expect("cutting the file");
                if long_again {
                    file.set_len(4 * MIB).expect("making it long again");
                }
            }
        });
        let (result, _) = run(&target, &Job { read_percent: 0, span_bytes: MIB, measure_ns: 400 * MS, ..psync() });
        cutter.join().expect("the cutter");
        assert_eq!(result.failure.map(|failure| failure.kind), Some(FailureKind::Changed), "long again: {long_again}");
    }
}

#[test]
fn a_file_that_is_removed_or_replaced_ends_the_job() {
    for replaced in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("target");
        let target = Target::open(&path, MAKE).expect("a new file");
        run(&target, &fill());
        let changer = std::thread::spawn({
            let path = path.clone();
            move || {
                std::thread::sleep(Duration::from_millis(50));
                fs::remove_file(&path).expect("removing the file");
                if replaced {
                    fs::write(&path, vec![0; 4 << 20]).expect("another file");
                }
            }
        });
        let (result, _) = run(&target, &Job { measure_ns: 20_000 * MS, ..psync() });
        changer.join().expect("the changer");
        let failure = result.failure.expect("a target that is gone is a failure");
        assert_eq!(failure.kind, FailureKind::Changed);
        let found = try_run(&target, &psync()).expect_err("no further job begins");
        assert_eq!(found.kind, FailureKind::Changed);
    }
}

#[test]
fn several_jobs_have_a_queue_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = Target::open(&folder.path().join("target"), MAKE).expect("a new file");
    run(&target, &fill());
    let mut engines = vec![Engine::Psync];
    if uring_refused().is_none() {
        engines.push(Engine::IoUring);
    }
    for engine in engines {
        let (result, intervals) = run(&target, &Job { engine, jobs: 3, amount_bytes: Some(256 * 4096), ..psync() });
        assert_eq!(result.outcome, Outcome::Finished, "{engine:?}: {:?}", result.failure);
        assert_eq!(result.engine.workers, if engine == Engine::Psync { 6 } else { 3 });
        assert_eq!(count(&intervals, Class::Read), 256);
    }
    let refused = try_run(&target, &Job { jobs: 257, ..psync() }).expect_err("too many jobs");
    assert_eq!(refused.kind, FailureKind::BadJob);
}

#[test]
fn psync_has_a_thread_for_each_operation_in_flight() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = Target::open(&folder.path().join("target"), MAKE).expect("a new file");
    run(&target, &fill());
    let (result, _) = run(&target, &Job { queue_depth: 8, ..psync() });
    assert_eq!((result.engine.workers, result.cpu.map(|cpu| cpu.threads.len())), (8, Some(8)));
    let refused = try_run(&target, &Job { queue_depth: 1025, block_size_bytes: 512, ..psync() });
    assert_eq!(refused.expect_err("too many threads").kind, FailureKind::BadJob);
}

/// Bound on attempts with jobs of growing length.
const MEASURED_AT_MOST: u64 = 8;

/// The job with a multiple of its duration.
fn longer(job: &Job, times: u64) -> Job {
    Job { measure_ns: job.measure_ns * times, ..job.clone() }
}

#[test]
fn every_write_has_its_flush_under_psync_and_io_uring() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = Target::open(&folder.path().join("target"), MAKE).expect("a new file");
    run(&target, &fill());
    let mut engines = vec![Engine::Psync];
    if uring_refused().is_none() {
        engines.push(Engine::IoUring);
    }
    for engine in engines {
        let commits = Job { engine, read_percent: 0, sync: Sync::Fdatasync, queue_depth: 1, ..psync() };
        // On a busy disk one flush may take longer than the whole job.
        let mut lasting = (1..=MEASURED_AT_MOST).map(|times| run(&target, &longer(&commits, times)));
        let (result, intervals) = lasting
            .find(|(result, _)| {
                result.failure.as_ref().is_none_or(|failure| failure.kind != FailureKind::NothingCompleted)
            })
            .expect("something completes in one of the jobs");
        assert_eq!(result.outcome, Outcome::Finished, "{engine:?}: {:?}", result.failure);
        let (writes, flushes) = (count(&intervals, Class::Write), count(&intervals, Class::Flush));
        assert!(writes.abs_diff(flushes) <= 1, "{engine:?}: {writes} writes, {flushes} flushes");
        assert_eq!(flushes, count(&intervals, Class::Commit));
    }
}

#[test]
fn direct_io_has_the_alignment_that_the_kernel_reports() {
    let folder = tempfile::tempdir_in(".").expect("a folder on a real file system");
    let path = folder.path().join("target");
    let target = match Target::open(&path, FileOptions { direct: true, ..MAKE }) {
        Ok(target) => target,
        Err(failure) => {
            assert!(matches!(failure.kind, FailureKind::DirectRefused | FailureKind::AlignmentUnknown), "{failure:?}");
            assert!(!path.exists(), "a file that can't be used is not left behind");
            return;
        }
    };
    assert_ne!(target.alignment.source, "none");
    let odd = Job { block_size_bytes: 512 * 9, ..psync() };
    let aligned = u64::from(odd.block_size_bytes) % u64::from(target.alignment.offset_bytes) == 0;
    run(&target, &fill());
    assert_eq!(try_run(&target, &odd).is_ok(), aligned);
    let (result, _) = run(&target, &psync());
    assert_eq!((result.outcome, result.faults), (Outcome::Finished, Vec::new()));
}

#[test]
fn io_uring_delivers_completions_to_a_worker_that_polls_without_waiting() {
    if uring_refused().is_some() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let target = Target::open(&folder.path().join("target"), MAKE).expect("a new file");
    let buffers = Buffers::new(4096).expect("memory for a buffer");
    let file = Arc::clone(target.file().expect("a file"));
    let way = IoPath { file, direct: target.direct, poll: Poll::Interrupt, io_wq: Arc::default() };
    let mut ring = UringRing::new(1, &way, buffers).expect("a ring");
    // A kernel thread executes the flush, so its completion has to be fetched from the kernel.
    let flush = Request { operation: Operation::Flush, slot: 0, offset_bytes: 0, buffer_at: 0, length_bytes: 0 };
    ring.push(flush);
    let mut completions = Vec::with_capacity(1);
    let end = Instant::now() + Duration::from_secs(10);
    while completions.is_empty() && Instant::now() < end {
        ring.submit(0, 0).expect("nothing is asked of the kernel but what is done");
        ring.reap(&mut completions);
        if ring.has_deferred_work() {
            ring.run_deferred_work();
            ring.reap(&mut completions);
        }
    }
    assert_eq!(completions.len(), 1);
}

#[test]
fn reap_intervals_are_sampled_unless_the_system_call_is_the_operation() {
    let nothing = Target::null(4 * MIB);
    let (result, _) = run(&nothing, &Job { engine: Engine::Null, queue_depth: 32, span_bytes: 4 * MIB, ..job() });
    let gaps = result.reap_granularity.expect("looks");
    let looks: u64 = gaps.histogram.count.iter().sum();
    assert!(looks > 10 && gaps.ns_min > 0 && gaps.ns_max < result.measured_ns, "{gaps:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let target = Target::open(&folder.path().join("target"), MAKE).expect("a new file");
    run(&target, &fill());
    assert_eq!(run(&target, &psync()).0.reap_granularity, None);
}

#[test]
fn workers_run_on_the_cpus_near_their_target() {
    let allowed = rustix::thread::sched_getaffinity(None).expect("a set of CPUs");
    let first = (0..1024).find(|cpu| allowed.is_set(*cpu)).and_then(|cpu| u32::try_from(cpu).ok());
    let mut target = Target::null(4 * MIB);
    target.cpus_near = first.into_iter().collect();
    let (result, _) = run(&target, &Job { engine: Engine::Null, span_bytes: 4 * MIB, ..job() });
    assert_eq!(result.cpu.expect("CPU time").threads[0].cpu_pinned, first);
}
