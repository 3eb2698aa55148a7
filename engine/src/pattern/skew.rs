//! Ranks of which some come more often than others, each drawn in constant time and without a table. The mathematics is
//! that of `libm`, so that a seed gives the same ranks everywhere.
#![allow(clippy::float_arithmetic)] // Distributions are drawn from.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Blocks are below 2^53.

use crate::job::{EXPONENT_PERMILLE_MAX, Zone};
use crate::random::Random;

/// Below this, series are more exact than the functions that they stand for.
const SERIES_BELOW: f64 = 1e-8;

/// Rank k, from 0 on, comes in proportion to 1 / (k + 1)^exponent: rejection-inversion (W. Hörmann and G. Derflinger,
/// Rejection-Inversion to Generate Variates from Monotone Discrete Distributions, 1996).
#[derive(Clone, Debug)]
pub struct Zipf {
    exponent: f64,
    ranks: f64,
    integral_first: f64,
    integral_last: f64,
    squeeze: f64,
}

impl Zipf {
    /// The distribution over so many ranks; the exponent in thousandths.
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

    /// The next rank.
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

    // The integral of the weight from 1 on: (x^(1 - exponent) - 1) / (1 - exponent), and the logarithm at exponent 1.
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

/// A share h of all ranks, the first ones, comes with 1 - h of the draws, and so on within these: the self-similar
/// distribution of J. Gray et al. (Quickly Generating Billion-Record Synthetic Databases, 1994).
#[derive(Clone, Debug)]
pub struct Pareto {
    ranks: u64,
    power: f64,
}

impl Pareto {
    /// The distribution over so many ranks; the share h in thousandths, below a half.
    #[must_use]
    pub fn new(ranks: u64, share_permille: u32) -> Self {
        debug_assert!((1..500).contains(&share_permille));
        let share = f64::from(share_permille) / 1000.0;
        Self { ranks, power: libm::log(share) / libm::log1p(-share) }
    }

    /// The next rank.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let place = libm::pow(random.unit(), self.power);
        ((place * self.ranks as f64) as u64).min(self.ranks - 1)
    }
}

/// Zones of ranks, one behind the other, each of which takes its share of the draws; within a zone all are alike.
#[derive(Clone, Debug)]
pub struct Zones {
    // In thousandths of all draws, added up to the end of each zone, and the first rank and the number of ranks of each.
    zones: Box<[(u64, u64, u64)]>,
}

impl Zones {
    /// The zones of so many ranks. A zone too small for a rank of its own begins at one of its neighbour's.
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

    /// The next rank.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let draw = random.below(1000);
        let &(_, first, ranks) =
            self.zones.iter().find(|(until, ..)| draw < *until).expect("the shares add up to a thousand");
        first + random.below(ranks)
    }
}
