//! The context of a job on real targets.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::clock::Monotonic;
use crate::job::Limits;
use crate::target::Target;

/// The context of a job on real targets.
pub struct JobContext<'a> {
    /// The open targets. A job uses the first `job.targets` of them.
    pub targets: &'a [Target],
    /// The clock.
    pub clock: Monotonic,
    /// Set from outside to end the job early.
    pub stop: Arc<AtomicBool>,
    /// What ends the job early to spare the drive.
    pub limits: Limits,
}
