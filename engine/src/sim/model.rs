//! Models of drives, as the front end sends them.

use serde::Deserialize;

use super::{DiskModel, QueueingModel, SsdModel, VolumeModel};
use crate::failure::Failure;

/// A model of one of the kinds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Model {
    /// Servers with a shared queue.
    Queueing(QueueingModel),
    /// A solid-state drive.
    Ssd(Box<SsdModel>),
    /// A hard disk.
    Disk(DiskModel),
    /// A cloud volume.
    Volume(VolumeModel),
}

impl Model {
    /// Rejects a model that cannot be simulated, with the value and its bound.
    pub fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Queueing(model) => model.check(),
            Self::Ssd(model) => model.check(),
            Self::Disk(model) => model.check(),
            Self::Volume(model) => model.check(),
        }
    }

    /// The memory of a drive of a checked model, in bytes; 0 if negligible.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Self::Queueing(_) | Self::Volume(_) => 0,
            Self::Ssd(model) => model.memory_bytes(),
            Self::Disk(model) => model.memory_bytes(),
        }
    }
}
