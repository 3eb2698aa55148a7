//! Visits every number below a bound once, at equal distances.

/// Strided passes through the numbers below a bound. The first pass visits the multiples of the distance, the second
/// the multiples plus one, and so on until all numbers were visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stride {
    distance: u64,
    // Numbers per pass; the first `longer` passes have one more.
    each: u64,
    longer: u64,
}

impl Stride {
    /// Passes through the numbers below `bound`, at a distance from 1 to `bound`.
    #[must_use]
    pub fn new(bound: u64, distance: u64) -> Self {
        assert!((1..=bound).contains(&distance), "a stride of {distance} in {bound}");
        Self { distance, each: bound / distance, longer: bound % distance }
    }

    /// The number at a position below the bound.
    #[inline]
    #[must_use]
    pub fn at(&self, place: u64) -> u64 {
        let in_longer = self.longer * (self.each + 1);
        let (pass, row) = if place < in_longer {
            (place / (self.each + 1), place % (self.each + 1))
        } else {
            (self.longer + (place - in_longer) / self.each, (place - in_longer) % self.each)
        };
        pass + row * self.distance
    }
}
