//! Temperature: heating by activity, cooling with a time constant.

use super::model::ThermalModel;
use crate::sim::StateHash;

/// The factor without throttling, in thousandths.
pub const FULL_SPEED: u64 = 1000;
/// Updates of the temperature per time constant.
const UPDATES: u64 = 256;
/// Throttling ends this far below its limit.
const HYSTERESIS_CELSIUS: f64 = 3.0;
/// The reported temperature of a drive without a thermal model, in degrees Celsius.
const UNMODELLED_CELSIUS: f64 = 40.0;

/// The thermal state.
#[derive(Clone, Debug)]
pub struct Thermal {
    model: Option<ThermalModel>,
    time_constant_ns: u64,
    celsius: f64,
    updated_ns: u64,
    // Busy time of dies that has not heated the drive yet.
    busy_ns: u64,
    is_throttled: bool,
    throttled_ns: u64,
}

impl Thermal {
    /// The state after a long idle time.
    pub fn new(model: Option<&ThermalModel>, capacity_scale: u32) -> Self {
        Self {
            celsius: model.map_or(UNMODELLED_CELSIUS, |model| f64::from(model.ambient_celsius)),
            time_constant_ns: model.map_or(1, |model| model.time_constant_ns / u64::from(capacity_scale)),
            model: model.cloned(),
            updated_ns: 0,
            busy_ns: 0,
            is_throttled: false,
            throttled_ns: 0,
        }
    }

    /// Accounts the busy time of `dies` dies until now. Returns the factor on durations from now on, in thousandths.
    #[inline]
    pub fn update(&mut self, now_ns: u64, busy_ns: &mut u64, dies: u32) -> u64 {
        let Some(model) = &self.model else { return FULL_SPEED };
        let elapsed_ns = now_ns - self.updated_ns;
        if elapsed_ns < self.time_constant_ns / UPDATES {
            return if self.is_throttled { u64::from(model.stretch_permille) } else { FULL_SPEED };
        }
        self.busy_ns = self.busy_ns.saturating_add(std::mem::take(busy_ns));
        self.integrate(now_ns, elapsed_ns, u64::from(dies))
    }

    /// The temperature in degrees Celsius, rounded.
    #[allow(clippy::cast_possible_truncation)] // Between ambient and the rise.
    pub fn celsius(&self) -> i16 {
        libm::round(self.celsius) as i16
    }

    /// Time spent throttled.
    pub fn throttled_ns(&self) -> u64 {
        self.throttled_ns
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        hash.add(self.celsius.to_bits());
        for word in [self.updated_ns, self.busy_ns, u64::from(self.is_throttled)] {
            hash.add(word);
        }
    }

    #[allow(clippy::cast_precision_loss)] // Times below 2^53 ns.
    fn integrate(&mut self, now_ns: u64, elapsed_ns: u64, dies: u64) -> u64 {
        let Some(model) = &self.model else { return FULL_SPEED };
        // Busy time beyond the elapsed time was scheduled for later, and heats later.
        let all_ns = elapsed_ns.saturating_mul(dies);
        let busy_ns = self.busy_ns.min(all_ns);
        self.busy_ns -= busy_ns;
        let activity = busy_ns as f64 / all_ns as f64;
        let towards = f64::from(model.ambient_celsius) + f64::from(model.busy_rise_celsius) * activity;
        let left = libm::exp(-(elapsed_ns as f64) / self.time_constant_ns as f64);
        self.celsius = towards + (self.celsius - towards) * left;
        if self.is_throttled {
            self.throttled_ns += elapsed_ns;
        }
        let limit = f64::from(model.limit_celsius);
        self.is_throttled = self.celsius >= if self.is_throttled { limit - HYSTERESIS_CELSIUS } else { limit };
        self.updated_ns = now_ns;
        if self.is_throttled { u64::from(model.stretch_permille) } else { FULL_SPEED }
    }
}
