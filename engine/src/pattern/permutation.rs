//! A pseudo-random permutation of the numbers below a bound, without storing it.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// Enough rounds to spread neighbours over the whole range, so that statistical tests find no trace of the input order.
const ROUNDS: usize = 6;

/// A permutation of the numbers below a bound: the generalised Feistel network of J. Black and P. Rogaway (Ciphers with
/// Arbitrary Finite Domains, 2002). It represents a number as a pair of digits below two factors, whose product is the
/// bound or slightly more. An output at or above the bound is used as the next input until it is below (cycle walking).
#[derive(Clone, Debug)]
pub struct Permutation {
    bound: u64,
    // The first factor is a power of two, so that no division is needed.
    first_bits: u32,
    second: u64,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of the numbers below `bound` (from 1 to 2^62) for a seed.
    #[must_use]
    pub fn new(bound: u64, seed: u64) -> Self {
        assert!((1..=1 << 62).contains(&bound), "a permutation of {bound} numbers");
        let first_bits = bound.ilog2().div_ceil(2);
        let mut seeds = SplitMix64::seed_from_u64(seed);
        let keys = std::array::from_fn(|_| seeds.next_u64());
        Self { bound, first_bits, second: bound.div_ceil(1 << first_bits), keys }
    }

    /// The number at a position below the bound.
    #[inline]
    #[must_use]
    pub fn at(&self, place: u64) -> u64 {
        debug_assert!(place < self.bound);
        let mut value = place;
        loop {
            value = self.network(value);
            if value < self.bound {
                return value;
            }
        }
    }

    #[inline]
    fn network(&self, value: u64) -> u64 {
        let (first, second) = (1 << self.first_bits, self.second);
        let (mut left, mut right) = (value & (first - 1), value >> self.first_bits);
        for pair in self.keys.chunks_exact(2) {
            left = shifted(left, right ^ pair[0], first);
            right = shifted(right, left ^ pair[1], second);
        }
        (right << self.first_bits) | left
    }
}

// Adds a distance derived from `from` to a number, modulo the bound.
#[inline]
#[allow(clippy::cast_possible_truncation)] // The high half of a 128-bit product fits 64 bits.
fn shifted(number: u64, from: u64, bound: u64) -> u64 {
    // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014) without its last step, because only the high bits are
    // used.
    let mut mixed = (from ^ (from >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let moved = number + ((u128::from(mixed) * u128::from(bound)) >> 64) as u64;
    if moved < bound { moved } else { moved - bound }
}
