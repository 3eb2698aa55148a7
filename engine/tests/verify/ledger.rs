//! The ledger: what a step must hold when writes lap over one another, fail, or never come back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iosonde_engine::cell::verify;
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Engine, Job};
use iosonde_engine::target::{Target, Wanted};
use iosonde_engine::verify::{Ledger, LedgerHead};

use crate::workshop::{BLOCK, RUN, SIZE, Workshop, engines, fill, found, random_writes};

const HEAD: LedgerHead = LedgerHead { run: RUN, step_bytes: BLOCK, size_bytes: SIZE };

fn ledger() -> Ledger {
    Ledger::in_memory(HEAD).expect("memory for a thousand words")
}

#[test]
fn a_step_must_hold_the_last_write_that_had_it_to_itself() {
    let ledger = ledger();
    let first = ledger.begin_write(0, 4096);
    assert_eq!(ledger.floor(0), 0);
    ledger.end(0, 4096, Some(first));
    assert_eq!(ledger.floor(0), first);
    let second = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, Some(second));
    assert!(second > first);
    assert_eq!((ledger.floor(0), ledger.floor(1)), (second, 0));
}

#[test]
fn of_writes_that_lap_over_one_another_either_may_be_there() {
    let ledger = ledger();
    let alone = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, Some(alone));
    let [one, other] = std::array::from_fn(|_| ledger.begin_write(0, 4096));
    ledger.end(0, 4096, Some(other));
    ledger.end(0, 4096, Some(one));
    assert_eq!(ledger.floor(0), alone);
    let last = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, Some(last));
    assert_eq!(ledger.floor(0), last);
}

#[test]
fn a_write_that_fails_or_stays_away_may_be_there_or_not() {
    let ledger = ledger();
    let good = ledger.begin_write(0, 8192);
    ledger.end(0, 8192, Some(good));
    let _failed = ledger.begin_write(0, 4096);
    ledger.end(0, 4096, None);
    let _away = ledger.begin_write(4096, 4096);
    assert_eq!((ledger.floor(0), ledger.floor(1)), (good, good));
}

#[test]
fn a_write_that_laps_over_a_trim_may_be_gone() {
    let ledger = ledger();
    let write = ledger.begin_write(0, 4096);
    ledger.begin_trim(0, 4096);
    ledger.end(0, 4096, Some(write));
    ledger.end(0, 4096, None);
    assert_eq!(ledger.floor(0), 0);
}

#[test]
fn a_ledger_outlives_its_process_and_numbers_go_on_far_above() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let before = Ledger::in_file(&path, HEAD).expect("a new ledger");
    let first = before.begin_write(0, 4096);
    before.end(0, 4096, Some(first));
    let _away = before.begin_write(4096, 4096);
    // Whoever is killed does no more than that.
    std::mem::forget(before);
    let after = Ledger::in_file(&path, HEAD).expect("the same ledger");
    assert_eq!((after.floor(0), after.floor(1)), (first, 0));
    let next = after.begin_write(4096, 4096);
    assert!(next > first + 1_000_000_000, "{next} could have been given away before");
    after.end(4096, 4096, Some(next));
    assert_eq!(Ledger::read(&path).expect("a ledger").floor(1), next);
}

#[test]
fn a_ledger_of_another_run_and_what_is_no_ledger_are_refused() {
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

#[test]
fn a_later_pass_needs_the_target_and_the_ledger_alone() {
    for engine in engines() {
        let workshop = Workshop::new(BLOCK);
        workshop.run(&fill(engine));
        workshop.run(&random_writes(engine));
        let Workshop { path, ledger_path, target, .. } = &workshop;
        assert!(target.writable);
        let copy = path.with_extension("copy");
        std::fs::copy(path, &copy).expect("a copy");
        let wanted = Wanted { write: false, create_bytes: None, direct: false };
        let mut later = Target::open(&copy, wanted).expect("the file");
        later.ledger = Some(Arc::new(Ledger::read(ledger_path).expect("the ledger")));
        let verification = verify(&later, &AtomicBool::new(false), &mut |_| {}).expect("a target that can be read");
        assert_eq!(found(&verification), []);
        assert_eq!(verification.steps_checked, 1024);
    }
}

#[test]
fn a_job_beyond_the_ledger_of_its_target_is_refused() {
    let mut workshop = Workshop::new(BLOCK);
    let head = LedgerHead { run: RUN, step_bytes: BLOCK, size_bytes: SIZE / 2 };
    workshop.target.ledger = Some(Arc::new(Ledger::in_memory(head).expect("memory for a ledger")));
    for job in [random_writes(Engine::Psync), Job { read_percent: 100, ..random_writes(Engine::Psync) }] {
        let refused = job.check(&workshop.target).expect_err("half of the span is in no ledger");
        assert_eq!(refused.kind, FailureKind::BadJob);
        assert!(refused.message.contains("and the ledger at byte"), "{}", refused.message);
    }
}
