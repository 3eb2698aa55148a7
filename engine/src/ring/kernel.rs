//! What the rings of the kernel have in common: what is registered with them, how they are entered, and who can be polled.

use std::fs::read_to_string;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, squeue};
use rustix::fs::{FileType, fstat, major, minor};

use crate::failure::symbol;
use crate::memory::Region;

/// The longest stretch that can be registered as one buffer.
const FIXED_BUFFER_BYTES_MAX: usize = 1 << 30;

/// Registers memory as the one buffer of a ring; what the kernel has against it, in a word.
pub fn register_memory<S, C>(ring: &IoUring<S, C>, memory: &Region) -> Result<(), String>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    if memory.length() > FIXED_BUFFER_BYTES_MAX {
        return Err("more than 1 GiB".to_owned());
    }
    let whole = libc::iovec { iov_base: memory.start().cast(), iov_len: memory.length() };
    // SAFETY: the worker keeps the region until after its ring is dropped.
    unsafe { ring.submitter().register_buffers(&[whole]) }.map_err(|error| symbol(&error))
}

/// Hands over what is in a ring, and waits; see [`super::Ring::submit`].
#[inline]
pub fn enter<S, C>(ring: &IoUring<S, C>, is_polled: bool, wait_for: u32, timeout_ns: u64) -> io::Result<()>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    // Who polls does not sleep: the kernel looks at the device once, and the worker comes back with its own deadlines.
    if wait_for == 0 || is_polled {
        ring.submitter().submit()?;
    } else {
        #[allow(clippy::cast_possible_truncation)] // The remainder is below 10^9.
        let timeout = Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
        ring.submitter().submit_with_args(wait_for as usize, &SubmitArgs::new().timespec(&timeout))?;
    }
    Ok(())
}

/// Whether the device below a file, or the device itself, says that it has no queue to poll. A partition has no queue of
/// its own.
pub fn is_never_polled(file: RawFd) -> bool {
    // SAFETY: the caller has the file open, and it is only borrowed for the call.
    let Ok(facts) = fstat(unsafe { BorrowedFd::borrow_raw(file) }) else { return false };
    let is_device = FileType::from_raw_mode(facts.st_mode) == FileType::BlockDevice;
    let number = if is_device { facts.st_rdev } else { facts.st_dev };
    let device = format!("/sys/dev/block/{}:{}", major(number), minor(number));
    let said = ["", "/.."].iter().find_map(|step| read_to_string(format!("{device}{step}/queue/io_poll")).ok());
    said.is_some_and(|text| text.trim() == "0")
}
