//! Synchronous system calls: each request is executed when it is submitted. A ring has one operation at a time, so a
//! higher queue depth needs threads.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::sync::Arc;
use std::time::Duration;

use super::{Buffers, Completion, Operation, PUNCH_HOLE, Request, Ring, RingFacts, SharedBuffers};

/// Discards a range: its start and length, as two 64-bit numbers.
const BLKDISCARD: libc::c_ulong = 0x1277;

/// One file with one operation at a time.
#[derive(Debug)]
pub struct PsyncRing {
    file: Arc<File>,
    buffers: SharedBuffers,
    waiting: Option<Request>,
    done: Option<Completion>,
    // Trims of a device are discards. A punched hole would be zeros that the kernel may write.
    discards: bool,
}

impl PsyncRing {
    /// A ring on an open file, with its buffers.
    #[must_use]
    pub fn new(file: Arc<File>, buffers: Buffers) -> Self {
        let discards = file.metadata().is_ok_and(|facts| facts.file_type().is_block_device());
        Self { file, buffers: buffers.into(), waiting: None, done: None, discards }
    }

    fn call(&self, request: &Request) -> isize {
        let file = self.file.as_raw_fd();
        let length = if request.operation.moves_data() { request.length_bytes as usize } else { 0 };
        let offset = request.offset_bytes.cast_signed();
        let buffer = self.buffers.address(if length > 0 { request.buffer_at } else { 0 }, length).cast();
        let vector = libc::iovec { iov_base: buffer, iov_len: length };
        // SAFETY: the buffer is `length` bytes of the ring's own memory, into which no references exist; the file is
        // open as long as this ring; and the kernel no longer uses either when the call returns.
        unsafe {
            match request.operation {
                Operation::Read => libc::pread(file, buffer, length, offset),
                Operation::Write => libc::pwrite(file, buffer, length, offset),
                Operation::WriteDsync => libc::pwritev2(file, &raw const vector, 1, offset, libc::RWF_DSYNC),
                Operation::Trim if self.discards => {
                    let range = [request.offset_bytes, u64::from(request.length_bytes)];
                    libc::ioctl(file, BLKDISCARD, range.as_ptr()) as isize
                }
                Operation::Trim => libc::fallocate(file, PUNCH_HOLE, offset, i64::from(request.length_bytes)) as isize,
                Operation::Flush => libc::fdatasync(file) as isize,
            }
        }
    }
}

impl Ring for PsyncRing {
    fn push(&mut self, request: Request) {
        assert!(self.waiting.is_none() && self.done.is_none(), "psync has one operation at a time");
        self.waiting = Some(request);
    }

    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        if let Some(request) = self.waiting.take() {
            let moved = self.call(&request);
            let result = if moved < 0 {
                -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
            } else {
                i32::try_from(moved).expect("a block is at most 64 MiB")
            };
            self.done = Some(Completion { slot: request.slot, result });
        } else if wait_for > 0 && self.done.is_none() {
            // Nothing can complete, so the wait lasts for the whole timeout.
            std::thread::sleep(Duration::from_nanos(timeout_ns));
        }
        Ok(())
    }

    fn reap(&mut self, into: &mut Vec<Completion>) {
        into.extend(self.done.take());
    }

    #[inline]
    fn buffers(&mut self) -> &mut SharedBuffers {
        &mut self.buffers
    }

    fn facts(&self) -> RingFacts {
        RingFacts::plain("blocking")
    }
}
