//! A file with its ledger, and tools to damage it.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iosonde_engine::cell::{JobContext, JobResult, Verification, run_job, verify};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::job::{Engine, Job, Limits, Pattern};
use iosonde_engine::ring::uring_refused;
use iosonde_engine::target::{FileOptions, Target};
use iosonde_engine::verify::{Damage, DamageKind, Ledger, LedgerHead};

use crate::common::{MS, job};

pub const BLOCK: u64 = 4096;
pub const SIZE: u64 = 4 << 20;
pub const RUN: u64 = 0x0123_4567_89ab_cdef;

/// The engines available on this host.
pub fn engines() -> Vec<Engine> {
    let both = [Engine::Psync, Engine::IoUring];
    both.into_iter().filter(|engine| *engine != Engine::IoUring || uring_refused().is_none()).collect()
}

/// Random 4 KiB writes to be verified, for 30 ms.
pub fn random_writes(engine: Engine) -> Job {
    Job {
        engine,
        read_percent: 0,
        verify: true,
        span_bytes: SIZE,
        queue_depth: 8,
        warmup_ns: 0,
        measure_ns: 30 * MS,
        ..job()
    }
}

/// Writes each block once.
pub fn fill(engine: Engine) -> Job {
    Job { pattern: Pattern::Sequential, amount_bytes: Some(SIZE), ..random_writes(engine) }
}

pub struct VerifyRig {
    // Removed with this value.
    folder: tempfile::TempDir,
    pub path: PathBuf,
    pub ledger_path: PathBuf,
    pub target: Target,
}

impl VerifyRig {
    pub fn new(step_bytes: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, ledger_path) = (folder.path().join("target"), folder.path().join("ledger"));
        let options = FileOptions { write: true, create_bytes: Some(SIZE), direct: false };
        let mut target = Target::open(&path, options).expect("a new file");
        let head = LedgerHead { run: RUN, step_bytes, size_bytes: SIZE };
        target.ledger = Some(Arc::new(Ledger::in_file(&ledger_path, head).expect("a new ledger")));
        Self { folder, path, ledger_path, target }
    }

    /// The target, and its directory, which is removed when dropped.
    pub fn parts(self) -> (tempfile::TempDir, Target) {
        (self.folder, self.target)
    }

    /// A file whose blocks were written twice, and its content after the first time.
    pub fn written_twice(engine: Engine) -> (Self, Vec<u8>) {
        let rig = Self::new(BLOCK);
        rig.run(&fill(engine));
        let before = rig.bytes();
        rig.run(&Job { seed: 8, ..fill(engine) });
        (rig, before)
    }

    pub fn run(&self, job: &Job) -> JobResult {
        self.run_until(job, &Arc::default())
    }

    pub fn run_until(&self, job: &Job, stop: &Arc<AtomicBool>) -> JobResult {
        let targets = std::slice::from_ref(&self.target);
        let context =
            JobContext { targets, clock: Monotonic::start(), stop: Arc::clone(stop), limits: Limits::default() };
        run_job(job, &context, &mut |_| {}, &mut |_| {}, &mut |_| {}, &mut |_| {}).expect("a job that can run")
    }

    pub fn verify(&self) -> Verification {
        verify(&self.target, &AtomicBool::new(false), &mut |_| {}).expect("a target that can be read")
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).expect("the file")
    }

    /// Writes to the file without the engine.
    pub fn put(&self, offset_bytes: u64, bytes: &[u8]) {
        let file = OpenOptions::new().write(true).open(&self.path).expect("the file");
        file.write_all_at(bytes, offset_bytes).expect("a write");
    }
}

/// A range of bytes.
pub fn part(bytes: &[u8], offset_bytes: u64, length: u64) -> Vec<u8> {
    let from = usize::try_from(offset_bytes).expect("an offset");
    bytes[from..from + usize::try_from(length).expect("a length")].to_vec()
}

/// Kinds and offsets of the damage found.
pub fn found(verification: &Verification) -> Vec<(DamageKind, u64)> {
    assert!(verification.finished);
    assert_eq!(verification.damaged.values().sum::<u64>(), verification.first.len() as u64);
    verification.first.iter().map(|Damage { kind, offset_bytes, .. }| (*kind, *offset_bytes)).collect()
}
