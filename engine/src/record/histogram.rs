//! A log-linear histogram over every u64: 128 buckets an octave, so that a midpoint is within 0.4 % of the value.

/// Buckets in each octave: the layout that the record names.
pub const BUCKETS_PER_OCTAVE: u64 = 1 << PRECISION_BITS;
/// Buckets in all: no value is too large, so nothing is ever clamped.
pub const BUCKETS: usize = ((64 - PRECISION_BITS as usize) << PRECISION_BITS) + (1 << PRECISION_BITS);
const PRECISION_BITS: u32 = 7;

/// The bucket of a value: below 128 the value itself, above that 128 buckets an octave.
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // A bucket number is below 7,424.
pub fn bucket_of(value: u64) -> usize {
    let shift = 63 - PRECISION_BITS - (value | BUCKETS_PER_OCTAVE).leading_zeros();
    ((u64::from(shift) << PRECISION_BITS) + (value >> shift)) as usize
}

/// Counts by bucket. One that was made without room counts nothing and may not be asked to.
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

    /// A histogram that costs no memory, for a class of operations that a job never does.
    #[must_use]
    pub fn absent() -> Self {
        Self { counts: Box::default() }
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.counts[bucket_of(value)] += 1;
    }

    /// Adds another histogram's counts to this one's.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// Forgets all counts.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Buckets that hold something, ascending, with their counts.
    pub fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.counts.iter().copied().enumerate().filter(|&(_, count)| count > 0)
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}
