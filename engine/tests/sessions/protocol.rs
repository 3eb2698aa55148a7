//! The engine's side of the protocol: recorded transcripts are sent to the real program, which must answer with the
//! same texts. Numbers that depend on the machine (times, counts, CPU) are only checked for their presence.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

const SILENT_MAX: std::time::Duration = std::time::Duration::from_secs(60);

struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _alive: Arc<()>,
}

impl Engine {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_iosonde-engine"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let id = child.id();
        let alive = Arc::new(());
        let waiting = Arc::downgrade(&alive);
        // An engine that does not answer must not block the tests for ever.
        std::thread::spawn(move || {
            std::thread::sleep(SILENT_MAX);
            // The process ID of an engine that has ended may belong to another process.
            if waiting.upgrade().is_none() {
                return;
            }
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        });
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, input, output, _alive: alive }
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the engine's input is open");
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("the engine listens");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the engine speaks");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"))
    }

    /// Events up to the one that ends a command.
    fn receive_answer(&mut self) -> Vec<Value> {
        let mut events = vec![self.receive()];
        while events
            .last()
            .is_some_and(|event| ["interval", "started", "made"].contains(&event["type"].as_str().unwrap_or_default()))
        {
            events.push(self.receive());
        }
        events
    }

    fn end(mut self) -> (i32, String) {
        self.input = None;
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).expect("the engine closes its output");
        (self.child.wait().expect("the engine ends").code().unwrap_or(-1), rest)
    }
}

/// Keys whose numbers must match exactly.
const EXACT: [&str; 8] =
    ["protocol", "id", "errno", "size_bytes", "memory_bytes", "offset_bytes", "workers", "buckets_per_octave"];

/// An event without values that change from run to run.
fn shape(event: &Value, key: &str) -> Value {
    match event {
        Value::Number(_) if !EXACT.contains(&key) => json!("number"),
        Value::Array(items) if key == "bucket" || key == "count" || key == "slowest" => {
            json!(if items.is_empty() { "empty" } else { "filled" })
        }
        Value::Array(items) if key == "engines" || items.is_empty() => json!("list"),
        Value::Array(items) => Value::Array(items.iter().map(|item| shape(item, key)).collect()),
        Value::Object(fields) => fields
            .iter()
            // Capabilities of the host and the build, and its disks, are not part of the transcript.
            .filter(|(name, value)| {
                let is_of_host = name.as_str() == "drives" && value[0].get("disk").is_some();
                !["io_uring_refused", "build_profile", "cpu_pinned", "version", "devices"].contains(&name.as_str())
                    && !is_of_host
            })
            .map(|(name, value)| (name.clone(), shape(value, name)))
            .collect(),
        other => other.clone(),
    }
}

/// Shapes of events, with consecutive intervals of a phase merged into one: a slow machine may have to merge intervals,
/// and in a short one a class may have completed nothing while the CPU was busy.
fn shapes(events: &[Value]) -> Vec<Value> {
    let mut shapes: Vec<Value> = events.iter().map(|event| shape(event, "")).collect();
    shapes.dedup_by(|later, earlier| {
        let one = earlier["type"] == "interval" && later["interval"]["phase"] == earlier["interval"]["phase"];
        if one && let Value::Object(classes) = later["interval"]["operations"].take() {
            for (class, totals) in classes {
                earlier["interval"]["operations"][class] = totals;
            }
        }
        one
    });
    shapes
}

fn play(name: &str, files: usize) {
    let folder = tempfile::tempdir().expect("a folder for the target");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/wall").join(name);
    let text = fs::read_to_string(path).expect("the transcript");
    let mut engine = Engine::start();
    let mut expected: Vec<Value> = Vec::new();
    let mut events = vec![engine.receive()];
    for line in text.lines() {
        let message: Value = serde_json::from_str(line).expect("the transcript is JSON lines");
        if let Some(command) = message.get("command") {
            assert_eq!(shapes(&events), shapes(&expected), "{name}, before {command}");
            expected.clear();
            let folder = folder.path().to_str().expect("a plain path");
            engine.send(&command.to_string().replace("$DIR", folder));
            events = engine.receive_answer();
            events = serde_json::from_str(&json!(events).to_string().replace(folder, "$DIR")).expect("JSON stays JSON");
        } else {
            expected.push(message["event"].clone());
        }
    }
    assert_eq!(shapes(&events), shapes(&expected), "{name}, at the end");
    assert_eq!(engine.end(), (0, String::new()));
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), files, "{name}: remaining files");
}

#[test]
fn a_job_on_the_null_target_matches_the_transcript() {
    play("null.jsonl", 0);
}

#[test]
fn a_job_on_a_file_matches_the_transcript() {
    play("file.jsonl", 1);
}

#[test]
fn a_job_on_two_files_matches_the_transcript() {
    play("targets.jsonl", 2);
}

#[test]
fn a_job_on_a_simulated_drive_matches_the_transcript() {
    play("simulation.jsonl", 0);
}

#[test]
fn refusals_match_the_transcript() {
    play("refusals.jsonl", 0);
}

#[test]
fn hello_is_the_first_event_and_has_the_build_profile() {
    let mut engine = Engine::start();
    let hello = engine.receive();
    assert_eq!(hello["type"], "hello");
    assert_eq!(hello["protocol"], 2);
    assert_eq!(hello["build_profile"], if cfg!(debug_assertions) { "debug" } else { "release" });
    assert!(hello["engines"].as_array().is_some_and(|engines| engines.contains(&json!("psync"))));
}

#[test]
fn invalid_and_overlong_lines_get_an_error_and_the_engine_continues() {
    let mut engine = Engine::start();
    engine.receive();
    for nonsense in ["", "{", "[]", "{\"id\":-1,\"command\":\"sync\"}", "\u{fffd}", &"x".repeat(1 << 20)] {
        engine.send(nonsense);
        let error = engine.receive();
        assert_eq!((&error["type"], &error["kind"], &error["id"]), (&json!("error"), &json!("protocol"), &Value::Null));
    }
    engine.send("{\"id\":1,\"command\":\"calibrate\"}");
    assert_eq!(engine.receive()["type"], "calibrated");
}

fn long_job() -> String {
    let job = json!({
        "engine": "null", "pattern": "random", "read_percent": 100, "block_size_bytes": 4096, "queue_depth": 4, "jobs": 1, "targets": 1, "data": "random",
        "sync": "none", "seed": 7, "span_bytes": 1 << 24, "warmup_ns": 0, "measure_ns": 3_600_000_000_000_u64,
        "interval_ns": 20_000_000, "amount_bytes": null
    });
    json!({ "id": 2, "command": "run", "job": job }).to_string()
}

fn engine_with_a_long_job() -> Engine {
    let mut engine = Engine::start();
    engine.receive();
    engine.send("{\"id\":1,\"command\":\"open\",\"kind\":\"null\",\"size_bytes\":16777216}");
    engine.receive();
    engine.send(&long_job());
    while engine.receive()["type"] != "interval" {}
    engine
}

#[test]
fn a_stop_cuts_the_job_and_the_engine_continues() {
    let mut engine = engine_with_a_long_job();
    engine.send("{\"id\":2,\"command\":\"stop\"}");
    let events = engine.receive_answer();
    assert_eq!(events.last().map(|event| &event["result"]["outcome"]), Some(&json!("cut")));
    engine.send("{\"id\":3,\"command\":\"close\"}");
    assert_eq!(engine.receive()["type"], "closed");
}

#[test]
fn a_stop_for_an_earlier_job_does_not_affect_the_next_one() {
    let mut engine = Engine::start();
    engine.receive();
    engine.send("{\"id\":1,\"command\":\"open\",\"kind\":\"null\",\"size_bytes\":16777216}");
    engine.receive();
    for id in 2..4 {
        engine.send(&long_job().replace("3600000000000", "30000000").replace("\"id\":2", &format!("\"id\":{id}")));
        let last = engine.receive_answer().pop().expect("an answer");
        assert_eq!(last["result"]["outcome"], "finished", "{last}");
        engine.send("{\"id\":2,\"command\":\"stop\"}");
    }
}

#[test]
fn the_end_of_the_front_ends_the_engine_during_a_job() {
    let started = std::time::Instant::now();
    let (code, _) = engine_with_a_long_job().end();
    assert_eq!(code, 0);
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn a_front_that_does_not_read_loses_no_counts() {
    let mut engine = Engine::start();
    engine.receive();
    engine.send("{\"id\":1,\"command\":\"open\",\"kind\":\"null\",\"size_bytes\":16777216}");
    engine.receive();
    // A millisecond each: far more than fits into the pipe while nobody reads.
    engine.send(&long_job().replace("3600000000000", "1500000000").replace("20000000", "1000000"));
    std::thread::sleep(std::time::Duration::from_secs(2));
    let events = engine.receive_answer();
    let result = &events.last().expect("an end")["result"];
    let intervals: Vec<&Value> = events.iter().filter(|event| event["type"] == "interval").collect();
    let mut next = 0;
    for interval in &intervals {
        assert_eq!(interval["interval"]["interval_first"].as_u64(), Some(next));
        next = interval["interval"]["interval_last"].as_u64().expect("a number") + 1;
    }
    assert_eq!(next, 1500);
    assert!(result["intervals_merged"].as_u64().is_some_and(|merged| merged > 0), "{}", result["intervals_merged"]);
    assert_eq!(result["measured_ns"], 1_500_000_000_u64);
}

#[test]
fn virtual_time_has_an_end() {
    let month_ns = 30 * 86_400 * 1_000_000_000_u64;
    let mut engine = Engine::start();
    engine.receive();
    let open = json!({
        "id": 1, "command": "open", "kind": "simulation", "seed": 1, "model": {
            "kind": "queueing", "size_bytes": 1 << 30, "servers": 1, "service": "constant", "service_ns": 1_000_000_000
        }
    });
    let timed = json!({
        "engine": "simulation", "pattern": "random", "read_percent": 50, "block_size_bytes": 4096, "queue_depth": 1,
        "jobs": 1, "targets": 1, "sync": "none", "data": "random", "seed": 1, "span_bytes": 1 << 30, "warmup_ns": 0,
        "measure_ns": month_ns, "interval_ns": month_ns
    });
    let mut for_ever = timed.clone();
    for_ever["amount_bytes"] = json!(u64::MAX);
    for_ever["burst"] = json!({ "operations": 1, "think_ns": month_ns });
    engine.send(&open.to_string());
    assert_eq!(engine.receive()["type"], "opened");
    engine.send(&json!({ "id": 2, "command": "run", "job": for_ever }).to_string());
    let result = engine.receive_answer().pop().expect("an end")["result"].take();
    assert_eq!(result["outcome"], "failed", "{result}");
    let end_ns = result["clock_end"]["engine_ns"].as_u64().expect("a time");
    assert!(((1 << 62)..(1 << 62) + 2 * month_ns).contains(&end_ns), "{end_ns}");
    let mut said = vec![result["failure"]["message"].clone()];
    for command in [
        json!({ "id": 3, "command": "wait", "duration_ns": 1 }),
        json!({ "id": 4, "command": "sync" }),
        json!({ "id": 5, "command": "run", "job": timed }),
        json!({ "id": 6, "command": "run", "job": for_ever }),
        open,
    ] {
        engine.send(&command.to_string());
        let answer = engine.receive_answer().pop().expect("an answer");
        assert_eq!(answer["kind"], "bad_job", "{answer}");
        said.push(answer["message"].clone());
    }
    assert!(said.iter().all(|message| message == "virtual time ends at 4611686018427387904 ns"), "{said:?}");
}

// A simulated job of one second that asks every 200 ms.
fn asking() -> Engine {
    let mut engine = Engine::start();
    engine.receive();
    let model = json!({
        "kind": "queueing", "size_bytes": 1 << 20, "servers": 1, "service": "constant", "service_ns": 100_000
    });
    engine.send(&json!({ "id": 1, "command": "open", "kind": "simulation", "seed": 1, "model": model }).to_string());
    assert_eq!(engine.receive()["type"], "opened");
    let job = json!({
        "engine": "simulation", "pattern": "random", "read_percent": 100, "block_size_bytes": 4096, "queue_depth": 1,
        "jobs": 1, "targets": 1, "sync": "none", "data": "random", "seed": 1, "span_bytes": 1 << 20, "warmup_ns": 0,
        "measure_ns": 1_000_000_000, "interval_ns": 100_000_000, "decide_ns": 200_000_000
    });
    engine.send(&json!({ "id": 2, "command": "run", "job": job }).to_string());
    engine
}

#[test]
fn in_virtual_time_the_engine_waits_for_the_decision() {
    let mut engine = asking();
    for number in 1..5 {
        let events = engine.receive_answer();
        let asked = json!({ "type": "deciding", "id": 2, "measured_ns": number * 200_000_000 });
        assert_eq!(events.last(), Some(&asked));
        assert_eq!(events.iter().filter(|event| event["type"] == "interval").count(), 2);
        // An answer to another command is none.
        engine.send(r#"{"id":1,"command":"continue"}"#);
        engine.send(r#"{"id":2,"command":"continue"}"#);
    }
    let result = engine.receive_answer().pop().expect("an end")["result"].take();
    assert_eq!((&result["outcome"], &result["measured_ns"]), (&json!("finished"), &json!(1_000_000_000)));
}

#[test]
fn a_stop_or_the_end_of_the_input_ends_a_job_that_waits_at_that_moment() {
    for is_stopped in [true, false] {
        let mut engine = asking();
        assert_eq!(engine.receive_answer().last().map(|event| event["type"].clone()), Some(json!("deciding")));
        if is_stopped {
            engine.send(r#"{"id":2,"command":"stop"}"#);
        } else {
            engine.input = None;
        }
        let result = engine.receive_answer().pop().expect("an end")["result"].take();
        assert_eq!((&result["outcome"], &result["measured_ns"]), (&json!("cut"), &json!(200_000_000)));
    }
}
