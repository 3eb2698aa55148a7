//! Time as the worker sees it: a trait, so that a simulated drive can bring its own.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since some fixed moment, never running backwards.
pub trait Clock {
    /// The time now.
    fn now(&self) -> u64;
}

/// The kernel's monotonic clock, counted from the engine's start.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    epoch_ns: u64,
}

impl Monotonic {
    /// A clock that reads zero now.
    #[must_use]
    pub fn start() -> Self {
        Self { epoch_ns: read(ClockId::Monotonic) }
    }

    /// What the record calls this clock.
    pub const SOURCE: &'static str = "CLOCK_MONOTONIC";
}

impl Clock for Monotonic {
    #[inline]
    fn now(&self) -> u64 {
        read(ClockId::Monotonic) - self.epoch_ns
    }
}

/// Nanoseconds on one of the kernel's clocks.
#[inline]
#[must_use]
pub fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // The kernel's clocks stay positive until the year 2262.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
