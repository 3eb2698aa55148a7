//! A thread for work that may sleep in the kernel for ever, because a target does not answer. In: the work, and its
//! deadlines. Out: what it gives, or a failure that says what was waited for, and how long.
//!
//! The work says what it waits for, with [`waits_for`], and owns all that it touches: a thread that is given up keeps it,
//! and nobody else closes or frees what the kernel may still use.

mod deadlines;
mod note;
mod signs;
mod thread;

pub use deadlines::Deadlines;
pub use note::{besides, has_its_own_deadlines, moved, waits_for};
pub use signs::Signs;
pub use thread::WatchedThread;
