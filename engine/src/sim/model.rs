//! What a drive is made of, as the front sends it.

use serde::Deserialize;

use super::{DiskModel, QueueingModel, SsdModel};
use crate::failure::Failure;

/// A model of any kind.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Model {
    /// Servers and one line before them.
    Queueing(QueueingModel),
    /// A solid-state drive.
    Ssd(Box<SsdModel>),
    /// Arm, platters, cache and queue.
    Disk(DiskModel),
}

impl Model {
    /// Refuses what can't be simulated, with the value and its bound.
    pub fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Queueing(model) => model.check(),
            Self::Ssd(model) => model.check(),
            Self::Disk(model) => model.check(),
        }
    }

    /// The memory that a drive of a checked model takes, bytes; 0 where that is next to nothing.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Self::Queueing(_) => 0,
            Self::Ssd(model) => model.memory_bytes(),
            Self::Disk(model) => model.memory_bytes(),
        }
    }
}
