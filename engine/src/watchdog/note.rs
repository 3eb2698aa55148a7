//! The call that a watched thread is waiting for, as announced by the thread.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};

use super::Signs;
use crate::failure::Failure;

/// The state of a watched thread.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// The current call; None while the thread has its own deadlines.
    pub what: Option<String>,
    /// The source of progress information.
    pub signs: Signs,
    /// Another failure, to be reported with this one.
    pub beside: Option<Failure>,
    /// The number of calls so far.
    pub waits: u64,
    /// The number of progress reports so far.
    pub moves: u64,
}

/// State shared by the thread and its watcher.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<Mutex<Note>>);

impl Shared {
    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, Note> {
        self.0.lock().expect("no thread panics while holding the lock")
    }
}

thread_local! {
    // None on threads that are not watched.
    static OWN: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// Registers the state of the calling thread.
pub fn keep(note: Shared) {
    OWN.set(Some(note));
}

fn change(to: impl FnOnce(&mut Note)) {
    OWN.with_borrow(|own| {
        if let Some(note) = own {
            to(&mut note.lock());
        }
    });
}

/// Announces the next blocking call of this thread: the subject of a sentence that ends with "did not complete". Has no
/// effect on a thread that is not watched.
pub fn waits_for(what: impl Into<String>, signs: Signs) {
    change(|note| {
        note.what = Some(what.into());
        note.signs = signs;
        note.waits += 1;
    });
}

/// Reports progress within the current call.
pub fn moved() {
    change(|note| note.moves += 1);
}

/// Records a failure that will otherwise be reported only after the current call.
pub fn besides(failure: &Failure) {
    change(|note| note.beside = Some(failure.clone().after(note.beside.take())));
}

/// From here on the calling thread enforces its own deadlines.
pub fn has_its_own_deadlines() {
    change(|note| note.what = None);
}

/// The work of the calling thread is complete.
pub fn rests() {
    change(|note| *note = Note { waits: note.waits, moves: note.moves, ..Note::default() });
}
