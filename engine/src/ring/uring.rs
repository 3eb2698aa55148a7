//! `io_uring`: one ring, made and driven by one thread.

use std::io;
use std::os::fd::RawFd;

use io_uring::types::{Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, opcode, squeue};

use super::{Completion, Operation, Request, Ring, RingTruth};
use crate::failure::symbol;
use crate::pattern::Region;

/// The longest stretch that can be registered as one buffer.
const FIXED_BUFFER_BYTES_MAX: usize = 1 << 30;
/// The target is the only registered file.
const TARGET: Fixed = Fixed(0);

/// Sets of set-up flags in the order of preference. Deferred task work comes only with a single issuer, so these are
/// asked for together; the first set that the kernel grants is used.
const FLAG_SETS: [&[&str]; 3] =
    [&["single_issuer", "defer_taskrun", "submit_all"], &["coop_taskrun", "submit_all"], &[]];

/// A ring on one file.
pub struct UringRing {
    ring: IoUring,
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

impl UringRing {
    /// A ring with room for `slots` operations on a file, which must outlive it, with buffers from `memory`.
    ///
    /// Must be called on the thread that will drive the ring.
    pub fn new(slots: u32, file: RawFd, memory: &Region) -> io::Result<Self> {
        let (ring, ring_flags) = build(slots)?;
        ring.submitter().register_files(&[file])?;
        let refusal = register_memory(&ring, memory).err();
        Ok(Self {
            ring,
            truth: RingTruth {
                ring_flags: ring_flags.to_vec(),
                poll_mode: "interrupt",
                fixed_buffers: refusal.is_none(),
                fixed_file: true,
                fallbacks: refusal.map(|why| format!("registered buffers refused: {why}")).into_iter().collect(),
            },
        })
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
            Operation::Flush => opcode::Fsync::new(TARGET).flags(FsyncFlags::DATASYNC).build(),
        }
    }
}

fn build(slots: u32) -> io::Result<(IoUring, &'static [&'static str])> {
    let mut refusal = io::Error::from_raw_os_error(libc::EINVAL);
    for flags in FLAG_SETS {
        let mut builder = IoUring::builder();
        for &flag in flags {
            match flag {
                "single_issuer" => builder.setup_single_issuer(),
                "defer_taskrun" => builder.setup_defer_taskrun(),
                "coop_taskrun" => builder.setup_coop_taskrun(),
                "submit_all" => builder.setup_submit_all(),
                _ => unreachable!("every name in FLAG_SETS is listed here"),
            };
        }
        match builder.build(slots.max(2)) {
            Ok(ring) => return Ok((ring, flags)),
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}

fn register_memory(ring: &IoUring, memory: &Region) -> Result<(), String> {
    if memory.length() > FIXED_BUFFER_BYTES_MAX {
        return Err("more than 1 GiB".to_owned());
    }
    let whole = libc::iovec { iov_base: memory.start().cast(), iov_len: memory.length() };
    // SAFETY: the worker keeps the region until after its ring is dropped.
    unsafe { ring.submitter().register_buffers(&[whole]) }.map_err(|error| symbol(&error))
}

/// The kernel asks to be called again: it was interrupted, short of memory for a moment, or timed out as told to.
fn passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY))
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
        let outcome = if wait_for == 0 {
            self.ring.submitter().submit()
        } else {
            #[allow(clippy::cast_possible_truncation)] // The remainder is below 10^9.
            let timeout = Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
            self.ring.submitter().submit_with_args(wait_for as usize, &SubmitArgs::new().timespec(&timeout))
        };
        match outcome {
            Err(error) if !passing(&error) => Err(error),
            _ => Ok(()),
        }
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
