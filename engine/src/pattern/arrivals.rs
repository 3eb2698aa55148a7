//! When operations are wanted: an open loop, whose arrivals come from the rate alone and wait for nobody.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use serde::Deserialize;

use crate::job::Job;
use crate::random::Random;

const SECOND_NS: u128 = 1_000_000_000;
/// Keeps the stream of arrivals apart from those of offsets and directions.
const STREAM: u64 = 0x6172_7269_7661_6c73;

/// How arrivals follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// At equal distances.
    Constant,
    /// Independently of each other: a Poisson process.
    Poisson,
}

/// A rate that does not wait for completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// Arrivals a second at each target, all workers together.
    pub rate_per_s: u64,
    /// How they follow each other.
    pub arrivals: ArrivalKind,
}

/// One worker's arrivals. What has come and was not taken yet is not kept anywhere: it is the stream itself, which the
/// worker has fallen behind.
#[derive(Clone, Debug)]
pub struct Arrivals {
    pace: Pace,
    workers: u64,
    worker: u64,
    start_ns: u64,
    taken: u64,
    next_ns: u64,
    // The sum of the exponential distances, whole nanoseconds and what is left of one.
    elapsed_ns: f64,
    random: Random,
}

impl Arrivals {
    /// The arrivals of a worker; None where the job keeps its queue full instead.
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

    /// Begins to count from a time.
    pub fn begin(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        self.schedule();
    }

    /// When the next one comes, or came.
    #[inline]
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next one: when it was to come.
    #[inline]
    pub fn take(&mut self) -> u64 {
        let taken_ns = self.next_ns;
        self.taken += 1;
        self.schedule();
        taken_ns
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // Below 2^53.
    #[allow(clippy::float_arithmetic)] // Exponential distances have no other form.
    fn schedule(&mut self) {
        let after_ns = match self.pace.arrivals {
            // From the start each time, so that nothing adds up; workers take turns.
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
