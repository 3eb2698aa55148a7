//! The questions that a block device answers about itself through its handle.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const BLKROGET: libc::c_ulong = 0x125E;
const BLKGETSIZE64: libc::c_ulong = 0x8008_1272;
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

/// The sequence number of the disk; None on kernels before Linux 5.15.
pub fn diskseq(file: &File) -> Option<u64> {
    let mut value = 0u64;
    // SAFETY: the handle is open, and this call writes 8 bytes to `value`, which outlives it.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), BLKGETDISKSEQ, &raw mut value) };
    (answer >= 0 && value > 0).then_some(value)
}
