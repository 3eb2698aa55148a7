//! Read times of the media: log-normal, with a rare slow mode.

use crate::random::Random;

/// Quantiles in the table; the outermost is at 3.7 standard deviations.
const QUANTILES: usize = 4096;
const BISECTIONS: u32 = 48;

/// Factors on the median read time. They are in a table because logarithms would take as long as the rest of a read.
#[derive(Clone, Debug)]
pub struct Tail {
    factors: Vec<f32>,
    // The probability of a slow read, in units of 2^-32.
    slow: u64,
    slow_factor: u64,
}

impl Tail {
    /// A distribution with the given standard deviation of the logarithm, and slow reads per million with their factor.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    pub fn new(sigma_permille: u32, slow_ppm: u32, slow_factor: u32) -> Self {
        let sigma = f64::from(sigma_permille) / 1000.0;
        let quantile = |number: usize| (number as f64 + 0.5) / QUANTILES as f64;
        let factors = (0..QUANTILES).map(|number| libm::exp(sigma * deviate(quantile(number))) as f32).collect();
        Self { factors, slow: (u64::from(slow_ppm) << 32) / 1_000_000, slow_factor: u64::from(slow_factor) }
    }

    /// The time of a read with the given median.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // Below 2^53.
    pub fn draw(&self, random: &mut Random, median_ns: u64) -> u64 {
        let bits = random.bits();
        let factor = f64::from(self.factors[(bits >> 52) as usize]);
        let length_ns = (median_ns as f64 * factor) as u64;
        if bits & 0xffff_ffff < self.slow { length_ns * self.slow_factor } else { length_ns }
    }
}

// The quantile of the standard normal distribution.
fn deviate(share: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        let below = libm::erfc(-middle * std::f64::consts::FRAC_1_SQRT_2) / 2.0;
        if below < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}
