//! A limit with a burst bucket: a base rate that fills a bucket, and a burst rate while the bucket is not empty.

use super::super::StateHash;

const SECOND_NS: u128 = 1_000_000_000;

/// The rates and the bucket of a limit, in units a second and in units. A unit is an I/O or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitModel {
    /// The rate at which the bucket fills, and the rate of an empty bucket.
    pub base_per_s: u64,
    /// The rate while the bucket is not empty.
    pub burst_per_s: u64,
    /// The size of the bucket; 0 for a limit that never bursts.
    pub bucket: u64,
    /// The initial level of the bucket, in thousandths.
    pub start_permille: u32,
}

/// A limit and the level of its bucket. All arithmetic is exact: a level is in units of 10^-9, the share of one
/// nanosecond in a rate per second.
#[derive(Clone, Debug)]
pub struct Limit {
    base_per_s: u128,
    burst_per_s: u128,
    level_max: u128,
    level: u128,
    // The time of the level.
    level_ns: u64,
    // The earliest next admission at the burst rate, with the rest of a nanosecond in units of 1 / burst_per_s.
    paced_ns: u64,
    paced_rest: u128,
}

impl Limit {
    /// A limit whose bucket has its initial level.
    #[must_use]
    pub fn new(model: &LimitModel) -> Self {
        let level_max = u128::from(model.bucket) * SECOND_NS;
        Self {
            base_per_s: u128::from(model.base_per_s),
            burst_per_s: u128::from(model.burst_per_s),
            level_max,
            level: level_max * u128::from(model.start_permille) / 1000,
            level_ns: 0,
            paced_ns: 0,
            paced_rest: 0,
        }
    }

    /// The level of the bucket at a time that is not before the last admission.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // At most the size of the bucket.
    pub fn level(&self, now_ns: u64) -> u64 {
        (self.level_at(now_ns) / SECOND_NS) as u64
    }

    fn level_at(&self, now_ns: u64) -> u128 {
        let filled = u128::from(now_ns.saturating_sub(self.level_ns)) * self.base_per_s;
        self.level_max.min(self.level + filled)
    }

    /// The earliest time from `from_ns` at which the limit admits `amount` units.
    ///
    /// A limit without a bucket is only paced. With one, an amount larger than the bucket is admitted when the bucket
    /// is full, and the next one waits longer.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // The bounds of the model keep a wait below 2^60 ns.
    pub fn ready_ns(&self, from_ns: u64, amount: u64) -> u64 {
        let at_ns = from_ns.max(self.paced_ns);
        let wanted = (u128::from(amount) * SECOND_NS).min(self.level_max);
        let missing = wanted.saturating_sub(self.level_at(at_ns));
        at_ns + missing.div_ceil(self.base_per_s) as u64
    }

    /// Takes `amount` units at the time at which they are admitted.
    #[allow(clippy::cast_possible_truncation)] // See ready_ns.
    pub fn take(&mut self, at_ns: u64, amount: u64) {
        let cost = u128::from(amount) * SECOND_NS;
        let level = self.level_at(at_ns);
        // What an empty bucket cannot give, the base rate gives first: the level is only valid from then on.
        let missing = cost.saturating_sub(level);
        self.level = level.saturating_sub(cost);
        self.level_ns = at_ns;
        let is_without_bucket = self.level_max == 0;
        let rest = if at_ns > self.paced_ns { 0 } else { self.paced_rest };
        let paced = cost + rest;
        self.paced_ns = at_ns + (paced / self.burst_per_s) as u64;
        self.paced_rest = paced % self.burst_per_s;
        if missing > 0 && !is_without_bucket {
            self.level_ns += missing.div_ceil(self.base_per_s) as u64;
            self.paced_ns = self.paced_ns.max(self.level_ns);
        }
    }

    /// Adds the whole state to a hash.
    #[allow(clippy::cast_possible_truncation)] // The two halves of a level.
    pub fn add_to(&self, hash: &mut StateHash) {
        hash.add_all([(self.level >> 64) as u64, self.level as u64, self.level_ns, self.paced_ns]);
        hash.add(self.paced_rest as u64);
    }
}
