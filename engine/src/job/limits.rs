//! Limits of a session: what ends its jobs early, to spare the drive.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;

/// The limits as the front end states them. None is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSpec {
    /// The most bytes that all jobs of the session may write together, on all targets.
    #[serde(default)]
    pub written_bytes_max: Option<u64>,
    /// A job ends when a drive is hotter than this.
    #[serde(default)]
    pub temperature_celsius_max: Option<i16>,
    /// No job starts when a drive has a smaller share of spare blocks than this.
    #[serde(default)]
    pub spare_percent_min: Option<u8>,
}

/// The limits of a session. Clones share what may still be written.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// What may still be written.
    pub budget: Option<WriteBudget>,
    /// A job ends when a drive is hotter than this.
    pub temperature_celsius_max: Option<i16>,
    /// No job starts when a drive has a smaller share of spare blocks than this.
    pub spare_percent_min: Option<u8>,
}

impl Limits {
    /// Adds limits. They only become stricter: a second command of the front end cannot lift the first.
    pub fn tighten(&mut self, spec: LimitSpec) {
        match (&self.budget, spec.written_bytes_max) {
            (Some(budget), Some(most)) => budget.lower(most),
            (None, Some(most)) => self.budget = Some(WriteBudget::new(most)),
            (_, None) => (),
        }
        self.temperature_celsius_max = stricter(self.temperature_celsius_max, spec.temperature_celsius_max, Ord::min);
        self.spare_percent_min = stricter(self.spare_percent_min, spec.spare_percent_min, Ord::max);
    }
}

fn stricter<T>(one: Option<T>, other: Option<T>, choose: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(choose(one, other)),
        (one, other) => one.or(other),
    }
}

/// The bytes that may still be written, shared by all workers of all jobs.
#[derive(Clone, Debug)]
pub struct WriteBudget {
    left: Arc<AtomicU64>,
    most: u64,
}

impl WriteBudget {
    /// A budget of this many bytes.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self { left: Arc::new(AtomicU64::new(most)), most }
    }

    /// Takes the bytes of one write; false if they are not left. Nothing is taken then.
    #[inline]
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// The size of the whole budget.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    fn lower(&self, most: u64) {
        self.left.fetch_min(most, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: u64) -> LimitSpec {
        LimitSpec { written_bytes_max: Some(bytes), ..LimitSpec::default() }
    }

    #[test]
    fn a_budget_is_taken_to_the_last_byte_and_no_further() {
        let budget = WriteBudget::new(10);
        assert_eq!([4, 7, 6, 1].map(|bytes| budget.take(bytes)), [true, false, true, false]);
    }

    #[test]
    fn limits_only_become_stricter() {
        let mut limits = Limits::default();
        limits.tighten(LimitSpec { temperature_celsius_max: Some(60), spare_percent_min: Some(20), ..written(10) });
        limits.tighten(LimitSpec { temperature_celsius_max: Some(80), spare_percent_min: Some(10), ..written(100) });
        limits.tighten(LimitSpec::default());
        assert_eq!((limits.temperature_celsius_max, limits.spare_percent_min), (Some(60), Some(20)));
        let budget = limits.budget.expect("a budget");
        assert!(!budget.take(11));
        assert!(budget.take(10));
    }
}
