//! `io_uring`: one ring, created and used by one thread.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::types::{Fixed, FsyncFlags};
use io_uring::{IoUring, Probe, opcode, squeue};

use super::kernel::{KernelRing, lacks_poll_queues};
use super::{Buffers, Completion, IoWqWorkers, Operation, PUNCH_HOLE, Poll, Request, Ring, RingFacts, SharedBuffers};
use crate::failure::symbol;

/// Size of the read that tests whether a device can be polled.
const IOPOLL_TRY_BYTES: u32 = 4096;
/// Time limit of that read.
const IOPOLL_TRY_MAX: Duration = Duration::from_secs(1);
/// The target is the only registered file.
const TARGET: Fixed = Fixed(0);

/// The access path to one file.
#[derive(Clone, Debug)]
pub struct IoPath {
    /// The file.
    pub file: Arc<File>,
    /// Whether I/O bypasses the page cache. Registered buffers, whose pages are pinned, are used only for direct I/O:
    /// they make buffered I/O slower, by a sixth on tmpfs.
    pub direct: bool,
    /// How completions are detected.
    pub poll: Poll,
    /// The io-wq workers that execute operations which would block.
    pub io_wq: Arc<IoWqWorkers>,
}

/// A ring on one file.
pub struct UringRing {
    ring: KernelRing,
    io_wq: Arc<IoWqWorkers>,
    facts: RingFacts,
}

/// Why `io_uring` is not available here; None if it is.
#[must_use]
pub fn refused() -> Option<String> {
    let ring = match IoUring::new(2) {
        Ok(ring) => ring,
        Err(error) => return Some(symbol(&error)),
    };
    let mut probe = Probe::new();
    match ring.submitter().register_probe(&mut probe) {
        Ok(()) if probe.is_supported(opcode::Read::CODE) && ring.params().is_feature_ext_arg() => None,
        Ok(()) => Some("a kernel before Linux 5.11".to_owned()),
        Err(error) => Some(symbol(&error)),
    }
}

impl UringRing {
    /// A ring for `slots` operations on a file, with their buffers.
    ///
    /// If the file does not support polling, the ring uses interrupts and reports a fallback. Must be called on the
    /// thread that will use the ring.
    pub fn new(slots: u32, path: &IoPath, buffers: Buffers) -> io::Result<Self> {
        let (mut ring, poll, mut fallbacks) = Self::granted(slots, path)?;
        ring.attach(buffers);
        let refusal = if path.direct { ring.register_buffers().err() } else { None };
        let fixed_buffers = path.direct && refusal.is_none();
        fallbacks.extend(refusal.map(|why| format!("registered buffers refused: {why}")));
        path.io_wq.set_affinity(ring.ring());
        let ring_flags = ring.flags.to_vec();
        let facts = RingFacts { ring_flags, poll_mode: poll.name(), fixed_buffers, fixed_file: true, fallbacks };
        Ok(Self { ring, io_wq: Arc::clone(&path.io_wq), facts })
    }

    // Builds the ring. Returns it with the granted poll mode, and the reason if that is not the requested one.
    fn granted(slots: u32, path: &IoPath) -> io::Result<(KernelRing, Poll, Vec<String>)> {
        let made = |poll| KernelRing::new(slots, poll, Some(Arc::clone(&path.file)));
        let (what, refusal) = match path.poll {
            Poll::Interrupt => return Ok((made(Poll::Interrupt)?, Poll::Interrupt, Vec::new())),
            Poll::Iopoll => match try_iopoll(&path.file) {
                Ok(()) => return Ok((made(Poll::Iopoll)?, Poll::Iopoll, Vec::new())),
                Err(error) => ("polled completions", error),
            },
            Poll::Sqpoll => match made(Poll::Sqpoll) {
                Ok(ring) => return Ok((ring, Poll::Sqpoll, Vec::new())),
                Err(error) => ("SQPOLL thread", error),
            },
        };
        Ok((made(Poll::Interrupt)?, Poll::Interrupt, vec![format!("{what} refused: {}", symbol(&refusal))]))
    }

    #[inline]
    fn entry(&self, request: &Request) -> squeue::Entry {
        let Request { length_bytes, offset_bytes, .. } = *request;
        let buffer = self.ring.address(request);
        let fixed = self.facts.fixed_buffers;
        let durable = if request.operation == Operation::WriteDsync { libc::RWF_DSYNC } else { 0 };
        match request.operation {
            Operation::Read if fixed => {
                opcode::ReadFixed::new(TARGET, buffer, length_bytes, 0).offset(offset_bytes).build()
            }
            Operation::Read => opcode::Read::new(TARGET, buffer, length_bytes).offset(offset_bytes).build(),
            Operation::Write | Operation::WriteDsync if fixed => {
                let write = opcode::WriteFixed::new(TARGET, buffer, length_bytes, 0);
                write.offset(offset_bytes).rw_flags(durable).build()
            }
            Operation::Write | Operation::WriteDsync => {
                opcode::Write::new(TARGET, buffer, length_bytes).offset(offset_bytes).rw_flags(durable).build()
            }
            Operation::Trim => {
                opcode::Fallocate::new(TARGET, length_bytes.into()).offset(offset_bytes).mode(PUNCH_HOLE).build()
            }
            Operation::Flush => opcode::Fsync::new(TARGET).flags(FsyncFlags::DATASYNC).build(),
        }
    }
}

// Reads the first block on a separate polled ring. Only the completion shows whether a device supports polling, and
// some kernels never deliver it. On a device without poll queues, older kernels (such as 6.1) accept a polled read,
// complete it by interrupt, and let the worker spin; only the device's sysfs attribute shows this.
fn try_iopoll(file: &Arc<File>) -> io::Result<()> {
    if lacks_poll_queues(file) {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    let mut ring: KernelRing = KernelRing::new(2, Poll::Iopoll, Some(Arc::clone(file)))?;
    ring.attach(Buffers::new(IOPOLL_TRY_BYTES as usize)?);
    let first =
        Request { operation: Operation::Read, slot: 0, offset_bytes: 0, buffer_at: 0, length_bytes: IOPOLL_TRY_BYTES };
    let read = opcode::Read::new(TARGET, ring.address(&first), IOPOLL_TRY_BYTES).build();
    // SAFETY: the operation reads the registered file, into the range that the ring returned for it.
    unsafe { ring.push(&read) };
    let (since, mut done) = (Instant::now(), Vec::with_capacity(1));
    while done.is_empty() {
        if since.elapsed() > IOPOLL_TRY_MAX {
            return Err(io::Error::from_raw_os_error(libc::ETIME));
        }
        ring.submit(0, 0)?;
        ring.reap(&mut done, |entry| Completion { slot: 0, result: entry.result() });
    }
    if done[0].result < 0 { Err(io::Error::from_raw_os_error(-done[0].result)) } else { Ok(()) }
}

impl Ring for UringRing {
    #[inline]
    fn push(&mut self, request: Request) {
        let entry = self.entry(&request).user_data(u64::from(request.slot));
        // SAFETY: it uses the registered file, and the range of memory that the ring returned for it.
        unsafe { self.ring.push(&entry) };
    }

    #[inline]
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        if wait_for > 0 && self.io_wq.spin_for_completion(self.ring.ring()) {
            return Ok(());
        }
        self.ring.submit(wait_for, timeout_ns)
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>) {
        self.ring.reap(into, |entry| Completion {
            #[allow(clippy::cast_possible_truncation)] // A slot number has 32 bits.
            slot: entry.user_data() as u32,
            result: entry.result(),
        });
    }

    #[inline]
    fn has_deferred_work(&mut self) -> bool {
        self.ring.has_deferred_work()
    }

    fn run_deferred_work(&mut self) {
        self.ring.run_deferred_work();
    }

    #[inline]
    fn buffers(&mut self) -> &mut SharedBuffers {
        self.ring.buffers()
    }

    fn sqpoll_wakeups(&self) -> u64 {
        self.ring.sqpoll_wakeups
    }

    fn facts(&self) -> RingFacts {
        self.facts.clone()
    }
}
