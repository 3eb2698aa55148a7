//! Runs work on a thread with deadlines, because it may block in the kernel for ever if a target does not respond. In:
//! the work and its deadlines. Out: its result, or a failure that contains the call and the time waited.
//!
//! The work announces each blocking call with [`waiting_for`]. It owns everything that it uses. A thread that is given
//! up keeps it, so that nothing that the kernel may still use is closed or freed.

mod deadlines;
mod progress;
mod thread;
mod wait_state;

pub use deadlines::Deadlines;
pub use progress::ProgressSource;
pub use thread::WatchedThread;
pub use wait_state::{also_failed, has_its_own_deadlines, made_progress, waiting_for};
