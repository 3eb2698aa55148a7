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

/// What one look at a clock costs: the median of several stretches of looks, so that no interruption counts.
#[must_use]
pub fn read_ns(clock: &impl Clock) -> u64 {
    const STRETCHES: usize = 15;
    const READS: u64 = 200;
    let mut costs = [0; STRETCHES];
    for cost in &mut costs {
        let since = clock.now();
        for _ in 0..READS {
            std::hint::black_box(clock.now());
        }
        *cost = (clock.now() - since) / READS;
    }
    costs.sort_unstable();
    costs[STRETCHES / 2]
}

/// Nanoseconds on one of the kernel's clocks.
#[inline]
#[must_use]
pub fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // The kernel's clocks stay positive until the year 2262.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
