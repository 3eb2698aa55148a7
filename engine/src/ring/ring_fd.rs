//! The `io_uring_enter` call. A thread can register its ring fd, so that the kernel does not have to look it up in the
//! table of open files, which all threads share.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr::{from_mut, from_ref, without_provenance_mut};

use io_uring::types::Timespec;
use io_uring::{IoUring, cqueue, squeue};
use rustix::io_uring::{
    IoringEnterFlags, IoringRegisterOp, io_uring_enter, io_uring_enter_arg, io_uring_getevents_arg, io_uring_ptr,
    io_uring_register, io_uring_rsrc_update,
};

/// The number by which a thread identifies its ring to the kernel.
pub struct RingFd {
    ring: RawFd,
    // Its index among the thread's registered ring fds; None if the kernel supports none (before Linux 5.18) or all 16
    // are in use.
    registered: Option<RawFd>,
}

impl RingFd {
    /// The handle of a ring, for use by the calling thread only. It has to be unregistered before the ring is closed.
    pub fn of<S: squeue::EntryMarker, C: cqueue::EntryMarker>(ring: &IoUring<S, C>) -> Self {
        let mut ring_fd = Self { ring: ring.as_raw_fd(), registered: None };
        #[allow(clippy::cast_sign_loss)] // An open file has a number above zero.
        let data = io_uring_ptr::new(without_provenance_mut(ring_fd.ring as usize));
        let mut update = io_uring_rsrc_update::default();
        (update.offset, update.data) = (u32::MAX, data);
        if ring_fd.register(IoringRegisterOp::RegisterRingFds, &mut update) {
            ring_fd.registered = Some(update.offset.cast_signed());
        }
        ring_fd
    }

    /// Unregisters the ring fd. Until then, or until the thread ends, the kernel keeps the ring.
    pub fn unregister(&mut self) {
        if let Some(registered) = self.registered.take() {
            let mut update = io_uring_rsrc_update::default();
            update.offset = registered.cast_unsigned();
            self.register(IoringRegisterOp::UnregisterRingFds, &mut update);
        }
    }

    fn register(&self, what: IoringRegisterOp, update: &mut io_uring_rsrc_update) -> bool {
        // SAFETY: the ring is open as long as its handle is in use, and the kernel reads and writes one entry.
        unsafe {
            let ring = BorrowedFd::borrow_raw(self.ring);
            io_uring_register(ring, what, from_mut(update).cast_const().cast(), 1).is_ok_and(|done| done == 1)
        }
    }

    /// Submits `count` operations with the given flags. With a timeout, waits until there are `wait_for` completions or
    /// the timeout expires.
    #[inline]
    pub fn enter(
        &self,
        count: u32,
        wait_for: u32,
        flags: IoringEnterFlags,
        timeout: Option<&Timespec>,
    ) -> io::Result<()> {
        let (number, how) = match self.registered {
            Some(update) => (update, flags | IoringEnterFlags::REGISTERED_RING),
            None => (self.ring, flags),
        };
        // SAFETY: the number is an open ring fd, or a registered index as the flags state. Entries were checked when
        // they were pushed, and the timeout lives until the call returns.
        unsafe {
            let ring = BorrowedFd::borrow_raw(number);
            match timeout {
                None => io_uring_enter(ring, count, wait_for, how)?,
                Some(timeout) => {
                    let ts = io_uring_ptr::new(from_ref(timeout).cast_mut().cast());
                    let arguments = io_uring_getevents_arg { ts, ..Default::default() };
                    io_uring_enter_arg(ring, count, wait_for, how | IoringEnterFlags::EXT_ARG, Some(&arguments))?
                }
            };
        }
        Ok(())
    }
}
