//! What ends a command early, and whoever listens for it.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::failure::{Failure, FailureKind};
use crate::protocol::{Command, LINE_BYTES_MAX, Line, Numbered, read_line};

/// Ends commands early: the one that a stop names, or all of them once the front is gone.
#[derive(Default)]
pub struct Brake {
    /// For whatever runs a job, which sets it as well where one of its workers fails.
    pub stop: Arc<AtomicBool>,
    /// Whether the command was told to stop, by a stop or by the end of the front.
    pub is_told: Arc<AtomicBool>,
    /// Commands that found no room.
    pub refused: AtomicU64,
    named: Mutex<Named>,
}

// Commands by their numbers.
#[derive(Default)]
struct Named {
    running: Option<u64>,
    stopped: Option<u64>,
    // Whether the front is gone.
    all: bool,
}

impl Brake {
    fn named(&self) -> MutexGuard<'_, Named> {
        self.named.lock().expect("nobody panics who has it")
    }

    /// A command begins. A stop may come before: whoever comes second, here or in `stop`, sets the flags.
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

    /// Ends what runs, and all that is to come.
    pub fn stop_all(&self) {
        let mut named = self.named();
        named.all = true;
        self.set(true);
    }

    // The names are held meanwhile, so that no command begins between the two.
    fn set(&self, is_told: bool) {
        self.stop.store(is_told, Ordering::SeqCst);
        self.is_told.store(is_told, Ordering::SeqCst);
    }
}

/// Passes commands on. Runs on a thread of its own, so that a stop, or the front's death, is heard while a command runs.
pub fn listen(mut input: impl BufRead, commands: &SyncSender<Result<Numbered, Failure>>, brake: &Brake) {
    loop {
        let command = match read_line(&mut input) {
            Ok(Line::Whole(line)) => understand(&line),
            Ok(Line::TooLong) => {
                Err(Failure::new(FailureKind::Protocol, format!("a line of more than {LINE_BYTES_MAX} bytes")))
            }
            Ok(Line::End) | Err(_) => break,
        };
        match command {
            Ok(Numbered { id, command: Command::Stop }) => brake.stop(id),
            other => match commands.try_send(other) {
                Ok(()) => (),
                Err(TrySendError::Full(_)) => drop(brake.refused.fetch_add(1, Ordering::SeqCst)),
                Err(TrySendError::Disconnected(_)) => break,
            },
        }
    }
    brake.stop_all();
}

fn understand(line: &[u8]) -> Result<Numbered, Failure> {
    serde_json::from_slice(line).map_err(|error| {
        let text = error.to_string();
        // A command is one line, and where in it the trouble is depends on blanks and order that mean nothing.
        let what = text.split(" at line ").next().unwrap_or(&text);
        Failure::new(FailureKind::Protocol, format!("no command: {what}"))
    })
}
