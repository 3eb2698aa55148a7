//! Reproducible random numbers: a fixed generator, with logarithms from `libm` instead of the platform's library.
#![allow(clippy::float_arithmetic)] // Distributions need floats.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`; see [`below`].
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        below(self.bits(), bound)
    }

    /// A number above 0 and at most 1, in steps of 2^-53.
    #[inline]
    #[allow(clippy::cast_precision_loss)] // A float holds 53 bits.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number with an exponential distribution.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.unit())
    }

    /// A number with the standard normal distribution, by the polar method (Marsaglia and Bray, 1964).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// A number with a log-normal distribution of this median; `sigma` is the standard deviation of its logarithm.
    #[inline]
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * libm::exp(sigma * self.normal())
    }

    /// The next numbers, without consuming them. Two streams with the same next numbers are in the same state.
    #[must_use]
    pub fn ahead(&self) -> [u64; 4] {
        let mut ahead = self.0.clone();
        std::array::from_fn(|_| ahead.next_u64())
    }
}

/// A number below `bound` from 64 random bits, by multiplication; its bias is below `bound / 2^64`.
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // The high half of a 128-bit product fits 64 bits.
pub fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}
