//! An `io_uring` with the file and the buffers that its operations access. Both live as long as any operation.

use std::fs::{File, read_to_string};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use io_uring::types::Timespec;
use io_uring::{IoUring, cqueue, squeue};
use rustix::fs::{FileType, fstat, major, minor};
use rustix::io_uring::IoringEnterFlags;

use super::ring_fd::RingFd;
use super::{Buffers, Completion, Poll, Request, SharedBuffers, setup_flags};
use crate::failure::symbol;

/// The largest buffer that can be registered.
const FIXED_BUFFER_BYTES_MAX: usize = 1 << 30;

/// A ring with its file and buffers.
pub struct KernelRing<S: squeue::EntryMarker = squeue::Entry, C: cqueue::EntryMarker = cqueue::Entry> {
    resources: ManuallyDrop<Resources<S, C>>,
    // Operations that were pushed and not reaped yet.
    in_flight: usize,
    poll: Poll,
    has_been_woken: bool,
    // Whether shared memory shows every completion or pending deferred work, so that polling needs no system call.
    sees_completions: bool,
    /// How often a submission had to wake the sleeping SQPOLL thread.
    pub sqpoll_wakeups: u64,
    /// Set-up flags that the kernel accepted.
    pub flags: &'static [&'static str],
}

struct Resources<S: squeue::EntryMarker, C: cqueue::EntryMarker> {
    ring_fd: RingFd,
    ring: IoUring<S, C>,
    buffers: SharedBuffers,
    file: Option<Arc<File>>,
}

/// Unregisters the file immediately. The kernel destroys a closed ring some time later, and until then a file system
/// cannot be unmounted and a device cannot be removed. Resources of operations still in flight are leaked on purpose.
impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> Drop for KernelRing<S, C> {
    fn drop(&mut self) {
        if self.in_flight > 0 {
            return;
        }
        if self.resources.file.is_some() {
            // If unregistering fails, the file is released with the ring.
            let _ = self.resources.ring.submitter().unregister_files();
        }
        self.resources.ring_fd.unregister();
        // SAFETY: this is the only place that drops the resources, and they are not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.resources) };
    }
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> KernelRing<S, C> {
    /// A ring for `slots` operations, with `file` as its only registered file. Must be called on the thread that will
    /// use the ring.
    pub fn new(slots: u32, poll: Poll, file: Option<Arc<File>>) -> io::Result<Self> {
        let (ring, flags) = setup_flags::build(slots, poll)?;
        if let Some(file) = &file {
            ring.submitter().register_files(&[file.as_raw_fd()])?;
        }
        let ring_fd = RingFd::of(&ring);
        let resources = ManuallyDrop::new(Resources { ring_fd, ring, buffers: SharedBuffers::none(), file });
        Ok(Self {
            resources,
            in_flight: 0,
            poll,
            has_been_woken: false,
            sees_completions: poll != Poll::Iopoll && setup_flags::indicates_deferred_work(flags),
            sqpoll_wakeups: 0,
            flags,
        })
    }

    /// Attaches the I/O buffers, before the first operation.
    pub fn attach(&mut self, buffers: Buffers) {
        assert!(self.in_flight == 0, "buffers are attached before the first operation");
        self.resources.buffers = buffers.into();
    }

    /// Registers the memory as one buffer. Returns the reason if the kernel refuses.
    pub fn register_buffers(&self) -> Result<(), String> {
        let length = self.resources.buffers.length();
        if length > FIXED_BUFFER_BYTES_MAX {
            return Err("more than 1 GiB".to_owned());
        }
        let whole = libc::iovec { iov_base: self.resources.buffers.address(0, length).cast(), iov_len: length };
        // SAFETY: the ring keeps the buffers until after it is dropped, or leaks them.
        unsafe { self.resources.ring.submitter().register_buffers(&[whole]) }.map_err(|error| symbol(&error))
    }

    /// The I/O buffers.
    #[inline]
    pub fn buffers(&mut self) -> &mut SharedBuffers {
        &mut self.resources.buffers
    }

    /// The ring itself.
    #[inline]
    pub fn ring(&mut self) -> &mut IoUring<S, C> {
        &mut self.resources.ring
    }

    /// The buffer address of a request; null if it moves no data.
    #[inline]
    pub fn address(&self, request: &Request) -> *mut u8 {
        if request.operation.moves_data() {
            self.resources.buffers.address(request.buffer_at, request.length_bytes as usize)
        } else {
            std::ptr::null_mut()
        }
    }

    /// Queues an operation for the next submission.
    ///
    /// # Safety
    ///
    /// The operation must access only the memory that [`KernelRing::address`] returned for it, and only the registered
    /// file.
    #[inline]
    pub unsafe fn push(&mut self, entry: &S) {
        self.in_flight += 1;
        // SAFETY: memory and file live until the operation completes, or are leaked.
        while unsafe { self.resources.ring.submission().push(entry) }.is_err() {
            assert!(self.poll == Poll::Sqpoll, "the ring has an entry for every slot");
            let wait = IoringEnterFlags::SQ_WAIT | IoringEnterFlags::SQ_WAKEUP;
            self.resources.ring_fd.enter(0, 0, wait, None).expect("the SQPOLL thread lives as long as its ring");
        }
    }

    /// Submits the queued operations and waits; see [`super::Ring::submit`].
    #[inline]
    pub fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        let (count, flags) = self.enter_arguments();
        // With IOPOLL, the worker does not sleep: the kernel polls the device once per call, and the worker checks its
        // own deadlines in between.
        if wait_for == 0 || self.poll == Poll::Iopoll {
            if count > 0 || !flags.is_empty() || !self.sees_completions {
                self.resources.ring_fd.enter(count, 0, flags, None)?;
            }
        } else {
            #[allow(clippy::cast_possible_truncation)] // The remainder is below 10^9.
            let timeout = Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
            let flags = flags | IoringEnterFlags::GETEVENTS;
            self.resources.ring_fd.enter(count, wait_for, flags, Some(&timeout))?;
        }
        Ok(())
    }

    // Arguments of the system call: the number of operations to submit, and flags that wake a sleeping SQPOLL thread or
    // run deferred work.
    #[inline]
    fn enter_arguments(&mut self) -> (u32, IoringEnterFlags) {
        let queue = self.resources.ring.submission();
        #[allow(clippy::cast_possible_truncation)] // A ring has at most 32,768 entries.
        let count = queue.len() as u32;
        let mut flags = IoringEnterFlags::empty();
        if self.poll == Poll::Iopoll || queue.taskrun() {
            flags |= IoringEnterFlags::GETEVENTS;
        }
        if self.poll == Poll::Sqpoll {
            // An SQPOLL thread that is awake takes operations without a call. After a wake-up, its flag stays set until
            // it runs; that is counted once.
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

    /// Moves the visible completions; see [`super::Ring::reap`].
    #[inline]
    pub fn reap(&mut self, into: &mut Vec<Completion>, completion: impl Fn(C) -> Completion) {
        let before = into.len();
        into.extend(self.resources.ring.completion().map(completion));
        self.in_flight -= into.len() - before;
    }

    /// Whether deferred work is pending; see [`super::Ring::has_deferred_work`].
    #[inline]
    pub fn has_deferred_work(&mut self) -> bool {
        self.resources.ring.submission().taskrun()
    }

    /// Runs deferred work; see [`super::Ring::run_deferred_work`].
    pub fn run_deferred_work(&mut self) {
        // A persistent error occurs again at the worker's next submission, which reports it.
        let _ = self.submit(0, 0);
    }
}

/// Whether the device, or the device below a file, reports that it has no poll queues. A partition has no queue
/// directory of its own.
pub fn lacks_poll_queues(file: &File) -> bool {
    let Ok(facts) = fstat(file) else { return false };
    let is_device = FileType::from_raw_mode(facts.st_mode) == FileType::BlockDevice;
    let number = if is_device { facts.st_rdev } else { facts.st_dev };
    let device = format!("/sys/dev/block/{}:{}", major(number), minor(number));
    let said = ["", "/.."].iter().find_map(|step| read_to_string(format!("{device}{step}/queue/io_poll")).ok());
    said.is_some_and(|text| text.trim() == "0")
}
