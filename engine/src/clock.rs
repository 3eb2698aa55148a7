//! Time as the worker sees it: a trait, so that simulated drives can use virtual time.

use rustix::time::{ClockId, clock_gettime};

/// Monotonic nanoseconds since a fixed origin.
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

    /// The clock's name in the record.
    pub const SOURCE: &'static str = "CLOCK_MONOTONIC";
}

impl Clock for Monotonic {
    #[inline]
    fn now(&self) -> u64 {
        read(ClockId::Monotonic) - self.epoch_ns
    }
}

/// The cost of one clock read: the median over several series of reads, so that interruptions have no influence.
#[must_use]
pub fn read_ns(clock: &impl Clock) -> u64 {
    const SERIES: usize = 15;
    const READS: u64 = 200;
    let mut costs = [0; SERIES];
    for cost in &mut costs {
        let since = clock.now();
        for _ in 0..READS {
            std::hint::black_box(clock.now());
        }
        *cost = (clock.now() - since) / READS;
    }
    costs.sort_unstable();
    costs[SERIES / 2]
}

/// Nanoseconds on one of the kernel's clocks.
#[inline]
#[must_use]
pub fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // The kernel's clocks stay positive until the year 2262.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
