//! Stops commands early, and reads them from the input.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::failure::{Failure, FailureKind};
use crate::protocol::{Command, LINE_BYTES_MAX, Line, NumberedCommand, read_line};

/// Stops commands early: the command with the ID in a stop, or all commands once the front end is gone.
#[derive(Default)]
pub struct StopControl {
    /// The stop flag of the running job. A job also sets it when one of its workers fails.
    pub stop: Arc<AtomicBool>,
    /// Whether the running command has to stop, because of a stop or because the front end is gone.
    pub stop_requested: Arc<AtomicBool>,
    /// The number of commands refused because the queue was full.
    pub refused: AtomicU64,
    named: Mutex<Named>,
    // Notified when a job that waits for a decision goes on or ends.
    decided: Condvar,
}

// IDs of commands.
#[derive(Default)]
struct Named {
    running: Option<u64>,
    stopped: Option<u64>,
    // The job that goes on.
    continued: Option<u64>,
    // Whether the front end is gone.
    all: bool,
}

impl StopControl {
    fn named(&self) -> MutexGuard<'_, Named> {
        self.named.lock().expect("no thread panics while holding the lock")
    }

    /// Called when a command starts. A stop may be read before its command starts, so the later of the two calls sets
    /// the flags.
    pub fn begin(&self, command: u64) {
        let mut named = self.named();
        named.running = Some(command);
        self.set(named.all || named.stopped == Some(command));
    }

    fn stop(&self, command: u64) {
        let mut named = self.named();
        named.stopped = Some(command);
        if named.running == Some(command) {
            self.set(true);
        }
    }

    /// Stops the running command and all later ones.
    pub fn stop_all(&self) {
        let mut named = self.named();
        named.all = true;
        self.set(true);
    }

    /// Called before a job asks for a decision: an answer to an earlier question does not count.
    pub fn begin_decision(&self) {
        self.named().continued = None;
    }

    /// Waits until a job that has asked goes on, is stopped, or the front end is gone.
    pub fn wait_for_decision(&self, command: u64) {
        let is_open =
            |named: &mut Named| !named.all && named.stopped != Some(command) && named.continued != Some(command);
        drop(self.decided.wait_while(self.named(), is_open).expect("no thread panics while holding the lock"));
    }

    fn go_on(&self, command: u64) {
        self.named().continued = Some(command);
        self.decided.notify_all();
    }

    // Called with the IDs locked, so that no command starts in between.
    fn set(&self, stop_requested: bool) {
        self.stop.store(stop_requested, Ordering::SeqCst);
        self.stop_requested.store(stop_requested, Ordering::SeqCst);
        self.decided.notify_all();
    }
}

/// Forwards commands. Runs on a separate thread, so that it reads a stop or the end of the input while a command runs.
pub fn read_commands(
    mut input: impl BufRead,
    commands: &SyncSender<Result<NumberedCommand, Failure>>,
    stop_control: &StopControl,
) {
    loop {
        let command = match read_line(&mut input) {
            Ok(Line::Whole(line)) => parse(&line),
            Ok(Line::TooLong) => {
                Err(Failure::new(FailureKind::Protocol, format!("a command line exceeds {LINE_BYTES_MAX} bytes")))
            }
            Ok(Line::End) | Err(_) => break,
        };
        match command {
            Ok(NumberedCommand { id, command: Command::Stop }) => stop_control.stop(id),
            Ok(NumberedCommand { id, command: Command::Continue }) => stop_control.go_on(id),
            other => match commands.try_send(other) {
                Ok(()) => (),
                Err(TrySendError::Full(_)) => drop(stop_control.refused.fetch_add(1, Ordering::SeqCst)),
                Err(TrySendError::Disconnected(_)) => break,
            },
        }
    }
    stop_control.stop_all();
}

fn parse(line: &[u8]) -> Result<NumberedCommand, Failure> {
    serde_json::from_slice(line).map_err(|error| {
        let text = error.to_string();
        // The position is not helpful, because a command is one line.
        let what = text.split(" at line ").next().unwrap_or(&text);
        Failure::new(FailureKind::Protocol, format!("invalid command: {what}"))
    })
}
