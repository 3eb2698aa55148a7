//! A command in the disk, and how far it has come.

use super::geometry::Place;
use crate::ring::Operation;
use crate::sim::Serve;

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// On its way through interface and controller.
    Coming,
    /// Waits for the heads.
    Media,
    /// A write that waits for room in the cache.
    Room,
    /// A flush that waits for all writes up to this generation.
    Flushing(u64),
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Whose.
    pub ticket: u64,
    /// What.
    pub serve: Serve,
    /// Where that is.
    pub place: Place,
    /// When it arrived at the disk.
    pub arrived_ns: u64,
    /// Its number in the order of arrival.
    pub order: u64,
    /// When the disk can act on it.
    pub ready_ns: u64,
    /// How far it has come.
    pub stage: Stage,
}

impl Command {
    /// The first byte behind it.
    #[must_use]
    pub fn end_bytes(&self) -> u64 {
        self.serve.offset_bytes + u64::from(self.serve.length_bytes)
    }

    /// Whether it writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.serve.operation, Operation::Write | Operation::WriteDsync)
    }
}
