//! Plain system calls: each request is done when it is submitted. One operation at a time, so depth takes threads.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use super::{Completion, Operation, PUNCH_HOLE, Request, Ring, RingTruth};

/// One file, one operation at a time.
#[derive(Debug)]
pub struct PsyncRing {
    file: RawFd,
    waiting: Option<Request>,
    done: Option<Completion>,
}

impl PsyncRing {
    /// A ring on an open file, which must outlive it.
    #[must_use]
    pub fn new(file: RawFd) -> Self {
        Self { file, waiting: None, done: None }
    }

    fn call(&self, request: &Request) -> isize {
        let length = request.length_bytes as usize;
        let offset = request.offset_bytes.cast_signed();
        let vector = libc::iovec { iov_base: request.buffer.cast(), iov_len: length };
        // SAFETY: the buffer is `length` bytes of the slot's own memory, which nobody touches until the completion,
        // and the file stays open as long as this ring.
        unsafe {
            match request.operation {
                Operation::Read => libc::pread(self.file, request.buffer.cast(), length, offset),
                Operation::Write => libc::pwrite(self.file, request.buffer.cast(), length, offset),
                Operation::WriteDsync => libc::pwritev2(self.file, &raw const vector, 1, offset, libc::RWF_DSYNC),
                Operation::Trim => {
                    libc::fallocate(self.file, PUNCH_HOLE, offset, i64::from(request.length_bytes)) as isize
                }
                Operation::Flush => libc::fdatasync(self.file) as isize,
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
            // There is nothing that could come back: whoever waits has nothing to do until then.
            std::thread::sleep(Duration::from_nanos(timeout_ns));
        }
        Ok(())
    }

    fn reap(&mut self, into: &mut Vec<Completion>, _most: usize) {
        into.extend(self.done.take());
    }

    fn truth(&self) -> RingTruth {
        RingTruth::plain("blocking")
    }
}
