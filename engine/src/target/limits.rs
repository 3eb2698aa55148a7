//! What the kernel says of the queue of a block device.

use std::fs::{File, read_to_string};
use std::path::{Path, PathBuf};

use rustix::fs::{fstat, major, minor};

use super::device::{check_block, read_only, size_bytes};
use super::open::{inspect, open_failure};
use crate::failure::Failure;

/// The limits of a block device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Its size.
    pub size_bytes: u64,
    /// Whether it is a partition.
    pub is_partition: bool,
    /// The largest discard; 0 if it does not support any.
    pub discard_max_bytes: u64,
    /// Smaller parts of a discard may be ignored.
    pub discard_granularity_bytes: u64,
}

/// Opens the block device at a path for reading, with its limits.
pub fn open_to_read(path: &Path) -> Result<(File, QueueLimits), Failure> {
    let (handle, facts) = inspect(path)?;
    check_block(path, &facts)?;
    let file = read_only(path, &handle)?;
    let facts = fstat(&file).map_err(|error| open_failure(path, &error.into()))?;
    check_block(path, &facts)?;
    let folder = PathBuf::from(format!("/sys/dev/block/{}:{}", major(facts.st_rdev), minor(facts.st_rdev)));
    let is_partition = folder.join("partition").exists();
    let queue = folder.join(if is_partition { "../queue" } else { "queue" });
    let limit = |name: &str| read_to_string(queue.join(name)).ok().and_then(|text| text.trim().parse().ok());
    let limits = QueueLimits {
        size_bytes: size_bytes(&file)?,
        is_partition,
        discard_max_bytes: limit("discard_max_bytes").unwrap_or(0),
        discard_granularity_bytes: limit("discard_granularity").unwrap_or(0),
    };
    Ok((file, limits))
}
