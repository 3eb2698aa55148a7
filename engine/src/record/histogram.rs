//! A log-linear histogram over all u64 values: 128 buckets per octave, so that a bucket's midpoint is within 0.4 % of
//! the value.

/// Buckets per octave, as stated in the record.
pub const BUCKETS_PER_OCTAVE: u64 = 1 << PRECISION_BITS;
/// Number of buckets. They cover every u64, so no value is clamped.
pub const BUCKETS: usize = ((64 - PRECISION_BITS as usize) << PRECISION_BITS) + (1 << PRECISION_BITS);
const PRECISION_BITS: u32 = 7;

/// The bucket of a value: the value itself below 128, then 128 buckets per octave.
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // A bucket number is below 7,424.
pub fn bucket_of(value: u64) -> usize {
    let shift = 63 - PRECISION_BITS - (value | BUCKETS_PER_OCTAVE).leading_zeros();
    ((u64::from(shift) << PRECISION_BITS) + (value >> shift)) as usize
}

/// Counts by bucket. A histogram made by [`Histogram::absent`] must not be recorded into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64]>,
}

impl Histogram {
    /// An empty histogram with room for every value.
    #[must_use]
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS].into_boxed_slice() }
    }

    /// A histogram without buckets, for a class of operations that a job does not have.
    #[must_use]
    pub fn absent() -> Self {
        Self { counts: Box::default() }
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.counts[bucket_of(value)] += 1;
    }

    /// Adds another histogram's counts.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// Resets all counts.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The non-empty buckets with their counts, ascending.
    pub fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.counts.iter().copied().enumerate().filter(|&(_, count)| count > 0)
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}
