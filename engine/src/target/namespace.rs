//! An NVMe namespace with its two devices: the block device, and the generic character device for commands.

use std::fs::{File, canonicalize, read_to_string};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Stat, fstat, ioctl_blksszget, major, minor};
use serde::Serialize;

use super::open::{inspect, open_failure, reopen};
use crate::failure::{Failure, FailureKind};
use crate::memory::PAGE_BYTES;
use crate::nvme::namespace_id;

/// Facts about a namespace that commands depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NamespaceFacts {
    /// The namespace ID.
    pub number: u32,
    /// The logical block size.
    pub block_bytes: u32,
    /// The largest transfer of a command.
    pub transfer_bytes_max: u32,
}

/// A namespace that is open for commands.
#[derive(Debug)]
pub struct Namespace {
    /// Its facts.
    pub facts: NamespaceFacts,
    generic: Arc<File>,
}

impl Namespace {
    /// Opens the generic device of an open block device, if both belong to the same namespace.
    pub fn open(path: &Path, block: &File) -> Result<Self, Failure> {
        let (handle, facts) = inspect(path)?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::CharacterDevice {
            return Err(not_usable(format!("{} is not an NVMe generic character device", path.display())));
        }
        let own = folder("char", &facts);
        if canonicalize(own.join("subsystem")).ok().is_none_or(|class| !class.ends_with("nvme-generic")) {
            return Err(not_usable(format!("{} is not an NVMe generic character device", path.display())));
        }
        let block_facts = fstat(block).map_err(|error| open_failure(path, &error.into()))?;
        let block_folder = folder("block", &block_facts);
        if block_folder.join("partition").exists() {
            return Err(not_usable(
                "passthrough cannot be limited to a partition: commands address the whole namespace".to_owned(),
            ));
        }
        let generic = reopen(&handle, false).map_err(|error| open_failure(path, &error))?;
        let (number, of_block) = (namespace_id(&generic).ok(), namespace_id(block).ok());
        let drives = [&own, &block_folder].map(|each| canonicalize(each.join("device")).ok());
        if number.is_none() || number != of_block || drives[0].is_none() || drives[0] != drives[1] {
            return Err(not_usable(format!("{} and the block device belong to different namespaces", path.display())));
        }
        let metadata_bytes = read_number(&block_folder.join("metadata_bytes")).unwrap_or(0);
        if metadata_bytes > 0 {
            let message = format!(
                "the namespace has {metadata_bytes} bytes of metadata per block, which passthrough does not support"
            );
            return Err(not_usable(message));
        }
        let block_bytes = ioctl_blksszget(block).map_err(|error| open_failure(path, &error.into()))?;
        if !block_bytes.is_power_of_two() {
            return Err(not_usable(format!(
                "the logical block size of {} is {block_bytes} bytes, which is not a power of two",
                path.display()
            )));
        }
        let facts = NamespaceFacts {
            number: number.unwrap_or(0),
            block_bytes,
            transfer_bytes_max: transfer_bytes_max(&block_folder.join("queue")),
        };
        Ok(Self { facts, generic: Arc::new(generic) })
    }

    /// The handle for commands.
    #[must_use]
    pub fn generic(&self) -> &Arc<File> {
        &self.generic
    }
}

// The kernel does not split commands. A command must not exceed the drive's transfer limit and the driver's page limit.
fn transfer_bytes_max(queue: &Path) -> u32 {
    let kib = read_number(&queue.join("max_hw_sectors_kb")).map(|kib| kib.saturating_mul(1024));
    let pages = read_number(&queue.join("max_segments")).map(|pages| pages.saturating_mul(PAGE_BYTES as u64));
    let most = [kib, pages].into_iter().flatten().min().unwrap_or(u64::MAX);
    u32::try_from(most).unwrap_or(u32::MAX)
}

fn folder(kind: &str, facts: &Stat) -> PathBuf {
    PathBuf::from(format!("/sys/dev/{kind}/{}:{}", major(facts.st_rdev), minor(facts.st_rdev)))
}

fn read_number(path: &Path) -> Option<u64> {
    read_to_string(path).ok()?.trim().parse().ok()
}

fn not_usable(message: String) -> Failure {
    Failure::new(FailureKind::NoNamespace, message)
}
