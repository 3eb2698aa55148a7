//! A front that sends arbitrary input, and checks what the engine guarantees for any input.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use iosonde_engine::protocol::{Command, LINE_BYTES_MAX, NumberedCommand};
use iosonde_engine::session::serve_with;
use serde_json::Value;

#[path = "scratch.rs"]
mod scratch;

use scratch::Scratch;

/// How long the front waits for an answer before it sends the next line.
const ANSWER_WAIT: Duration = Duration::from_millis(5);
/// How soon the engine has to end after its input.
const END_MAX: Duration = Duration::from_secs(10);
/// The longest event line, as in docs/protocol.md.
const EVENT_BYTES_MAX: usize = 4 << 20;

/// Sends these bytes to a session, and asserts what must hold for any: each line has one answer, each answer is one
/// line of JSON within its bound, and the session ends soon after its input. Paths in the input are never opened: the
/// session can only open a few files in a scratch directory. Lines that start with `{"#":` are not sent, but change
/// these files, see [`scratch::act`].
///
/// Returns the answers in order.
pub fn play(input: &[u8]) -> Vec<Value> {
    let received = Arc::new(Answers::default());
    let ended = Arc::new(Mutex::new(None));
    let expected = answers_to(input);
    let scratch = Scratch::new();
    let script = Script {
        bytes: input.to_vec(),
        folder: scratch.path(),
        sent: 0,
        answers_before: None,
        received: Arc::clone(&received),
        ended: Arc::clone(&ended),
    };
    let sink = EventSink { line: Vec::new(), received: Arc::clone(&received) };
    let outcome = serve_with(script, sink, scratch.opener());
    outcome.expect("the output stays open");
    let ended: Option<Instant> = *ended.lock().expect("no thread panics while holding the lock");
    let after = ended.map(|ended| ended.elapsed());
    assert!(after.is_some_and(|after| after < END_MAX), "the session went on {after:?} after the end of its input");
    // The hello, and one answer for each line.
    let answers = std::mem::take(&mut *received.answers.lock().expect("no thread panics while holding the lock"));
    assert_eq!(answers.len(), expected + 1, "answers to as many lines, and a hello");
    answers
}

// The number of answers to these lines: none for a stop or a decision, for a line that is not sent, and for a line without an end.
fn answers_to(input: &[u8]) -> usize {
    let whole = input.iter().rposition(|byte| *byte == b'\n').map_or(&[][..], |end| &input[..end]);
    if whole.is_empty() && !input.contains(&b'\n') {
        return 0;
    }
    let is_stop = |line: &[u8]| {
        line.len() <= LINE_BYTES_MAX
            && serde_json::from_slice(line)
                .is_ok_and(|known: NumberedCommand| matches!(known.command, Command::Continue | Command::Stop))
    };
    whole.split(|byte| *byte == b'\n').filter(|line| !scratch::is_own(line) && !is_stop(line)).count()
}

#[derive(Default)]
struct Answers {
    answers: Mutex<Vec<Value>>,
    more: Condvar,
}

impl Answers {
    fn answers(&self) -> usize {
        self.answers.lock().expect("no thread panics while holding the lock").len()
    }

    fn wait_beyond(&self, count: usize) {
        let answers = self.answers.lock().expect("no thread panics while holding the lock");
        let waited = self.more.wait_timeout_while(answers, ANSWER_WAIT, |answers| answers.len() <= count);
        drop(waited.expect("no thread panics while holding the lock"));
    }
}

// The input, sent line by line.
struct Script {
    bytes: Vec<u8>,
    sent: usize,
    // The directory of its files.
    folder: PathBuf,
    // The number of answers before the last line was sent.
    answers_before: Option<usize>,
    received: Arc<Answers>,
    ended: Arc<Mutex<Option<Instant>>>,
}

impl Read for Script {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(before) = self.answers_before.take() {
            self.received.wait_beyond(before);
        }
        self.act();
        let left = &self.bytes[self.sent..];
        let left = &left[..left.len().min(into.len())];
        let end = left.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(left.len(), |end| end + 1);
        into[..count].copy_from_slice(&left[..count]);
        self.sent += count;
        if count == 0 {
            self.ended.lock().expect("no thread panics while holding the lock").get_or_insert_with(Instant::now);
        } else if end.is_some() {
            self.answers_before = Some(self.received.answers());
        }
        Ok(count)
    }
}

impl Script {
    // Executes the next lines that are meant for the front itself.
    fn act(&mut self) {
        while self.sent == 0 || self.bytes[self.sent - 1] == b'\n' {
            let left = &self.bytes[self.sent..];
            let Some(end) = left.iter().position(|byte| *byte == b'\n').filter(|_| scratch::is_own(left)) else {
                return;
            };
            scratch::act(&self.folder, &left[..end]);
            self.sent += end + 1;
        }
    }
}

// The output: whole lines of JSON.
struct EventSink {
    line: Vec<u8>,
    received: Arc<Answers>,
}

impl Write for EventSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            assert!(self.line.len() <= EVENT_BYTES_MAX, "an event of more than {EVENT_BYTES_MAX} bytes");
            if part.ends_with(b"\n") {
                self.receive();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl EventSink {
    fn receive(&mut self) {
        let event: Value = serde_json::from_slice(&self.line).expect("an event is JSON");
        self.line.clear();
        let kind = event["type"].as_str().expect("an event says its type").to_owned();
        // These precede an answer.
        if !["started", "interval", "deciding", "made", "verifying"].contains(&kind.as_str()) {
            self.received.answers.lock().expect("no thread panics while holding the lock").push(event);
            self.received.more.notify_all();
        }
    }
}
