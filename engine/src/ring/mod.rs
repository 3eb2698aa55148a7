//! The way to the kernel, behind one trait. In: requests. Out: completions. A simulated drive fits behind it too.

mod buffers;
mod entrance;
mod grant;
mod helpers;
mod kernel;
mod nop;
mod null;
mod passthrough;
mod psync;
mod uring;

use std::io;

use serde::{Deserialize, Serialize};

pub use buffers::{Buffers, SharedBuffers};
pub use grant::build as granted_ring;
pub use helpers::Helpers;
pub use nop::NopRing;
pub use null::NullRing;
pub use passthrough::{Destination, PassthroughRing, is_offered as passthrough_offered};
pub use psync::PsyncRing;
pub use uring::{FileWay, UringRing, refused as uring_refused};

/// What to do with one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read it.
    Read,
    /// Write it.
    Write,
    /// Write it, and have it durable before the completion.
    WriteDsync,
    /// Forget what is there.
    Trim,
    /// Make all earlier writes durable.
    Flush,
}

/// How an `io_uring` finds out what is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Poll {
    /// The device interrupts.
    #[default]
    Interrupt,
    /// The worker asks the device again and again.
    Iopoll,
    /// A thread of the kernel looks for what is handed over; the device interrupts.
    Sqpoll,
}

impl Poll {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Interrupt, Self::Iopoll, Self::Sqpoll];

    /// Its name in jobs and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt",
            Self::Iopoll => "iopoll",
            Self::Sqpoll => "sqpoll",
        }
    }
}

impl Operation {
    /// Whether data goes to or from memory. Where none does, a completion says 0.
    #[inline]
    #[must_use]
    pub fn moves_data(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::WriteDsync)
    }
}

/// How files forget: a hole is punched, and the file keeps its size.
const PUNCH_HOLE: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

/// One operation for the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What.
    pub operation: Operation,
    /// Whose: comes back in the completion.
    pub slot: u32,
    /// Where in the target.
    pub offset_bytes: u64,
    /// Where in the ring's memory, which belongs to the operation until the completion; 0 where no data is moved.
    pub buffer_at: usize,
    /// How much.
    pub length_bytes: u32,
}

/// The kernel's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Whose.
    pub slot: u32,
    /// Bytes moved, or the error number negated.
    pub result: i32,
}

/// What a ring was granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RingTruth {
    /// Set-up flags that the kernel took.
    pub ring_flags: Vec<&'static str>,
    /// How completions are found.
    pub poll_mode: &'static str,
    /// Whether buffers are registered.
    pub fixed_buffers: bool,
    /// Whether the file is registered.
    pub fixed_file: bool,
    /// What was asked for and not granted, with the reason.
    pub fallbacks: Vec<String>,
}

impl RingTruth {
    /// What is granted where there is nothing to ask for.
    #[must_use]
    pub fn plain(poll_mode: &'static str) -> Self {
        Self { ring_flags: Vec::new(), poll_mode, fixed_buffers: false, fixed_file: false, fallbacks: Vec::new() }
    }
}

/// Whether the kernel asks to be called again: it was interrupted, short of memory for a moment, or timed out as told to.
#[must_use]
pub fn passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY))
}

/// A queue of operations.
pub trait Ring {
    /// Takes one request. There is room for as many as the ring was made for. Panics where its data would lie beyond the
    /// ring's memory.
    fn push(&mut self, request: Request);

    /// Hands all requests over, and waits for `wait_for` completions or until `timeout_ns` has passed.
    ///
    /// Behind an error that is [`passing`] the ring goes on: what it has not handed over goes out with the next call. Any
    /// other one ends the job.
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()>;

    /// Moves the completions that can be seen into `into` (which has room for them), without waiting. Each request comes
    /// back once at most.
    fn reap(&mut self, into: &mut Vec<Completion>);

    /// Whether the kernel says that it holds completions back: it defers the work that makes them, and does some twenty of
    /// them a call. It may say so for a moment after the last one was made.
    fn holds_back(&mut self) -> bool {
        false
    }

    /// Brings such completions to light, without waiting. Where that can't be done now, nothing more is seen.
    fn uncover(&mut self) {}

    /// The memory that data is moved to and from.
    fn buffers(&mut self) -> &mut SharedBuffers;

    /// How often an operation was handed over while the kernel's submission thread slept, so that it had to be woken.
    fn sqpoll_wakeups(&self) -> u64 {
        0
    }

    /// What this ring was granted.
    fn truth(&self) -> RingTruth;
}
