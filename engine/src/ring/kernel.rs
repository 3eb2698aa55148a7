//! A ring of the kernel, and all that its operations may touch: the file and the memory live as long as any of them.

use std::fs::{File, read_to_string};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use io_uring::types::Timespec;
use io_uring::{IoUring, cqueue, squeue};
use rustix::fs::{FileType, fstat, major, minor};
use rustix::io_uring::IoringEnterFlags;

use super::entrance::Entrance;
use super::{Buffers, Completion, Poll, Request, SharedBuffers, grant};
use crate::failure::symbol;

/// The longest stretch that can be registered as one buffer.
const FIXED_BUFFER_BYTES_MAX: usize = 1 << 30;

/// A ring with its file and its memory.
pub struct KernelRing<S: squeue::EntryMarker = squeue::Entry, C: cqueue::EntryMarker = cqueue::Entry> {
    held: ManuallyDrop<Held<S, C>>,
    // Operations that the kernel has, or will have with the next call.
    under_way: usize,
    poll: Poll,
    has_been_woken: bool,
    // Whether memory that the kernel shares tells of every completion, so that a look needs no call.
    is_told: bool,
    /// How often that thread slept when operations were handed over.
    pub sqpoll_wakeups: u64,
    /// Set-up flags that the kernel took.
    pub flags: &'static [&'static str],
}

struct Held<S: squeue::EntryMarker, C: cqueue::EntryMarker> {
    entrance: Entrance,
    ring: IoUring<S, C>,
    buffers: SharedBuffers,
    file: Option<Arc<File>>,
}

/// Gives the file back at once: the kernel takes a closed ring down some time later, and until then a file system can't be
/// unmounted and a device not removed. What operations that are under way may still touch is never given back.
impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> Drop for KernelRing<S, C> {
    fn drop(&mut self) {
        if self.under_way > 0 {
            return;
        }
        if self.held.file.is_some() {
            // What can't be given back now goes with the ring.
            let _ = self.held.ring.submitter().unregister_files();
        }
        self.held.entrance.give_up();
        // SAFETY: it is dropped here only, and used by nobody afterwards.
        unsafe { ManuallyDrop::drop(&mut self.held) };
    }
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> KernelRing<S, C> {
    /// A ring with room for `slots` operations, whose only registered file is `file`. Must be called on the thread that will
    /// drive the ring.
    pub fn new(slots: u32, poll: Poll, file: Option<Arc<File>>) -> io::Result<Self> {
        let (ring, flags) = grant::build(slots, poll)?;
        if let Some(file) = &file {
            ring.submitter().register_files(&[file.as_raw_fd()])?;
        }
        let entrance = Entrance::to(&ring);
        let held = ManuallyDrop::new(Held { entrance, ring, buffers: SharedBuffers::none(), file });
        Ok(Self {
            held,
            under_way: 0,
            poll,
            has_been_woken: false,
            is_told: poll != Poll::Iopoll && grant::says_what_it_defers(flags),
            sqpoll_wakeups: 0,
            flags,
        })
    }

    /// Takes the memory that operations move data to and from, before the first of them.
    pub fn attach(&mut self, buffers: Buffers) {
        assert!(self.under_way == 0, "memory is attached before it is used");
        self.held.buffers = buffers.into();
    }

    /// Registers the memory as the one buffer; what the kernel has against it, in a word.
    pub fn register_buffers(&self) -> Result<(), String> {
        let length = self.held.buffers.length();
        if length > FIXED_BUFFER_BYTES_MAX {
            return Err("more than 1 GiB".to_owned());
        }
        let whole = libc::iovec { iov_base: self.held.buffers.address(0, length).cast(), iov_len: length };
        // SAFETY: the ring holds the memory until after it is dropped, or for ever.
        unsafe { self.held.ring.submitter().register_buffers(&[whole]) }.map_err(|error| symbol(&error))
    }

    /// The memory.
    #[inline]
    pub fn buffers(&mut self) -> &mut SharedBuffers {
        &mut self.held.buffers
    }

    /// The ring itself.
    #[inline]
    pub fn ring(&mut self) -> &mut IoUring<S, C> {
        &mut self.held.ring
    }

    /// Where a request's data goes; null where it moves none.
    #[inline]
    pub fn address(&self, request: &Request) -> *mut u8 {
        if request.operation.moves_data() {
            self.held.buffers.address(request.buffer_at, request.length_bytes as usize)
        } else {
            std::ptr::null_mut()
        }
    }

    /// Takes an operation, to be handed over with the next call.
    ///
    /// # Safety
    ///
    /// It must touch no memory but the stretch that [`KernelRing::address`] gave for it, and no file but the registered one.
    #[inline]
    pub unsafe fn push(&mut self, entry: &S) {
        self.under_way += 1;
        // SAFETY: both live until the operation is back, or for ever.
        while unsafe { self.held.ring.submission().push(entry) }.is_err() {
            assert!(self.poll == Poll::Sqpoll, "the ring has an entry for every slot");
            let wait = IoringEnterFlags::SQ_WAIT | IoringEnterFlags::SQ_WAKEUP;
            self.held
                .entrance
                .enter(0, 0, wait, None)
                .expect("the kernel's submission thread lives as long as its ring");
        }
    }

    /// Hands over what was pushed, and waits; see [`super::Ring::submit`].
    #[inline]
    pub fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        let (count, flags) = self.calls_for();
        // Who polls does not sleep: the kernel looks at the device once, and the worker comes back with its own deadlines.
        if wait_for == 0 || self.poll == Poll::Iopoll {
            if count > 0 || !flags.is_empty() || !self.is_told {
                self.held.entrance.enter(count, 0, flags, None)?;
            }
        } else {
            #[allow(clippy::cast_possible_truncation)] // The remainder is below 10^9.
            let timeout = Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
            let flags = flags | IoringEnterFlags::GETEVENTS;
            self.held.entrance.enter(count, wait_for, flags, Some(&timeout))?;
        }
        Ok(())
    }

    // What the kernel has to be called for: operations that it has not got yet, a thread of its own that sleeps, and work
    // that it defers.
    #[inline]
    fn calls_for(&mut self) -> (u32, IoringEnterFlags) {
        let queue = self.held.ring.submission();
        #[allow(clippy::cast_possible_truncation)] // A ring has at most 32,768 entries.
        let count = queue.len() as u32;
        let mut flags = IoringEnterFlags::empty();
        if self.poll == Poll::Iopoll || queue.taskrun() {
            flags |= IoringEnterFlags::GETEVENTS;
        }
        if self.poll == Poll::Sqpoll {
            // Its thread takes them by itself while it is awake. Woken, it says that it sleeps until it has a CPU.
            let is_asleep = count > 0 && queue.need_wakeup();
            self.sqpoll_wakeups += u64::from(is_asleep && !self.has_been_woken);
            self.has_been_woken = is_asleep;
            if !is_asleep {
                return (0, flags);
            }
            flags |= IoringEnterFlags::SQ_WAKEUP;
        }
        (count, flags)
    }

    /// Moves the completions that can be seen; see [`super::Ring::reap`].
    #[inline]
    pub fn reap(&mut self, into: &mut Vec<Completion>, completion: impl Fn(C) -> Completion) {
        let before = into.len();
        into.extend(self.held.ring.completion().map(completion));
        self.under_way -= into.len() - before;
    }

    /// Whether the kernel has work that makes completions; see [`super::Ring::holds_back`].
    #[inline]
    pub fn holds_back(&mut self) -> bool {
        self.held.ring.submission().taskrun()
    }

    /// Has the kernel do that work; see [`super::Ring::uncover`].
    pub fn uncover(&mut self) {
        // What is refused now is refused once more when the worker hands over, and told then.
        let _ = self.submit(0, 0);
    }
}

/// Whether the device below a file, or the device itself, says that it has no queue to poll. A partition has no queue of
/// its own.
pub fn is_never_polled(file: &File) -> bool {
    let Ok(facts) = fstat(file) else { return false };
    let is_device = FileType::from_raw_mode(facts.st_mode) == FileType::BlockDevice;
    let number = if is_device { facts.st_rdev } else { facts.st_dev };
    let device = format!("/sys/dev/block/{}:{}", major(number), minor(number));
    let said = ["", "/.."].iter().find_map(|step| read_to_string(format!("{device}{step}/queue/io_poll")).ok());
    said.is_some_and(|text| text.trim() == "0")
}
