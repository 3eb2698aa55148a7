//! Trims with every engine.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use iosonde_engine::cell::{Interval, JobContext, Outcome, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::job::{Engine, Job, Limits, Pattern};
use iosonde_engine::record::Class;
use iosonde_engine::ring::uring_refused;
use iosonde_engine::target::{FileOptions, Target};

use crate::common::{MS, job};

const MIB: u64 = 1 << 20;

fn allocated_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).expect("the file").blocks() * 512
}

// The number of completed trims of a job.
fn trims(target: &Target, job: &Job) -> u64 {
    let context = JobContext {
        targets: std::slice::from_ref(target),
        clock: Monotonic::start(),
        stop: Arc::default(),
        limits: Limits::default(),
    };
    let mut trims = 0;
    let mut count = |interval: Interval| {
        trims += interval.operations.get(&Class::Trim).map_or(0, |totals| totals.count);
    };
    let result = run_job(job, &context, &mut |_| {}, &mut count, &mut |_| {}, &mut |_| {});
    let result = result.expect("a job that can run");
    assert_eq!(result.outcome, Outcome::Finished, "{:?}", result.failure);
    trims
}

#[test]
fn trims_punch_holes_and_keep_the_size_of_the_file() {
    let uring = uring_refused().is_none().then_some(Engine::IoUring);
    for engine in [Engine::Psync].into_iter().chain(uring) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data");
        let made = FileOptions { write: true, create_bytes: Some(4 * MIB), direct: false };
        let target = Target::open(&path, made).expect("a file");
        let fill = Job {
            engine,
            pattern: Pattern::Sequential,
            read_percent: 0,
            queue_depth: 1,
            span_bytes: 4 * MIB,
            amount_bytes: Some(4 * MIB),
            measure_ns: 100 * MS,
            ..job()
        };
        assert_eq!(trims(&target, &fill), 0);
        let before = allocated_bytes(&path);
        let trim = Job { trim_percent: 100, pattern: Pattern::Permutation, amount_bytes: Some(2 * MIB), ..fill };
        assert_eq!(trims(&target, &trim), 512);
        assert_eq!(std::fs::metadata(&path).expect("the file").len(), 4 * MIB);
        let freed = before - allocated_bytes(&path);
        // The file system's metadata for the holes takes a few blocks.
        assert!(freed.abs_diff(2 * MIB) <= 64 << 10, "{engine:?} freed {freed} bytes");
    }
}
