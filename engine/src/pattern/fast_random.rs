//! The order of the writes that bring an empty drive to random-write steady state in about one capacity.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::permutation::Permutation;
use crate::job::OVER_PROVISIONING_PERMILLE_MAX;
use crate::random::below;

/// Equal parts of the test region. Within one, the share of overwrites is constant. With 128 of them, it differs from
/// the modelled share by less than the counts of valid pages of flash blocks do by chance.
pub const REGIONS: usize = 128;
/// Halvings of an interval until a double has no more digits.
const HALVINGS: u32 = 60;

/// What the writes to a region are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    // The number of its first write, and of the first write after it.
    start: u64,
    end: u64,
    // Blocks written before it.
    written: u64,
    // The share of its writes that go to a new block, in units of 2^-64.
    new_share: u128,
}

/// Writes every block once, region by region, and in between overwrites some of the blocks already written at random.
///
/// In random-write steady state, a flash block that was filled `x` writes ago, counted with those of garbage collection,
/// has the share `exp(-x / (A U))` of its pages still valid, for `U` blocks of the host and a write amplification of
/// `A`. All flash, `(1 + over-provisioning) U`, holds `U` valid pages: `A (1 - exp(-(1 + over-provisioning) / A)) = 1`
/// (P. Desnoyers, Analytic Modeling of SSD Write Performance, 2012, for collection of the oldest block; greedy
/// collection tends to the same for large blocks).
///
/// Without garbage collection, host writes have to leave that state. If writes go to a new block at the rate `W'` of
/// all writes, and else to any of the `W` blocks already written with the same probability, a page becomes invalid at
/// the rate `(1 - W') / W`. It is `1 / (A U)` at any time if `W = A U (1 - exp(-t / (A U)))` after `t` writes, which is
/// `U` when all flash is written. The drive is then, at any time, in the steady state of the blocks written so far, so
/// an assumed over-provisioning above the real one does little harm. Writes after the last new block are random.
#[derive(Clone, Debug)]
pub struct FastRandom {
    regions: Box<[Region; REGIONS]>,
    region: usize,
    blocks: u64,
    order: Permutation,
    key: u64,
}

impl FastRandom {
    /// The writes to a number of blocks for a seed, with the over-provisioning in thousandths.
    #[must_use]
    pub fn new(blocks: u64, over_provisioning_permille: u32, seed: u64) -> Self {
        let mut seeds = SplitMix64::seed_from_u64(seed);
        let order = Permutation::new(blocks, seeds.next_u64());
        let regions = Box::new(regions(blocks, over_provisioning_permille));
        Self { regions, region: 0, blocks, order, key: seeds.next_u64() }
    }

    /// The block of a write. Writes of one generator are numbered upwards, but some may be missing.
    #[inline]
    #[must_use]
    pub fn at(&mut self, number: u64) -> u64 {
        while self.region < REGIONS && number >= self.regions[self.region].end {
            self.region += 1;
        }
        let Some(region) = self.regions.get(self.region) else {
            return self.order.at(self.drawn(number, self.blocks));
        };
        let (before, after) = (region.written_at(number), region.written_at(number + 1));
        let place = if after > before { before } else { self.drawn(number, before) };
        self.order.at(place)
    }

    // A number below the bound, for each write another one.
    #[inline]
    fn drawn(&self, number: u64, bound: u64) -> u64 {
        below(SplitMix64::seed_from_u64(self.key ^ number).next_u64(), bound)
    }
}

impl Region {
    // Blocks written before a write of the region. The first write is to a new block.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // Not above the number of blocks.
    fn written_at(&self, number: u64) -> u64 {
        let new = u128::from(number - self.start) * self.new_share + u128::from(u64::MAX);
        self.written + (new >> 64) as u64
    }
}

#[allow(clippy::float_arithmetic)] // Before the first write.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below 2^53 pages.
fn regions(blocks: u64, over_provisioning_permille: u32) -> [Region; REGIONS] {
    debug_assert!((1..=OVER_PROVISIONING_PERMILLE_MAX).contains(&over_provisioning_permille));
    let amplification = write_amplification(over_provisioning_permille);
    let flash = flash_blocks(blocks, over_provisioning_permille);
    let mut regions = [Region::default(); REGIONS];
    let (mut start, mut written) = (0, 0);
    for (region, number) in regions.iter_mut().zip(1_u64..) {
        let share = number as f64 / REGIONS as f64;
        let until = part(blocks, number);
        let end = -amplification * libm::log1p(-share / amplification) * blocks as f64;
        // Rounding must not leave a new block without its write.
        let end = if until == blocks { flash } else { (end as u64).max(start + until - written) };
        let new_share = (u128::from(until - written) << 64) / u128::from((end - start).max(1));
        *region = Region { start, end, written, new_share };
        (start, written) = (end, until);
    }
    regions
}

// The blocks of the first regions.
fn part(blocks: u64, regions: u64) -> u64 {
    u64::try_from(u128::from(blocks) * u128::from(regions) / REGIONS as u128).unwrap_or(blocks)
}

/// The size of all flash in blocks: the number of the first write that is only random.
#[must_use]
pub fn flash_blocks(blocks: u64, over_provisioning_permille: u32) -> u64 {
    let spare = u128::from(blocks) * u128::from(over_provisioning_permille);
    blocks + u64::try_from(spare.div_ceil(1000)).unwrap_or(u64::MAX)
}

/// The write amplification `A` of random writes in steady state: `A (1 - exp(-(1 + over-provisioning) / A)) = 1`.
#[must_use]
#[allow(clippy::float_arithmetic)] // Before the first write.
pub fn write_amplification(over_provisioning_permille: u32) -> f64 {
    let flash = 1.0 + f64::from(over_provisioning_permille) / 1000.0;
    // With x = flash / A, 1 - exp(-x) - x / flash is positive below the solution, and negative above.
    let (mut low, mut high) = (0.0, flash);
    for _ in 0..HALVINGS {
        let x = low + (high - low) / 2.0;
        if -libm::expm1(-x) > x / flash {
            low = x;
        } else {
            high = x;
        }
    }
    flash / low
}
