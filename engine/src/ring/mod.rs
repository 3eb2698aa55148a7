//! The I/O engines behind one trait. In: requests. Out: completions.

mod buffers;
mod io_wq;
mod kernel;
mod nop;
mod null;
mod passthrough;
mod psync;
mod ring_fd;
mod setup_flags;
mod uring;

use std::io;

use serde::{Deserialize, Serialize};

pub use buffers::{Buffers, SharedBuffers};
pub use io_wq::IoWqWorkers;
pub use nop::NopRing;
pub use null::NullRing;
pub use passthrough::{PassthroughRing, PassthroughTarget, is_offered as passthrough_offered};
pub use psync::PsyncRing;
pub use setup_flags::build as build_ring;
pub use uring::{IoPath, UringRing, refused as uring_refused};

/// An operation on one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read.
    Read,
    /// Write.
    Write,
    /// Write that is durable when it completes.
    WriteDsync,
    /// Trim (discard).
    Trim,
    /// Flush: make all earlier writes durable.
    Flush,
}

/// How an `io_uring` detects completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Poll {
    /// By device interrupts.
    #[default]
    Interrupt,
    /// IOPOLL: the worker polls the device.
    Iopoll,
    /// SQPOLL: a kernel thread polls the submission queue; completions use interrupts.
    Sqpoll,
}

impl Poll {
    /// Every mode.
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
    /// Whether the operation moves data. Otherwise its completion reports 0 bytes.
    #[inline]
    #[must_use]
    pub fn moves_data(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::WriteDsync)
    }
}

/// A trim of a file punches a hole and keeps the file size.
const PUNCH_HOLE: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

/// One request to the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The operation.
    pub operation: Operation,
    /// The worker's slot, returned in the completion.
    pub slot: u32,
    /// Offset on the target.
    pub offset_bytes: u64,
    /// Offset in the ring's buffers, which belong to the operation until its completion; 0 without data.
    pub buffer_at: usize,
    /// Length.
    pub length_bytes: u32,
}

/// A completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The worker's slot.
    pub slot: u32,
    /// Bytes transferred, or the negated errno.
    pub result: i32,
}

/// The features that a ring was granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RingFacts {
    /// Set-up flags that the kernel accepted.
    pub ring_flags: Vec<&'static str>,
    /// How completions are detected.
    pub poll_mode: &'static str,
    /// Whether buffers are registered.
    pub fixed_buffers: bool,
    /// Whether the file is registered.
    pub fixed_file: bool,
    /// Features that were requested and refused, with the reason.
    pub fallbacks: Vec<String>,
}

impl RingFacts {
    /// The facts of a ring without optional features.
    #[must_use]
    pub fn plain(poll_mode: &'static str) -> Self {
        Self { ring_flags: Vec::new(), poll_mode, fixed_buffers: false, fixed_file: false, fallbacks: Vec::new() }
    }
}

/// Whether an error is transient, so that the call is to be repeated: interrupted, short of resources, or the timeout
/// has expired.
#[must_use]
pub fn is_transient(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY))
}

/// A queue of operations.
pub trait Ring {
    /// Queues one request. The ring has room for as many requests as it has slots. Panics if the request's data exceeds
    /// the ring's buffers.
    fn push(&mut self, request: Request);

    /// Submits all queued requests, and waits for `wait_for` completions or until `timeout_ns` has passed.
    ///
    /// After an error for which [`is_transient`] returns true, the ring is usable, and the next call submits the
    /// remaining requests. Any other error ends the job.
    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()>;

    /// Moves the visible completions into `into` (which has room for them), without waiting. Each request completes at
    /// most once.
    fn reap(&mut self, into: &mut Vec<Completion>);

    /// Whether completions wait for deferred task work. The kernel runs about twenty items of it per call. The flag may
    /// stay set for a short time after the last item.
    fn has_deferred_work(&mut self) -> bool {
        false
    }

    /// Runs deferred task work without waiting. If this fails, no further completions become visible for now.
    fn run_deferred_work(&mut self) {}

    /// The I/O buffers.
    fn buffers(&mut self) -> &mut SharedBuffers;

    /// How often a submission had to wake the sleeping SQPOLL thread.
    fn sqpoll_wakeups(&self) -> u64 {
        0
    }

    /// The features that this ring was granted.
    fn facts(&self) -> RingFacts;
}
