//! What a watched thread waits for, as it says itself.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};

use super::Signs;
use crate::failure::Failure;

/// What is known of a thread.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// What it waits for; None while it has deadlines of its own.
    pub what: Option<String>,
    /// What shows that the kernel is at work on it.
    pub signs: Signs,
    /// What has failed besides, and would not be told.
    pub beside: Option<Failure>,
    /// How many waits there were.
    pub waits: u64,
    /// How often something came back within a wait.
    pub moves: u64,
}

/// A note that two threads share.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<Mutex<Note>>);

impl Shared {
    /// The note, for a moment.
    pub fn lock(&self) -> MutexGuard<'_, Note> {
        self.0.lock().expect("nobody panics who has it")
    }
}

thread_local! {
    // None on threads that nobody watches.
    static OWN: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// The calling thread is watched by whoever has the note.
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

/// Says what the calling thread waits for from here on: the beginning of a sentence that goes on "did not come back". On a
/// thread that nobody watches it says nothing to nobody.
pub fn waits_for(what: impl Into<String>, signs: Signs) {
    change(|note| {
        note.what = Some(what.into());
        note.signs = signs;
        note.waits += 1;
    });
}

/// Something that the calling thread waits for has come back, and it waits for more of the same.
pub fn moved() {
    change(|note| note.moves += 1);
}

/// Something has failed that is not told before the wait is over.
pub fn besides(failure: &Failure) {
    change(|note| note.beside = Some(failure.clone().after(note.beside.take())));
}

/// From here on the calling thread bounds its waits itself.
pub fn has_its_own_deadlines() {
    change(|note| note.what = None);
}

/// The calling thread is done with its work.
pub fn rests() {
    change(|note| *note = Note { waits: note.waits, moves: note.moves, ..Note::default() });
}
