//! Unresponsive targets: each command that waits for one has a deadline, is ended by a stop or the end of the front,
//! and its answer names the call that was waited for.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, park, spawn};
use std::time::{Duration, Instant};

use iosonde_engine::failure::Failure;
use iosonde_engine::guard::Inspection;
use iosonde_engine::protocol::LedgerSpec;
use iosonde_engine::purge::Survey;
use iosonde_engine::session::{TargetOpener, serve_within};
use iosonde_engine::target::{CreatedFile, DeviceOptions, FileOptions, Target};
use iosonde_engine::verify::Ledger;
use iosonde_engine::watchdog::Deadlines;
use iosonde_engine::write_cache::{CacheFacts, Kept, Restored};
use serde_json::{Value, json};

/// How long an engine may exceed its deadline on a busy machine.
const SOON: Duration = Duration::from_secs(20);
const SILENT: Duration = Duration::from_secs(2);
const STOPPED: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

fn hang<T>() -> Result<T, Failure> {
    loop {
        park();
    }
}

// Files that never open, if they are created or have this name; and devices that never open.
struct Hanging;

impl TargetOpener for Hanging {
    fn create(&self, _: &Path, _: Option<&str>) -> Result<CreatedFile, Failure> {
        hang()
    }

    fn open_created(&self, _: &Path, _: CreatedFile, _: FileOptions) -> Result<Target, Failure> {
        hang()
    }

    fn open_file(&self, path: &Path, options: FileOptions) -> Result<Target, Failure> {
        if path.ends_with("hangs") { hang() } else { Target::open(path, options) }
    }

    fn open_device(&self, _: &Path, _: &DeviceOptions) -> Result<Target, Failure> {
        hang()
    }

    fn inspect_device(&self, _: &Path) -> Result<Inspection, Failure> {
        hang()
    }

    fn survey_device(&self, _: &Path) -> Result<Survey, Failure> {
        hang()
    }

    fn survey_cache(&self, _: &Path) -> Result<CacheFacts, Failure> {
        hang()
    }

    fn restore_cache(&self, _: &Kept) -> Result<Restored, Failure> {
        hang()
    }

    fn open_ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure> {
        spec.open(target)
    }
}

/// A session in a thread, with both ends of its pipes.
struct Front {
    commands: Option<Sender<Vec<u8>>>,
    events: Receiver<Vec<u8>>,
    session: JoinHandle<io::Result<()>>,
}

struct Input(Receiver<Vec<u8>>, Vec<u8>);
struct Output(Sender<Vec<u8>>);

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let count = self.1.len().min(into.len());
        into[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.send(bytes.to_vec());
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Front {
    fn start(silent: Duration) -> Self {
        let (commands, input) = channel();
        let (output, events) = channel();
        let deadlines = Deadlines { silent, total: HOUR, stopped: STOPPED };
        let serve = move || serve_within(Input(input, Vec::new()), Output(output), Hanging, [deadlines; 2]);
        let front = Self { commands: Some(commands), events, session: spawn(serve) };
        assert_eq!(front.receive()["type"], "hello");
        front
    }

    fn send(&self, command: &Value) {
        let mut line = command.to_string().into_bytes();
        line.push(b'\n');
        self.commands.as_ref().expect("the input is open").send(line).expect("the session listens");
    }

    fn receive(&self) -> Value {
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            line.extend(self.events.recv_timeout(SOON).expect("an answer in time"));
        }
        serde_json::from_slice(&line).expect("an event is JSON")
    }

    /// The session ends without further events, and with a failure.
    fn ends(self) {
        let since = Instant::now();
        while !self.session.is_finished() {
            assert!(since.elapsed() < SOON, "the session goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(self.session.join().expect("no panic").is_err());
        assert!(self.events.try_recv().is_err(), "an event after the last one");
    }
}

fn opens() -> [Value; 3] {
    let file = |create: bool, path: &str| {
        let size_bytes = create.then_some(1 << 20);
        json!({"id": 2, "command": "open", "kind": "file", "path": path, "access": "write", "create": create,
               "direct": false, "size_bytes": size_bytes})
    };
    let device = json!({"id": 2, "command": "open", "kind": "device", "path": "/dev/hangs", "direct": true});
    [file(false, "/mnt/hangs"), file(true, "/mnt/hangs"), device]
}

#[test]
fn a_target_that_exceeds_the_deadline_of_open_ends_the_session() {
    for open in opens() {
        let front = Front::start(SILENT);
        let since = Instant::now();
        front.send(&open);
        let error = front.receive();
        assert!(since.elapsed() >= SILENT, "{error}");
        assert_eq!((&error["type"], &error["id"], &error["kind"]), (&json!("error"), &json!(2), &json!("stuck")));
        let path = open["path"].as_str().expect("a path");
        assert_eq!(error["message"], format!("opening {path} did not complete within 2 s"));
        front.ends();
    }
}

#[test]
fn a_stop_ends_the_wait_for_a_target() {
    let front = Front::start(HOUR);
    front.send(&opens()[0]);
    front.send(&json!({"id": 2, "command": "stop"}));
    let error = front.receive();
    assert_eq!(error["kind"], "stuck");
    assert_eq!(error["message"], "opening /mnt/hangs did not stop within 1 s");
    front.ends();
}

#[test]
fn a_stop_for_another_command_does_not_end_it() {
    let front = Front::start(SILENT);
    front.send(&opens()[0]);
    front.send(&json!({"id": 1, "command": "stop"}));
    assert_eq!(front.receive()["message"], "opening /mnt/hangs did not complete within 2 s");
    front.ends();
}

#[test]
fn the_end_of_the_front_ends_the_wait_for_a_target() {
    let mut front = Front::start(HOUR);
    front.send(&opens()[2]);
    front.commands = None;
    assert_eq!(front.receive()["kind"], "stuck");
    front.ends();
}

#[test]
fn other_open_targets_are_not_closed_after_a_hang() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    std::fs::write(&path, [0; 4096]).expect("a file");
    let front = Front::start(SILENT);
    front.send(&json!({"id": 1, "command": "open", "kind": "file", "path": path, "access": "read", "create": false,
                      "direct": false, "size_bytes": null}));
    assert_eq!(front.receive()["type"], "opened");
    front.send(&opens()[0]);
    assert_eq!(front.receive()["kind"], "stuck");
    front.ends();
    let options = FileOptions { write: false, create_bytes: None, direct: false };
    // Closing a file may block as well: the lock shows that the session has not closed it.
    assert!(Target::open(&path, options).is_err());
}

#[test]
fn a_stop_ends_a_pause() {
    let front = Front::start(HOUR);
    front.send(&json!({"id": 3, "command": "wait", "duration_ns": 3_600_000_000_000_u64}));
    front.send(&json!({"id": 3, "command": "stop"}));
    assert_eq!(front.receive(), json!({"type": "waited", "id": 3}));
}
