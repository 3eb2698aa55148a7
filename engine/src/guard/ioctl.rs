//! The questions that a block device answers about itself through its handle.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const BLKROGET: libc::c_ulong = 0x125E;
const BLKGETSIZE64: libc::c_ulong = 0x8008_1272;
const LOOP_GET_STATUS64: libc::c_ulong = 0x4C05;
const BLKGETDISKSEQ: libc::c_ulong = 0x8008_1280;

/// The size of the device in bytes.
pub fn size_bytes(file: &File) -> io::Result<u64> {
    let mut value = 0u64;
    // SAFETY: the handle is open, and this call writes 8 bytes to `value`, which outlives it.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), BLKGETSIZE64, &raw mut value) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

/// Whether the kernel refuses writes to the device.
pub fn is_read_only(file: &File) -> io::Result<bool> {
    let mut value: libc::c_int = 0;
    // SAFETY: the handle is open, and this call writes an int to `value`, which outlives it.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), BLKROGET, &raw mut value) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(value != 0) }
}

/// The beginning of what the loop driver reports: `struct loop_info64`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct LoopStatus {
    /// The number of the file system of its file.
    pub device: u64,
    /// The inode of its file.
    pub inode: u64,
    /// The number of the block device that it is over, or again that of the file system.
    pub rdevice: u64,
    /// Where it begins.
    pub offset: u64,
    /// Its length; 0 for the end of its file.
    pub sizelimit: u64,
    rest: LoopRest,
}

// The fields that are not used. The whole structure has 232 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct LoopRest([u64; 24]);

/// What the driver of a loop device reports.
pub fn loop_status(file: &File) -> io::Result<LoopStatus> {
    let mut status = LoopStatus::default();
    // SAFETY: the handle is open, and this call writes the 232 bytes of `status`, which outlives it.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), LOOP_GET_STATUS64, &raw mut status) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(status) }
}

/// The sequence number of the disk; None on kernels before Linux 5.15.
pub fn diskseq(file: &File) -> Option<u64> {
    let mut value = 0u64;
    // SAFETY: the handle is open, and this call writes 8 bytes to `value`, which outlives it.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), BLKGETDISKSEQ, &raw mut value) };
    (answer >= 0 && value > 0).then_some(value)
}
