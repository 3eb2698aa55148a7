//! NVMe passthrough: read commands through `io_uring` to the NVMe driver. They bypass file systems and the block layer.
//!
//! For root, the kernel accepts any command, regardless of the access mode of the handle. Therefore only this file
//! builds commands, and Read is the only command that it can build.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::types::Fixed;
use io_uring::{IoUring, cqueue, opcode, squeue};

use super::kernel::{KernelRing, lacks_poll_queues};
use super::{Buffers, Completion, Operation, Poll, Request, Ring, RingFacts, SharedBuffers, is_transient};
use crate::failure::symbol;

type Wide = KernelRing<squeue::Entry128, cqueue::Entry32>;

/// The Read command of the NVM command set.
const READ: u8 = 0x02;
/// `NVME_URING_CMD_IO`: an I/O command (72 bytes) to a namespace.
const TO_NAMESPACE: u32 = 0xC048_4E80;
/// The namespace is the only registered file.
const TARGET: Fixed = Fixed(0);
/// Time limit of the read that tests whether passthrough works.
const TRY_MAX: Duration = Duration::from_secs(10);
/// Timeout of each wait for this read.
const TRY_NS: u64 = 100_000_000;

/// The destination of commands.
#[derive(Clone, Debug)]
pub struct PassthroughTarget {
    /// The open generic character device of the namespace.
    pub generic: Arc<File>,
    /// The open block device of the namespace.
    pub block: Arc<File>,
    /// The namespace ID.
    pub namespace: u32,
    /// The logical block size: a power of two.
    pub block_bytes: u32,
}

/// A ring on one namespace.
pub struct PassthroughRing {
    ring: Wide,
    target: PassthroughTarget,
    facts: RingFacts,
}

/// Whether the kernel supports passthrough: rings with double-size entries, and `uring_cmd`. Only a read shows whether
/// the driver of a drive supports it.
#[must_use]
pub fn is_offered() -> bool {
    let mut probe = io_uring::Probe::new();
    let ring = IoUring::<squeue::Entry128, cqueue::Entry32>::builder().build(2);
    ring.is_ok_and(|ring| ring.submitter().register_probe(&mut probe).is_ok())
        && probe.is_supported(opcode::UringCmd80::CODE)
}

impl PassthroughRing {
    /// A ring for `slots` reads with their buffers. It first reads one block on a separate ring, to test whether the
    /// driver accepts commands and registered buffers.
    ///
    /// If the device does not support polling, the ring uses interrupts and reports a fallback. Must be called on the
    /// thread that will use the ring.
    pub fn new(slots: u32, target: PassthroughTarget, buffers: Buffers, poll: Poll) -> io::Result<Self> {
        let mut fallbacks = Vec::new();
        let mut achieved = poll;
        if poll == Poll::Iopoll && lacks_poll_queues(&target.block) {
            fallbacks.push(format!("polled completions refused: {}", symbol(&libc_error(libc::EOPNOTSUPP))));
            achieved = Poll::Interrupt;
        }
        let refusal = match try_buffers(&target, achieved) {
            Err(error) if achieved != Poll::Interrupt => {
                let what = if poll == Poll::Iopoll { "polled completions" } else { "SQPOLL thread" };
                fallbacks.push(format!("{what} refused: {}", symbol(&error)));
                achieved = Poll::Interrupt;
                try_buffers(&target, achieved)?
            }
            outcome => outcome?,
        };
        let mut made = Self::made(slots, target, buffers, achieved)?;
        let refusal = refusal.or_else(|| made.ring.register_buffers().err());
        made.facts.fixed_buffers = refusal.is_none();
        fallbacks.extend(refusal.map(|why| format!("registered buffers refused: {why}")));
        made.facts.fallbacks = fallbacks;
        Ok(made)
    }

    // A ring without registered buffers.
    fn made(slots: u32, target: PassthroughTarget, buffers: Buffers, poll: Poll) -> io::Result<Self> {
        let mut ring = Wide::new(slots, poll, Some(Arc::clone(&target.generic)))?;
        ring.attach(buffers);
        let ring_flags = ring.flags.to_vec();
        let facts = RingFacts { ring_flags, fixed_file: true, ..RingFacts::plain(poll.name()) };
        Ok(Self { ring, target, facts })
    }

    // Reads the first block. Ignores an error status of the drive; an error of the kernel is a refusal.
    fn try_read(&mut self) -> io::Result<()> {
        let length_bytes = self.target.block_bytes;
        self.push(Request { operation: Operation::Read, slot: 0, offset_bytes: 0, buffer_at: 0, length_bytes });
        let (since, mut done) = (Instant::now(), Vec::with_capacity(1));
        while since.elapsed() < TRY_MAX {
            match self.ring.submit(1, TRY_NS) {
                Err(error) if !is_transient(&error) => return Err(error),
                _ => (),
            }
            self.ring.reap(&mut done, |entry| Completion { slot: 0, result: entry.result() });
            if let Some(first) = done.first() {
                return if first.result < 0 { Err(libc_error(-first.result)) } else { Ok(()) };
            }
        }
        Err(libc_error(libc::ETIME))
    }

    #[inline]
    fn entry(&self, request: &Request) -> squeue::Entry128 {
        let read = ReadCommand::of(request, self.ring.address(request), &self.target);
        let fixed = self.facts.fixed_buffers.then_some(0);
        let entry = opcode::UringCmd80::new(TARGET, TO_NAMESPACE).buf_index(fixed).cmd(read.bytes()).build();
        // The byte count is returned with the completion, above the slot number: the driver reports only a status.
        entry.user_data(u64::from(request.length_bytes) << 32 | u64::from(request.slot))
    }
}

/// A Read command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReadCommand {
    namespace: u32,
    first_block: u64,
    blocks: u32,
    buffer: u64,
    length_bytes: u32,
}

impl ReadCommand {
    // Only called for reads: jobs with other operations were rejected before.
    #[inline]
    fn of(request: &Request, buffer: *mut u8, target: &PassthroughTarget) -> Self {
        assert!(request.operation == Operation::Read, "passthrough supports reads only");
        let shift = target.block_bytes.trailing_zeros();
        Self {
            namespace: target.namespace,
            first_block: request.offset_bytes >> shift,
            blocks: request.length_bytes >> shift,
            buffer: buffer.addr() as u64,
            length_bytes: request.length_bytes,
        }
    }

    // `struct nvme_uring_cmd` of linux/nvme_ioctl.h, and 8 unused bytes.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // Splits a number into its halves.
    fn bytes(self) -> [u8; 80] {
        let mut command = [0; 80];
        command[0] = READ;
        command[4..8].copy_from_slice(&self.namespace.to_ne_bytes());
        command[24..32].copy_from_slice(&self.buffer.to_ne_bytes());
        command[36..40].copy_from_slice(&self.length_bytes.to_ne_bytes());
        command[40..44].copy_from_slice(&(self.first_block as u32).to_ne_bytes());
        command[44..48].copy_from_slice(&((self.first_block >> 32) as u32).to_ne_bytes());
        // The field contains the block count minus one.
        command[48..52].copy_from_slice(&(self.blocks - 1).to_ne_bytes());
        command
    }
}

// Reads the first block with a command. Returns the reason if registered buffers are refused. If the read does not
// complete in time, its ring and memory are leaked.
fn try_buffers(target: &PassthroughTarget, poll: Poll) -> io::Result<Option<String>> {
    let small = || Buffers::new(target.block_bytes as usize);
    let mut tried = PassthroughRing::made(2, target.clone(), small()?, poll)?;
    let refusal = tried.ring.register_buffers().err();
    tried.facts.fixed_buffers = refusal.is_none();
    match tried.try_read() {
        // Linux 5.19 and 6.0 support passthrough without registered buffers.
        Err(error) if tried.facts.fixed_buffers && error.raw_os_error() == Some(libc::EINVAL) => {
            let mut plain = PassthroughRing::made(2, target.clone(), small()?, poll)?;
            plain.try_read()?;
            Ok(Some(symbol(&error)))
        }
        outcome => outcome.map(|()| refusal),
    }
}

impl Ring for PassthroughRing {
    #[inline]
    fn push(&mut self, request: Request) {
        let entry = self.entry(&request);
        // SAFETY: it uses the registered file, and the range of memory that the ring returned for it.
        unsafe { self.ring.push(&entry) };
    }

    #[inline]
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        self.ring.submit(wait_for, timeout_ns)
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>) {
        self.ring.reap(into, |entry| {
            #[allow(clippy::cast_possible_truncation)] // Each half has 32 bits.
            let (slot, length) = (entry.user_data() as u32, (entry.user_data() >> 32) as u32);
            let result = match entry.result() {
                0 => length.cast_signed(),
                errno if errno < 0 => errno,
                status => -errno_of(status),
            };
            Completion { slot, result }
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

fn libc_error(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

/// The errno that the block device would return for an NVMe status, so that both access paths report a fault alike.
/// Source: `nvme_error_status` in drivers/nvme/host/core.c, and block/blk-core.c.
#[cold]
fn errno_of(status: i32) -> i32 {
    // Status code type and status code, without the bits above them, which concern retries.
    match status & 0x7FF {
        0x001 | 0x002 | 0x00B | 0x180 => libc::EOPNOTSUPP,
        0x021 | 0x080 | 0x082 => libc::EREMOTEIO,
        0x081 => libc::ENOSPC,
        0x083 => libc::EBADE,
        0x182 | 0x280 | 0x281 | 0x285..=0x287 => libc::ENODATA,
        0x181 | 0x282..=0x284 => libc::EILSEQ,
        0x370 => libc::ENOLINK,
        _ => libc::EIO,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::Arc;

    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::{Operation, PassthroughTarget, READ, ReadCommand, Request, errno_of};

    #[test]
    fn every_command_is_a_read_with_the_requested_fields() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for _ in 0..10_000 {
            let blocks = random.next_u32() % 65_536 + 1;
            let read = ReadCommand {
                namespace: random.next_u32(),
                first_block: random.next_u64(),
                blocks,
                buffer: random.next_u64(),
                length_bytes: random.next_u32(),
            };
            let bytes = read.bytes();
            let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            assert_eq!((bytes[0], &bytes[1..4]), (READ, &[0; 3][..]));
            assert_eq!((word(4), word(36)), (read.namespace, read.length_bytes));
            assert_eq!(u64::from(word(40)) | u64::from(word(44)) << 32, read.first_block);
            assert_eq!(word(48), blocks - 1);
            let is_empty = |from: usize, to: usize| bytes[from..to].iter().all(|byte| *byte == 0);
            assert!(is_empty(8, 24) && is_empty(32, 36) && is_empty(52, 80));
        }
    }

    #[test]
    fn operations_other_than_reads_are_rejected() {
        let nowhere = Arc::new(File::open("/dev/null").expect("a handle"));
        let target =
            PassthroughTarget { generic: Arc::clone(&nowhere), block: nowhere, namespace: 1, block_bytes: 512 };
        let made = |operation| {
            let request = Request { operation, slot: 0, offset_bytes: 4096, buffer_at: 0, length_bytes: 8192 };
            std::panic::catch_unwind(|| ReadCommand::of(&request, std::ptr::null_mut(), &target))
        };
        let read = made(Operation::Read).expect("a read is accepted");
        assert_eq!((read.namespace, read.first_block, read.blocks, read.length_bytes), (1, 8, 16, 8192));
        for other in [Operation::Write, Operation::WriteDsync, Operation::Trim, Operation::Flush] {
            assert!(made(other).is_err(), "{other:?}");
        }
    }

    #[test]
    fn a_status_maps_to_the_errno_of_the_block_device() {
        let known = [(0x281, libc::ENODATA), (0x4281, libc::ENODATA), (0x80, libc::EREMOTEIO), (0x6, libc::EIO)];
        for (status, errno) in known {
            assert_eq!(errno_of(status), errno, "{status:#x}");
        }
    }
}
