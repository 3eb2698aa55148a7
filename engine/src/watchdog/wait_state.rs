//! The call that a watched thread is waiting for, as announced by the thread.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};

use super::ProgressSource;
use crate::failure::Failure;

/// The state of a watched thread.
#[derive(Clone, Debug, Default)]
pub struct WaitState {
    /// The current call; None while the thread has its own deadlines.
    pub what: Option<String>,
    /// The source of progress information.
    pub source: ProgressSource,
    /// Another failure, to be reported with this one.
    pub other_failure: Option<Failure>,
    /// The number of calls so far.
    pub waits: u64,
    /// The number of progress reports so far.
    pub progress: u64,
}

/// State shared by the thread and its watcher.
#[derive(Clone, Debug, Default)]
pub struct SharedWaitState(Arc<Mutex<WaitState>>);

impl SharedWaitState {
    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, WaitState> {
        self.0.lock().expect("no thread panics while holding the lock")
    }
}

thread_local! {
    // None on threads that are not watched.
    static OWN: RefCell<Option<SharedWaitState>> = const { RefCell::new(None) };
}

/// Registers the state of the calling thread.
pub fn register(state: SharedWaitState) {
    OWN.set(Some(state));
}

fn change(to: impl FnOnce(&mut WaitState)) {
    OWN.with_borrow(|own| {
        if let Some(state) = own {
            to(&mut state.lock());
        }
    });
}

/// Announces the next blocking call of this thread. `what` is the subject of a sentence that ends with "did not
/// complete". Has no effect on a thread that is not watched.
pub fn waiting_for(what: impl Into<String>, source: ProgressSource) {
    change(|state| {
        state.what = Some(what.into());
        state.source = source;
        state.waits += 1;
    });
}

/// Reports progress within the current call.
pub fn made_progress() {
    change(|state| state.progress += 1);
}

/// Records a failure that would otherwise be reported only after the current call.
pub fn also_failed(failure: &Failure) {
    change(|state| state.other_failure = Some(failure.clone().after(state.other_failure.take())));
}

/// From now on, the calling thread enforces its own deadlines.
pub fn has_its_own_deadlines() {
    change(|state| state.what = None);
}

/// The work of the calling thread is complete.
pub fn clear() {
    change(|state| *state = WaitState { waits: state.waits, progress: state.progress, ..WaitState::default() });
}
