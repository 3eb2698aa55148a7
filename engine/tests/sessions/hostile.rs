//! Input that no front would send: nothing makes the engine panic, hang, or allocate without bound.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::front::play;
use iosonde_engine::host::memory_bytes_free;
use serde_json::{Value, json};

const OPEN: &str = r#"{"id":1,"command":"open","kind":"null","size_bytes":1073741824}"#;

/// Time limit of a refusal on a busy machine.
const SOON: Duration = Duration::from_secs(10);

fn job(changes: &Value) -> Value {
    let mut job = json!({
        "engine": "null", "pattern": "random", "read_percent": 50, "block_size_bytes": 4096, "queue_depth": 1,
        "jobs": 1, "targets": 1, "sync": "none", "data": "random", "seed": 1, "span_bytes": 1 << 30, "warmup_ns": 0,
        "measure_ns": 1_000_000, "interval_ns": 1_000_000
    });
    for (key, value) in changes.as_object().expect("changes are an object") {
        job[key] = value.clone();
    }
    json!({ "id": 2, "command": "run", "job": job })
}

fn said(lines: &[String]) -> Vec<Value> {
    let begun = Instant::now();
    let answers = play((lines.join("\n") + "\n").as_bytes());
    assert!(begun.elapsed() < SOON, "{:?} for {lines:?}", begun.elapsed());
    answers
}

/// The kind and message of the last answer, which is an error.
fn refusal(lines: &[String]) -> (String, String) {
    let answers = said(lines);
    let last = answers.last().expect("an answer");
    assert_eq!(last["type"], "error", "{last}");
    (last["kind"].as_str().unwrap_or("").to_owned(), last["message"].as_str().unwrap_or("").to_owned())
}

#[test]
fn every_input_of_the_fuzzing_corpus_is_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() > 40, "{} inputs", paths.len());
    for path in paths {
        play(&fs::read(&path).expect("an input"));
    }
}

#[test]
fn a_line_of_a_hundred_million_bytes_is_refused_and_the_next_one_is_read() {
    let answers = said(&["x".repeat(100_000_000), OPEN.to_owned()]);
    let kinds: Vec<&Value> = answers.iter().map(|answer| &answer["type"]).collect();
    assert_eq!(kinds, ["hello", "error", "opened"]);
}

#[test]
fn endless_brackets_are_refused() {
    for line in
        ["[".repeat(60_000), r#"{"id":"#.repeat(10_000), format!(r#"{{"id":1,"command":{}"#, "[".repeat(60_000))]
    {
        assert_eq!(refusal(&[line]).0, "protocol");
    }
}

#[test]
fn numbers_at_the_ends_of_their_types_do_no_harm() {
    for key in [
        "interval_ns",
        "measure_ns",
        "warmup_ns",
        "span_bytes",
        "offset_bytes",
        "block_size_bytes",
        "queue_depth",
        "jobs",
        "targets",
        "flush_every",
    ] {
        for number in [1_u64 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, u64::MAX] {
            let lines = [OPEN.to_owned(), job(&json!({ key: number })).to_string()];
            let answers = said(&lines);
            let last = answers.last().expect("an answer");
            assert!(last["type"] == "error" || last["type"] == "finished", "{key} {number}: {last}");
        }
    }
    let (kind, message) = refusal(&[OPEN.to_owned(), job(&json!({ "interval_ns": u64::MAX })).to_string()]);
    assert_eq!(kind, "bad_job");
    assert!(message.starts_with("interval 18446744073709551615 ns is not between"), "{message}");
}

#[test]
fn a_job_that_needs_more_memory_than_is_free_is_refused_before_it_allocates() {
    let deep = json!({ "block_size_bytes": 512, "queue_depth": 4096, "jobs": 256 });
    let open = [OPEN.to_owned(), OPEN.to_owned(), OPEN.to_owned(), OPEN.to_owned()];
    let mut wide = deep.clone();
    wide["targets"] = json!(4);
    // A million slots on each of four targets, at 24 KiB each: within the bound on bytes in flight.
    let needed_bytes = 4 * (1_u64 << 20) * (24 << 10);
    if memory_bytes_free() > needed_bytes {
        return;
    }
    let lines: Vec<String> = open.into_iter().chain([job(&wide).to_string()]).collect();
    let (kind, message) = refusal(&lines);
    assert_eq!(kind, "engine_refused");
    assert!(message.starts_with("1024 workers with 4194304 operations in flight need "), "{message}");
}

#[test]
fn a_drive_that_needs_more_memory_than_is_free_is_refused_before_it_allocates() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/model-sata-dc");
    let text = fs::read_to_string(path).expect("a drive");
    let mut open: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("a command");
    open["model"]["capacity_scale"] = json!(1);
    open["model"]["capacity_bytes"] = json!(12_u64 << 40);
    if memory_bytes_free() > 24 << 30 {
        return;
    }
    let (kind, message) = refusal(&[open.to_string()]);
    assert_eq!(kind, "bad_model");
    assert!(message.contains("bytes of memory, but ") && message.contains("capacity_scale"), "{message}");
}

#[test]
fn commands_beyond_the_queue_are_refused_and_the_end_of_the_input_is_noticed() {
    let wait = r#"{"id":1,"command":"wait","duration_ns":86400000000000}"#.to_owned();
    let more = vec![r#"{"id":2,"command":"calibrate"}"#.to_owned(); 40];
    let answers = said(&[vec![wait], more].concat());
    let of = |kind: &str| answers.iter().filter(|answer| answer["type"] == kind).count();
    assert_eq!((of("waited"), of("calibrated") + of("error")), (1, 40));
    assert!(of("error") >= 40 - 17, "{} were refused", of("error"));
}

#[test]
fn a_job_with_the_largest_number_runs_and_can_be_stopped() {
    let run = job(&json!({ "measure_ns": 3_600_000_000_000_u64 }));
    let mut run = run.to_string();
    run = run.replace(r#""id":2"#, &format!(r#""id":{}"#, u64::MAX));
    let stop = format!(r#"{{"id":{},"command":"stop"}}"#, u64::MAX);
    let answers = said(&[OPEN.to_owned(), run, stop]);
    assert_eq!(answers.last().map(|answer| &answer["result"]["outcome"]), Some(&json!("cut")));
}

/// A simulated drive with this service time.
fn slow_drive(service_ns: u64) -> Value {
    json!({
        "id": 1, "command": "open", "kind": "simulation", "seed": 1,
        "model": {
            "kind": "queueing", "size_bytes": 1 << 30, "servers": 1, "service": "constant",
            "service_ns": service_ns
        }
    })
}

/// Thirty days: the longest job and interval.
const MONTH_NS: u64 = 30 * 24 * HOUR_NS;
const HOUR_NS: u64 = 3_600_000_000_000;

#[test]
fn a_test_region_whose_end_overflows_is_refused() {
    let open = OPEN.replace("1073741824", &u64::MAX.to_string());
    for (offset_bytes, span_bytes) in [(1_u64 << 63, u64::MAX), (512, u64::MAX), (1 << 63, 1 << 63)] {
        let extent = json!({ "offset_bytes": offset_bytes, "span_bytes": span_bytes, "pattern": "sequential" });
        let (kind, message) = refusal(&[open.clone(), job(&extent).to_string()]);
        assert_eq!(kind, "bad_job");
        assert!(message.contains("extends beyond the end of the target at 18446744073709551615"), "{message}");
    }
}

#[test]
fn a_job_whose_latencies_could_overflow_their_sum_is_refused() {
    let deep = json!({
        "engine": "simulation", "queue_depth": 4096, "jobs": 2, "measure_ns": MONTH_NS, "interval_ns": MONTH_NS
    });
    let (kind, message) = refusal(&[slow_drive(HOUR_NS).to_string(), job(&deep).to_string()]);
    assert_eq!(kind, "bad_job");
    assert!(message.starts_with("8192 operations in flight for 2592000000000000 ns"), "{message}");
}
