//! `io_uring`: one ring, made and driven by one thread.

use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::types::{Fd, Fixed, FsyncFlags};
use io_uring::{IoUring, Probe, opcode, squeue};

use super::kernel::{enter, is_never_polled, register_memory};
use super::{Completion, Helpers, Operation, PUNCH_HOLE, Poll, Request, Ring, RingTruth, grant};
use crate::failure::symbol;
use crate::memory::Region;

/// What is read to see whether a device can be polled.
const IOPOLL_TRY_BYTES: u32 = 4096;
/// How long that may take.
const IOPOLL_TRY_MAX: Duration = Duration::from_secs(1);
/// The target is the only registered file.
const TARGET: Fixed = Fixed(0);

/// The way to one file, which must outlive every ring on it.
#[derive(Clone, Debug)]
pub struct FileWay {
    /// The file.
    pub file: RawFd,
    /// Whether data goes past the page cache. Only then is there anything to gain from registered buffers, whose pages stay
    /// where they are: what copies is slower with them, by a sixth on a file in memory.
    pub direct: bool,
    /// How completions are found.
    pub poll: Poll,
    /// Who does what can't be begun without blocking.
    pub helpers: Arc<Helpers>,
}

/// A ring on one file.
pub struct UringRing {
    ring: IoUring,
    is_polled: bool,
    helpers: Arc<Helpers>,
    truth: RingTruth,
}

/// Why `io_uring` can't be had here, in a word or two; None when it can.
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

/// Gives the file back at once: the kernel takes a closed ring down some time later, and until then a file system can't be
/// unmounted and a device not removed.
impl Drop for UringRing {
    fn drop(&mut self) {
        // What can't be given back now goes with the ring.
        let _ = self.ring.submitter().unregister_files();
    }
}

impl UringRing {
    /// A ring with room for `slots` operations on a file, with buffers from `memory`.
    ///
    /// Where the file takes no polling the ring does without, and says so. Must be called on the thread that will drive
    /// the ring.
    pub fn new(slots: u32, way: &FileWay, memory: &Region) -> io::Result<Self> {
        let mut fallbacks = Vec::new();
        let interrupted = FileWay { poll: Poll::Interrupt, ..way.clone() };
        if way.poll == Poll::Iopoll
            && let Err(error) = try_iopoll(way.file)
        {
            fallbacks.push(format!("polled completions refused: {}", symbol(&error)));
            return Self::granted(slots, &interrupted, memory, fallbacks);
        }
        match Self::granted(slots, way, memory, fallbacks) {
            Err(error) if way.poll == Poll::Sqpoll => {
                let fallbacks = vec![format!("the kernel's submission thread refused: {}", symbol(&error))];
                Self::granted(slots, &interrupted, memory, fallbacks)
            }
            outcome => outcome,
        }
    }

    fn granted(slots: u32, way: &FileWay, memory: &Region, mut fallbacks: Vec<String>) -> io::Result<Self> {
        let (ring, ring_flags) = grant::build(slots, way.poll)?;
        ring.submitter().register_files(&[way.file])?;
        let refusal = if way.direct { register_memory(&ring, memory).err() } else { None };
        let fixed_buffers = way.direct && refusal.is_none();
        fallbacks.extend(refusal.map(|why| format!("registered buffers refused: {why}")));
        way.helpers.place(&ring);
        let ring_flags = ring_flags.to_vec();
        let poll_mode = way.poll.name();
        let truth = RingTruth { ring_flags, poll_mode, fixed_buffers, fixed_file: true, fallbacks };
        Ok(Self { ring, is_polled: way.poll == Poll::Iopoll, helpers: Arc::clone(&way.helpers), truth })
    }

    #[inline]
    fn entry(&self, request: &Request) -> squeue::Entry {
        let Request { buffer, length_bytes, offset_bytes, .. } = *request;
        let fixed = self.truth.fixed_buffers;
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

// Reads the first block on a polled ring of its own: whether a device can be polled shows in the completion only, and in
// some kernels by none ever coming. Older kernels (6.1 is one) take a polled read of a device without queues to poll,
// have it interrupt, and let the worker spin: that shows in the device's own word only.
fn try_iopoll(file: RawFd) -> io::Result<()> {
    if is_never_polled(file) {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    // Dropped after the ring, which takes back what is still under way.
    let memory = Region::new(IOPOLL_TRY_BYTES as usize)?;
    let (mut ring, _): (IoUring, _) = grant::build(2, Poll::Iopoll)?;
    let read = opcode::Read::new(Fd(file), memory.start(), IOPOLL_TRY_BYTES).build();
    // SAFETY: the memory outlives the ring.
    unsafe { ring.submission().push(&read) }.expect("the ring is empty");
    ring.submit()?;
    let since = Instant::now();
    loop {
        if let Some(done) = ring.completion().next() {
            return if done.result() < 0 { Err(io::Error::from_raw_os_error(-done.result())) } else { Ok(()) };
        }
        if since.elapsed() > IOPOLL_TRY_MAX {
            return Err(io::Error::from_raw_os_error(libc::ETIME));
        }
        ring.submit()?;
    }
}

impl Ring for UringRing {
    #[inline]
    fn push(&mut self, request: Request) {
        let entry = self.entry(&request).user_data(u64::from(request.slot));
        // SAFETY: buffer and file outlive the ring, and the slot's memory is left alone until the completion.
        unsafe { self.ring.submission().push(&entry) }.expect("the ring has an entry for every slot");
    }

    #[inline]
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        if wait_for > 0 && self.helpers.ask(&mut self.ring) {
            return Ok(());
        }
        enter(&self.ring, self.is_polled, wait_for, timeout_ns)
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>, most: usize) {
        into.extend(self.ring.completion().take(most).map(|entry| Completion {
            #[allow(clippy::cast_possible_truncation)] // It was a slot number when it went in.
            slot: entry.user_data() as u32,
            result: entry.result(),
        }));
    }

    fn truth(&self) -> RingTruth {
        self.truth.clone()
    }
}
