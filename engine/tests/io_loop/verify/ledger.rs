//! The ledger: what a step must hold after overlapping, failed and unfinished writes.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iosonde_engine::cell::{JobContext, run_job, verify};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Engine, Job, Limits, SizeShare};
use iosonde_engine::target::{FileOptions, Target};
use iosonde_engine::verify::{Ledger, LedgerHead, STEP_BYTES_MAX};

use super::rig::{BLOCK, RUN, SIZE, VerifyRig, engines, fill, found, random_writes};

const HEAD: LedgerHead = LedgerHead { run: RUN, step_bytes: BLOCK, size_bytes: SIZE };

fn ledger() -> Ledger {
    Ledger::in_memory(HEAD).expect("memory for a thousand words")
}

#[test]
fn a_step_must_hold_the_last_write_without_overlap() {
    let ledger = ledger();
    let first = ledger.begin_write(0, 4096);
    assert_eq!(ledger.expected_sequence(0), 0);
    ledger.end(0, 4096, Some(first));
    assert_eq!(ledger.expected_sequence(0), first);
    let second = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, Some(second));
    assert!(second > first);
    assert_eq!((ledger.expected_sequence(0), ledger.expected_sequence(1)), (second, 0));
}

#[test]
fn either_of_two_overlapping_writes_may_win() {
    let ledger = ledger();
    let alone = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, Some(alone));
    let [one, other] = std::array::from_fn(|_| ledger.begin_write(0, 4096));
    ledger.end(0, 4096, Some(other));
    ledger.end(0, 4096, Some(one));
    assert_eq!(ledger.expected_sequence(0), alone);
    let last = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, Some(last));
    assert_eq!(ledger.expected_sequence(0), last);
}

#[test]
fn a_failed_or_unfinished_write_may_be_there_or_not() {
    let ledger = ledger();
    let good = ledger.begin_write(0, 8192);
    ledger.end(0, 8192, Some(good));
    let _failed = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, None);
    let _away = ledger.begin_write(4096, 4096);
    assert_eq!((ledger.expected_sequence(0), ledger.expected_sequence(1)), (good, good));
}

#[test]
fn a_write_that_overlaps_a_trim_may_be_gone() {
    let ledger = ledger();
    let write = ledger.begin_write(0, 4096);
    ledger.begin_trim(0, 4096);
    ledger.end(0, 4096, Some(write));
    ledger.end(0, 4096, None);
    assert_eq!(ledger.expected_sequence(0), 0);
}

#[test]
fn a_ledger_outlives_its_process_and_its_sequence_numbers_skip_ahead() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let before = Ledger::in_file(&path, HEAD).expect("a new ledger");
    let first = before.begin_write(0, 4096);
    before.end(0, 4096, Some(first));
    let _away = before.begin_write(4096, 4096);
    // Like after a kill: nothing is dropped.
    std::mem::forget(before);
    let after = Ledger::in_file(&path, HEAD).expect("the same ledger");
    assert_eq!((after.expected_sequence(0), after.expected_sequence(1)), (first, 0));
    let next = after.begin_write(4096, 4096);
    assert!(next > first + 1_000_000_000, "{next} could have been used before");
    after.end(4096, 4096, Some(next));
    assert_eq!(Ledger::read(&path).expect("a ledger").expected_sequence(1), next);
}

#[test]
fn other_ledgers_and_other_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    drop(Ledger::in_file(&path, HEAD).expect("a new ledger"));
    for head in [LedgerHead { run: 1, ..HEAD }, LedgerHead { step_bytes: 8192, ..HEAD }] {
        assert_eq!(Ledger::in_file(&path, head).expect_err("another one's").kind, FailureKind::Ledger);
    }
    for content in [&b""[..], &[0; 8192], b"iosonde\x01"] {
        std::fs::write(&path, content).expect("a file");
        assert_eq!(Ledger::read(&path).expect_err("no ledger").kind, FailureKind::Ledger);
    }
}

/// A ledger file with this header and next sequence number, and nothing after the first page.
fn file_of(head: LedgerHead, next: u64) -> Vec<u8> {
    let words = [u64::from_le_bytes(*b"iosonde\x01"), head.run, head.step_bytes, head.size_bytes, next];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(4096, 0);
    bytes
}

#[test]
fn a_ledger_without_sequence_numbers_left_is_refused_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    for next in [u64::MAX, u64::MAX - (1 << 34), 1 << 43, (1 << 43) - (1 << 34) - 1] {
        let mut bytes = file_of(HEAD, next);
        bytes.resize(4096 + 1024 * 8, 0xA5);
        std::fs::write(&path, &bytes).expect("a file");
        let refused = Ledger::in_file(&path, HEAD).expect_err("no numbers are left");
        assert_eq!(refused.kind, FailureKind::Ledger, "{next}");
        assert!(refused.message.ends_with("has no sequence numbers left"), "{}", refused.message);
        assert_eq!(std::fs::read(&path).expect("the file"), bytes, "{next}");
    }
}

#[test]
fn a_ledger_with_holes_is_allocated_before_it_is_used() {
    let folder = tempfile::tempdir_in(".").expect("a folder on a real file system");
    let path = folder.path().join("ledger");
    let head = LedgerHead { size_bytes: SIZE << 10, ..HEAD };
    let length = 4096 + (SIZE << 10) / BLOCK * 8;
    std::fs::write(&path, file_of(head, 1)).expect("a file");
    std::fs::File::options().write(true).open(&path).and_then(|file| file.set_len(length)).expect("a longer file");
    let held_bytes = || std::fs::metadata(&path).expect("the file").blocks() * 512;
    assert!(held_bytes() < length / 2, "a file with a hole holds {} bytes", held_bytes());
    let _ledger = Ledger::in_file(&path, head).expect("a ledger");
    assert!(held_bytes() >= length, "{} of {length} bytes are there", held_bytes());
}

#[test]
fn a_left_ledger_is_not_affected_by_truncation_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let ledger = Ledger::in_file(&path, HEAD).expect("a new ledger");
    let sequence = ledger.begin_write(SIZE - BLOCK, 4096);
    ledger.end(SIZE - BLOCK, 4096, Some(sequence));
    let left = Ledger::read(&path).expect("the same ledger");
    drop(ledger);
    std::fs::write(&path, b"").expect("the file is cut");
    assert_eq!(left.expected_sequence(1023), sequence);
}

#[test]
fn a_ledger_of_steps_beyond_the_largest_block_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    for step_bytes in [STEP_BYTES_MAX + 512, 1 << 40, u64::MAX - 511] {
        let head = LedgerHead { step_bytes, size_bytes: u64::MAX, ..HEAD };
        let mut bytes = file_of(head, 1);
        bytes.resize(1 << 20, 0);
        std::fs::write(&path, bytes).expect("a file");
        for refused in [Ledger::read(&path), Ledger::in_memory(head)] {
            assert_eq!(refused.expect_err("no block is so large").kind, FailureKind::BadJob, "{step_bytes}");
        }
    }
}

#[test]
fn a_job_beyond_the_ledger_of_any_of_its_targets_is_refused() {
    let rigs = [SIZE, SIZE - BLOCK / 2, BLOCK].map(|size_bytes| {
        let mut rig = VerifyRig::new(BLOCK);
        let head = LedgerHead { run: RUN, step_bytes: BLOCK, size_bytes };
        rig.target.ledger = Some(Arc::new(Ledger::in_memory(head).expect("memory for a ledger")));
        rig
    });
    let [whole, half_a_step_short, one_step] = &rigs;
    let sizes = [(4096, 1), (65536, 1)].map(|(size_bytes, weight)| SizeShare { size_bytes, weight }).to_vec();
    let mixed = Job { block_sizes: sizes, block_size_bytes: 65536, ..random_writes(Engine::Psync) };
    let forms = [
        random_writes(Engine::Psync),
        fill(Engine::Psync),
        mixed,
        Job { trim_percent: 100, ..random_writes(Engine::Psync) },
        Job { offset_bytes: SIZE - BLOCK, span_bytes: BLOCK, ..random_writes(Engine::Psync) },
        Job { offset_bytes: BLOCK, span_bytes: SIZE - BLOCK, ..random_writes(Engine::Psync) },
    ];
    for job in forms {
        assert_eq!(job.check(&whole.target), Ok(()), "{job:?}");
        for short in [half_a_step_short, one_step] {
            assert_eq!(job.check(&short.target).expect_err("beyond the ledger").kind, FailureKind::BadJob, "{job:?}");
        }
    }
    let (_folders, targets): (Vec<_>, Vec<_>) = rigs.into_iter().map(VerifyRig::parts).unzip();
    let context =
        JobContext { targets: &targets, clock: Monotonic::start(), stop: Arc::default(), limits: Limits::default() };
    let job = Job { targets: 3, ..random_writes(Engine::Psync) };
    let refused = run_job(&job, &context, &mut |_| {}, &mut |_| {}, &mut |_| {}, &mut |_| {})
        .expect_err("only the first holds it");
    assert_eq!(refused.kind, FailureKind::BadJob);
}

#[test]
fn a_later_verify_pass_needs_only_the_target_and_the_ledger() {
    for engine in engines() {
        let rig = VerifyRig::new(BLOCK);
        rig.run(&fill(engine));
        rig.run(&random_writes(engine));
        let VerifyRig { path, ledger_path, target, .. } = &rig;
        assert!(target.writable);
        let copy = path.with_extension("copy");
        std::fs::copy(path, &copy).expect("a copy");
        let options = FileOptions { write: false, create_bytes: None, direct: false };
        let mut later = Target::open(&copy, options).expect("the file");
        later.ledger = Some(Arc::new(Ledger::read(ledger_path).expect("the ledger")));
        let verification = verify(&later, &AtomicBool::new(false), &mut |_| {}).expect("a target that can be read");
        assert_eq!(found(&verification), []);
        assert_eq!(verification.steps_checked, 1024);
    }
}

#[test]
fn a_test_region_that_exceeds_the_ledger_is_refused() {
    let mut rig = VerifyRig::new(BLOCK);
    let head = LedgerHead { run: RUN, step_bytes: BLOCK, size_bytes: SIZE / 2 };
    rig.target.ledger = Some(Arc::new(Ledger::in_memory(head).expect("memory for a ledger")));
    for job in [random_writes(Engine::Psync), Job { read_percent: 100, ..random_writes(Engine::Psync) }] {
        let refused = job.check(&rig.target).expect_err("half of the span is in no ledger");
        assert_eq!(refused.kind, FailureKind::BadJob);
        assert!(refused.message.contains("beyond the ledger's end at byte"), "{}", refused.message);
    }
}
