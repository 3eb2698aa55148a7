//! The lifetime of the engine: it ends with the process of its front, but not with the front's threads.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use iosonde_engine::ring::uring_refused;
use iosonde_engine::session::serve;
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(20);
const ENGINE: &str = env!("CARGO_BIN_EXE_iosonde-engine");

fn engine() -> Child {
    Command::new(ENGINE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts")
}

#[test]
fn the_engine_outlives_the_thread_that_started_it() {
    let start = || {
        let mut engine = engine();
        let mut said = BufReader::new(engine.stdout.take().expect("a pipe")).lines();
        assert!(said.next().is_some_and(|line| line.is_ok_and(|line| line.contains("hello"))));
        (engine, said)
    };
    let (mut engine, mut said) = thread::spawn(start).join().expect("a thread that starts the engine and ends");
    let mut input = engine.stdin.take().expect("a pipe");
    writeln!(input, r#"{{"id":1,"command":"wait","duration_ns":50000000}}"#).expect("the engine listens");
    assert!(said.next().expect("the engine lives").expect("a line").contains("waited"));
    drop(input);
    assert!(engine.wait().expect("the engine ends").success());
}

#[test]
fn the_engine_ends_with_the_process_that_started_it_though_its_input_stays_open() {
    let script = r#"exec 3<&0; "$0" <&3 3<&- >/dev/null & echo $!; exec sleep 60 >/dev/null"#;
    let mut front = Command::new("sh");
    let mut front =
        front.args(["-c", script, ENGINE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
    let mut line = String::new();
    BufReader::new(front.stdout.take().expect("a pipe")).read_line(&mut line).expect("the engine's number");
    let status = Path::new("/proc").join(line.trim()).join("stat");
    // A process that was not waited for is a zombie.
    let lives = || fs::read_to_string(&status).is_ok_and(|text| !text.contains(") Z "));
    thread::sleep(Duration::from_millis(200));
    assert!(lives(), "the engine ended before its front");
    let input = front.stdin.take();
    front.kill().and_then(|()| front.wait()).expect("the front is gone");
    let begun = Instant::now();
    while lives() {
        assert!(begun.elapsed() < SOON, "the engine lives on");
        thread::sleep(Duration::from_millis(10));
    }
    drop(input);
}

/// The input of a session, until it is closed.
struct SessionInput {
    lines: Receiver<String>,
    left: Vec<u8>,
}

impl Read for SessionInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            self.left = self.lines.recv().map_or_else(|_| Vec::new(), |line| (line + "\n").into_bytes());
        }
        let count = self.left.len().min(into.len());
        into[..count].copy_from_slice(&self.left[..count]);
        self.left.drain(..count);
        Ok(count)
    }
}

/// The output of a session; writes fail once it is closed.
struct SessionOutput {
    line: Vec<u8>,
    events: Sender<Value>,
}

impl Write for SessionOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            let event = serde_json::from_slice(&line)?;
            self.events.send(event).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session on a separate thread.
struct Session {
    input: Sender<String>,
    output: Receiver<Value>,
    thread: thread::JoinHandle<io::Result<()>>,
}

impl Session {
    fn begin() -> Self {
        let ((input, lines), (events, output)) = (channel(), channel());
        let serve = move || serve(SessionInput { lines, left: Vec::new() }, SessionOutput { line: Vec::new(), events });
        let session = Self { input, output, thread: thread::spawn(serve) };
        session.receive_event("hello");
        session
    }

    fn send(&self, command: &Value) {
        self.input.send(command.to_string()).expect("the session listens");
    }

    /// The next event of a kind.
    fn receive_event(&self, kind: &str) -> Value {
        loop {
            let event = self.output.recv_timeout(SOON).expect("the session speaks");
            assert_ne!(event["type"], "error", "{event}");
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Closes the input. Returns the remaining events, and how the session ended.
    fn end(self) -> (Vec<Value>, io::Result<()>) {
        drop(self.input);
        let begun = Instant::now();
        let rest = self.output.iter().collect();
        let outcome = self.thread.join().expect("no session panics");
        assert!(begun.elapsed() < SOON, "{:?} to the end", begun.elapsed());
        (rest, outcome)
    }
}

const SIZE_BYTES: u64 = 1 << 20;

fn open(path: &Path, create: bool) -> Value {
    let ledger = path.with_extension("ledger");
    json!({
        "id": 1, "command": "open", "kind": "file", "path": path, "access": "write", "create": create, "direct": false,
        "size_bytes": create.then_some(SIZE_BYTES),
        "ledger": { "kept": { "path": ledger, "run": 1, "step_bytes": 4096, "size_bytes": SIZE_BYTES } }
    })
}

fn writes(engine: &str, poll: &str, measure_ns: u64) -> Value {
    json!({ "id": 2, "command": "run", "job": {
        "engine": engine, "pattern": "random", "read_percent": 0, "block_size_bytes": 4096, "queue_depth": 8, "jobs": 2,
        "targets": 1, "sync": "none", "data": "random", "verify": true, "seed": 1, "span_bytes": SIZE_BYTES,
        "warmup_ns": 0, "measure_ns": measure_ns, "interval_ns": 10_000_000, "poll": poll
    } })
}

fn engines() -> Vec<(&'static str, &'static str)> {
    let all = [("psync", "interrupt"), ("io_uring", "interrupt"), ("io_uring", "sqpoll")];
    all.into_iter().filter(|(engine, _)| *engine == "psync" || uring_refused().is_none()).collect()
}

const MEASURE_NS: u64 = 100_000_000;
const HOUR_NS: u64 = 3_600_000_000_000;

#[test]
fn sessions_can_follow_one_another() {
    for (engine, poll) in engines() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..3 {
            let session = Session::begin();
            session.send(&open(&folder.path().join("target"), number == 0));
            session.receive_event("opened");
            session.send(&writes(engine, poll, MEASURE_NS));
            let result = session.receive_event("finished")["result"].take();
            assert_eq!(result["outcome"], "finished", "{engine} {poll}, session {number}: {result}");
            session.send(&json!({ "id": 3, "command": "verify" }));
            let verified = session.receive_event("verified");
            assert_eq!(verified["targets"][0]["damaged"], json!({}), "{engine} {poll}, session {number}");
            let (rest, outcome) = session.end();
            assert!(rest.is_empty() && outcome.is_ok(), "{rest:?} {outcome:?}");
        }
    }
}

#[test]
fn a_session_whose_input_ends_during_a_job_releases_its_file() {
    for (engine, poll) in engines() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..3 {
            let session = Session::begin();
            session.send(&open(&folder.path().join("target"), number == 0));
            session.receive_event("opened");
            session.send(&writes(engine, poll, HOUR_NS));
            session.receive_event("interval");
            let (rest, outcome) = session.end();
            let last = rest.last().expect("the job's end");
            assert_eq!(last["result"]["outcome"], "cut", "{engine} {poll}, session {number}: {last}");
            assert!(outcome.is_ok(), "{outcome:?}");
        }
    }
}

#[test]
fn a_session_ends_when_its_output_is_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..2 {
        let Session { input, output, thread } = Session::begin();
        let said = [open(&folder.path().join("target"), number == 0), writes("psync", "interrupt", HOUR_NS)];
        for command in said {
            input.send(command.to_string()).expect("the session listens");
        }
        while output.recv_timeout(SOON).expect("the session speaks")["type"] != "interval" {}
        drop(output);
        assert!(thread.join().expect("no session panics").is_err());
        // The session's listener lives until now.
        drop(input);
    }
}
