//! A command in the disk and its state.

use super::geometry::Position;
use crate::ring::Operation;
use crate::sim::IoCommand;

/// The state of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// In transfer over the interface, or in the controller.
    Arriving,
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
    /// Its tag.
    pub tag: u64,
    /// The request.
    pub io: IoCommand,
    /// Its position on the media.
    pub position: Position,
    /// When it arrived at the disk.
    pub arrived_ns: u64,
    /// Its sequence number by arrival.
    pub order: u64,
    /// When the disk can start to process it.
    pub ready_ns: u64,
    /// Its state.
    pub stage: Stage,
}

impl Command {
    /// The first byte after it.
    #[must_use]
    pub fn end_bytes(&self) -> u64 {
        self.io.offset_bytes + u64::from(self.io.length_bytes)
    }

    /// Whether it is a write.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.io.operation, Operation::Write | Operation::WriteDsync)
    }
}
