//! The alignment that direct I/O requires, as reported by the kernel.

use std::fs::{File, read_to_string};
use std::ops::RangeInclusive;

use rustix::fs::{AtFlags, StatxFlags, fstatfs, statx};
use serde::Serialize;

use super::Identity;
use crate::failure::{Failure, FailureKind};

/// Required alignment of buffer addresses and of offsets on the target, and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alignment {
    /// Of buffer addresses.
    pub memory_bytes: u32,
    /// Of offsets and lengths.
    pub offset_bytes: u32,
    /// `statx`, `logical block size`, `block size of the file system`, or `none` for buffered I/O.
    pub source: &'static str,
}

/// Valid block sizes of file systems: up to the largest page.
const BLOCK_BYTES: RangeInclusive<u32> = 512..=64 << 10;

impl Alignment {
    /// No requirements, for buffered I/O or no I/O.
    #[must_use]
    pub fn none() -> Self {
        Self { memory_bytes: 1, offset_bytes: 1, source: "none" }
    }

    /// The alignment that the kernel requires for direct I/O on an open file. Kernels before Linux 6.1 and some file
    /// systems do not report it. Then it is the logical block size of the device below.
    pub fn of(file: &File, identity: Identity) -> Result<Self, Failure> {
        let facts = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN)
            .map_err(|error| Failure::from_io(FailureKind::AlignmentUnknown, "statx", &error.into()))?;
        if StatxFlags::from_bits_retain(facts.stx_mask).contains(StatxFlags::DIOALIGN) {
            if facts.stx_dio_offset_align == 0 || facts.stx_dio_mem_align == 0 {
                return Err(Failure::new(
                    FailureKind::DirectRefused,
                    "the file system does not support direct I/O on this file",
                ));
            }
            return Ok(Self {
                memory_bytes: facts.stx_dio_mem_align,
                offset_bytes: facts.stx_dio_offset_align,
                source: "statx",
            });
        }
        // A btrfs subvolume has an anonymous device number, so no device can be queried. Its block size is a multiple
        // of the device's. Network file systems report their transfer size in this field; it can be 1 MiB.
        let own = (identity.device_major == 0).then(|| fstatfs(file).ok()).flatten();
        let own = own.and_then(|facts| u32::try_from(facts.f_bsize).ok()).filter(|size| BLOCK_BYTES.contains(size));
        if let Some(size) = own {
            return Ok(Self { memory_bytes: size, offset_bytes: size, source: "block size of the file system" });
        }
        let size = logical_block_size(identity).ok_or_else(|| {
            Failure::new(
                FailureKind::AlignmentUnknown,
                "neither the file system nor a device reports the alignment that direct I/O requires",
            )
        })?;
        Ok(Self { memory_bytes: size, offset_bytes: size, source: "logical block size" })
    }
}

// A partition has no queue directory of its own, so the one of the whole device above it is used.
fn logical_block_size(identity: Identity) -> Option<u32> {
    let device = format!("/sys/dev/block/{}:{}", identity.device_major, identity.device_minor);
    ["", "/.."].iter().find_map(|step| {
        let text = read_to_string(format!("{device}{step}/queue/logical_block_size")).ok()?;
        text.trim().parse().ok().filter(|size| *size > 0)
    })
}
