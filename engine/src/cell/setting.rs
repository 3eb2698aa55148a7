//! What a job runs in.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::clock::Monotonic;
use crate::target::Target;

/// What a job runs in.
pub struct Setting<'a> {
    /// The open targets; a job uses as many of them as it asks for, from the first on.
    pub targets: &'a [Target],
    /// Time.
    pub clock: Monotonic,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
}
