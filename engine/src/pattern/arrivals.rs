//! Arrivals of an open loop. They depend only on the arrival rate, not on completions.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use serde::Deserialize;

use crate::job::Job;
use crate::random::Random;

const SECOND_NS: u128 = 1_000_000_000;
/// Separates the random stream of arrivals from those of offsets and classes.
const STREAM: u64 = 0x6172_7269_7661_6c73;

/// The distribution of the time between arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// Equal intervals.
    Constant,
    /// Independent arrivals: a Poisson process.
    Poisson,
}

/// An open loop: arrivals independent of completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLoop {
    /// Arrivals per second on each target, over all workers.
    pub rate_per_s: u64,
    /// Their distribution.
    pub arrivals: ArrivalKind,
}

/// One worker's arrivals. Pending arrivals are not stored in a queue: if the worker is late, its next arrival is in the
/// past.
#[derive(Clone, Debug)]
pub struct Arrivals {
    pace: OpenLoop,
    workers: u64,
    worker: u64,
    start_ns: u64,
    taken: u64,
    next_ns: u64,
    // The sum of the exponential intervals, including fractions of a nanosecond.
    elapsed_ns: f64,
    random: Random,
}

impl Arrivals {
    /// The arrivals of a worker; None in a closed loop.
    #[must_use]
    pub fn of(job: &Job, worker: u32) -> Option<Self> {
        let pace = job.pace?;
        let mut seeds = SplitMix64::seed_from_u64(job.seed ^ STREAM ^ (u64::from(worker) << 32));
        let arrivals = Self {
            pace,
            workers: u64::from(job.workers_each()),
            worker: u64::from(worker % job.workers_each()),
            start_ns: 0,
            taken: 0,
            next_ns: 0,
            elapsed_ns: 0.0,
            random: Random::new(seeds.next_u64()),
        };
        Some(arrivals)
    }

    /// Sets the start time.
    pub fn begin(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        self.schedule();
    }

    /// The intended start of the next operation, which may be in the past.
    #[inline]
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next arrival and returns its intended start.
    #[inline]
    pub fn take(&mut self) -> u64 {
        let taken_ns = self.next_ns;
        self.taken += 1;
        self.schedule();
        taken_ns
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // Below 2^53.
    #[allow(clippy::float_arithmetic)] // Exponential intervals need floats.
    fn schedule(&mut self) {
        let after_ns = match self.pace.arrivals {
            // Computed from the start each time, so that rounding errors do not add up. Workers take arrivals in turn.
            ArrivalKind::Constant => {
                let number = u128::from(self.taken) * u128::from(self.workers) + u128::from(self.worker);
                (number * SECOND_NS / u128::from(self.pace.rate_per_s)) as u64
            }
            ArrivalKind::Poisson => {
                let mean_ns = 1e9 * self.workers as f64 / self.pace.rate_per_s as f64;
                self.elapsed_ns += self.random.exponential(mean_ns);
                self.elapsed_ns as u64
            }
        };
        self.next_ns = self.start_ns + after_ns;
    }
}
