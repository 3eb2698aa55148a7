//! A namespace of NVMe by its two devices: the block device, and the generic one that takes commands.

use std::fs::{File, canonicalize, read_to_string};
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Stat, fstat, ioctl_blksszget, major, minor};
use serde::Serialize;

use super::open::{look, refusal, reopen};
use crate::failure::{Failure, FailureKind};
use crate::memory::PAGE_BYTES;

/// `NVME_IOCTL_ID`: which namespace a handle leads to.
const NUMBER_OF: u32 = 0x4E40;

/// What there is to know of a namespace before commands go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NamespaceFacts {
    /// Its number.
    pub number: u32,
    /// The bytes of its blocks.
    pub block_bytes: u32,
    /// The most that one command can move.
    pub transfer_bytes_max: u32,
}

/// A namespace, open for commands.
#[derive(Debug)]
pub struct Namespace {
    /// What it is like.
    pub facts: NamespaceFacts,
    generic: Arc<File>,
}

impl Namespace {
    /// Opens the generic device of an open block device, if both are of one namespace.
    pub fn open(path: &Path, block: &File) -> Result<Self, Failure> {
        let (handle, facts) = look(path)?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::CharacterDevice {
            return Err(unfit(format!("{} is no generic device of NVMe", path.display())));
        }
        let own = folder("char", &facts);
        if canonicalize(own.join("subsystem")).ok().is_none_or(|class| !class.ends_with("nvme-generic")) {
            return Err(unfit(format!("{} is no generic device of NVMe", path.display())));
        }
        let block_facts = fstat(block).map_err(|error| refusal(path, &error.into()))?;
        let beside = folder("block", &block_facts);
        if beside.join("partition").exists() {
            return Err(unfit(
                "a partition can't be reached by commands: they count from the namespace's start".to_owned(),
            ));
        }
        let generic = reopen(&handle, false).map_err(|error| refusal(path, &error))?;
        let (number, of_block) = (number_of(generic.as_raw_fd()), number_of(block.as_raw_fd()));
        let drives = [&own, &beside].map(|each| canonicalize(each.join("device")).ok());
        if number.is_none() || number != of_block || drives[0].is_none() || drives[0] != drives[1] {
            return Err(unfit(format!("{} is another namespace than the block device", path.display())));
        }
        let metadata_bytes = read_number(&beside.join("metadata_bytes")).unwrap_or(0);
        if metadata_bytes > 0 {
            let message = format!("each block has {metadata_bytes} bytes of metadata, which reads would have to fetch");
            return Err(unfit(message));
        }
        let block_bytes = ioctl_blksszget(block).map_err(|error| refusal(path, &error.into()))?;
        if !block_bytes.is_power_of_two() {
            return Err(unfit(format!("{} has blocks of {block_bytes} bytes, no power of two", path.display())));
        }
        let facts = NamespaceFacts {
            number: number.unwrap_or(0),
            block_bytes,
            transfer_bytes_max: transfer_bytes_max(&beside.join("queue")),
        };
        Ok(Self { facts, generic: Arc::new(generic) })
    }

    /// The handle that takes commands.
    #[must_use]
    pub fn generic(&self) -> &Arc<File> {
        &self.generic
    }
}

// Nobody parts a command: it must fit the drive's own bound, and the list of its pages the driver's.
fn transfer_bytes_max(queue: &Path) -> u32 {
    let kib = read_number(&queue.join("max_hw_sectors_kb")).map(|kib| kib.saturating_mul(1024));
    let pages = read_number(&queue.join("max_segments")).map(|pages| pages.saturating_mul(PAGE_BYTES as u64));
    let most = [kib, pages].into_iter().flatten().min().unwrap_or(u64::MAX);
    u32::try_from(most).unwrap_or(u32::MAX)
}

fn number_of(handle: RawFd) -> Option<u32> {
    // SAFETY: the caller has the handle open, and this call takes no pointer. Handles that know no such call refuse it.
    let number = unsafe { libc::ioctl(handle, NUMBER_OF.into()) };
    u32::try_from(number).ok().filter(|number| *number > 0)
}

fn folder(kind: &str, facts: &Stat) -> PathBuf {
    PathBuf::from(format!("/sys/dev/{kind}/{}:{}", major(facts.st_rdev), minor(facts.st_rdev)))
}

fn read_number(path: &Path) -> Option<u64> {
    read_to_string(path).ok()?.trim().parse().ok()
}

fn unfit(message: String) -> Failure {
    Failure::new(FailureKind::NoNamespace, message)
}
