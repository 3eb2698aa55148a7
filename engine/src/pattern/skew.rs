//! Skewed distributions of ranks, drawn in constant time and without tables. Functions are those of `libm`, so that a
//! seed yields the same ranks on every platform.
#![allow(clippy::float_arithmetic)] // Distributions are drawn from.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below 2^53.

use crate::job::{EXPONENT_PERMILLE_MAX, Zone};
use crate::random::Random;

/// Below this value, a series is more accurate than the floating-point function.
const SERIES_BELOW: f64 = 1e-8;

/// Zipf: rank k, starting at 0, has a probability proportional to 1 / (k + 1)^exponent. Drawn by rejection-inversion
/// (W. Hörmann and G. Derflinger, Rejection-Inversion to Generate Variates from Monotone Discrete Distributions, 1996).
#[derive(Clone, Debug)]
pub struct Zipf {
    exponent: f64,
    ranks: f64,
    integral_first: f64,
    integral_last: f64,
    squeeze: f64,
}

impl Zipf {
    /// The distribution over that many ranks, with the exponent in thousandths.
    #[must_use]
    pub fn new(ranks: u64, exponent_permille: u32) -> Self {
        debug_assert!((1..=EXPONENT_PERMILLE_MAX).contains(&exponent_permille));
        let exponent = f64::from(exponent_permille) / 1000.0;
        let mut zipf = Self { exponent, ranks: ranks as f64, integral_first: 0.0, integral_last: 0.0, squeeze: 0.0 };
        zipf.integral_first = zipf.integral(1.5) - 1.0;
        zipf.integral_last = zipf.integral(zipf.ranks + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// Draws the next rank.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.integral_last + random.unit() * (self.integral_first - self.integral_last);
            let x = self.inverse(area);
            let rank = libm::floor(x + 0.5).clamp(1.0, self.ranks);
            if rank - x <= self.squeeze || area >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64 - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    // The integral of the weight from 1 to x: (x^(1 - exponent) - 1) / (1 - exponent), or the logarithm for exponent 1.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let power = (1.0 - self.exponent) * log;
        let ratio = if power.abs() > SERIES_BELOW { libm::expm1(power) / power } else { 1.0 + power / 2.0 };
        ratio * log
    }

    fn inverse(&self, area: f64) -> f64 {
        let power = (area * (1.0 - self.exponent)).max(-1.0);
        let ratio = if power.abs() > SERIES_BELOW { libm::log1p(power) / power } else { 1.0 - power / 2.0 };
        libm::exp(ratio * area)
    }
}

/// The first share h of the ranks takes 1 - h of the draws, and so on recursively: the self-similar distribution of J.
/// Gray et al. (Quickly Generating Billion-Record Synthetic Databases, 1994).
#[derive(Clone, Debug)]
pub struct Pareto {
    ranks: u64,
    power: f64,
}

impl Pareto {
    /// The distribution over that many ranks, with h in thousandths, below a half.
    #[must_use]
    pub fn new(ranks: u64, share_permille: u32) -> Self {
        debug_assert!((1..500).contains(&share_permille));
        let share = f64::from(share_permille) / 1000.0;
        Self { ranks, power: libm::log(share) / libm::log1p(-share) }
    }

    /// Draws the next rank.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let place = libm::pow(random.unit(), self.power);
        ((place * self.ranks as f64) as u64).min(self.ranks - 1)
    }
}

/// Consecutive zones of ranks, each with its share of the draws. Ranks within a zone are equally likely.
#[derive(Clone, Debug)]
pub struct Zones {
    // For each zone: the cumulative share of the draws in thousandths, the first rank, and the number of ranks.
    zones: Box<[(u64, u64, u64)]>,
}

impl Zones {
    /// The zones over that many ranks. A zone smaller than one rank shares a rank with its neighbour.
    #[must_use]
    pub fn new(ranks: u64, zones: &[Zone]) -> Self {
        let border = |space: u64| u64::try_from(u128::from(ranks) * u128::from(space) / 1000).unwrap_or(u64::MAX);
        let (mut accesses, mut space) = (0, 0);
        let zones = zones.iter().map(|zone| {
            let first = border(space).min(ranks - 1);
            accesses += u64::from(zone.accesses_permille);
            space += u64::from(zone.space_permille);
            (accesses, first, border(space).saturating_sub(first).max(1))
        });
        Self { zones: zones.collect() }
    }

    /// Draws the next rank.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let draw = random.below(1000);
        let &(_, first, ranks) =
            self.zones.iter().find(|(until, ..)| draw < *until).expect("the shares add up to a thousand");
        first + random.below(ranks)
    }
}
