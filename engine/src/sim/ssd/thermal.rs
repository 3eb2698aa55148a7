//! Temperature: heat by activity, cooling by a time constant.

use super::model::ThermalModel;
use crate::sim::StateHash;

/// Nothing is longer.
pub const UNSTRETCHED: u64 = 1000;
/// Temperature is looked at so often in a time constant.
const LOOKS: u64 = 256;
/// How far below the limit the drive stops holding itself back.
const HYSTERESIS_CELSIUS: f64 = 3.0;
/// What a drive without a thermal model says it has, degrees Celsius.
const UNMODELLED_CELSIUS: f64 = 40.0;

/// The state of temperature.
#[derive(Clone, Debug)]
pub struct Thermal {
    model: Option<ThermalModel>,
    time_constant_ns: u64,
    celsius: f64,
    looked_ns: u64,
    // Time that dies were busy since then.
    busy_ns: u64,
    is_throttled: bool,
    throttled_ns: u64,
}

impl Thermal {
    /// A drive that has been idle for long.
    pub fn new(model: Option<&ThermalModel>, capacity_scale: u32) -> Self {
        Self {
            celsius: model.map_or(UNMODELLED_CELSIUS, |model| f64::from(model.ambient_celsius)),
            time_constant_ns: model.map_or(1, |model| model.time_constant_ns / u64::from(capacity_scale)),
            model: model.cloned(),
            looked_ns: 0,
            busy_ns: 0,
            is_throttled: false,
            throttled_ns: 0,
        }
    }

    /// Counts what so many dies did until now, and says how long things take from now on, in thousandths.
    #[inline]
    pub fn look(&mut self, now_ns: u64, busy_ns: &mut u64, dies: u32) -> u64 {
        let Some(model) = &self.model else { return UNSTRETCHED };
        let elapsed_ns = now_ns - self.looked_ns;
        if elapsed_ns < self.time_constant_ns / LOOKS {
            return if self.is_throttled { u64::from(model.stretch_permille) } else { UNSTRETCHED };
        }
        self.busy_ns = self.busy_ns.saturating_add(std::mem::take(busy_ns));
        self.move_on(now_ns, elapsed_ns, u64::from(dies))
    }

    /// Degrees Celsius, rounded.
    #[allow(clippy::cast_possible_truncation)] // Between ambient and the rise.
    pub fn celsius(&self) -> i16 {
        libm::round(self.celsius) as i16
    }

    /// How long it has held itself back.
    pub fn throttled_ns(&self) -> u64 {
        self.throttled_ns
    }

    /// Adds it to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        hash.add(self.celsius.to_bits());
        for word in [self.looked_ns, self.busy_ns, u64::from(self.is_throttled)] {
            hash.add(word);
        }
    }

    #[allow(clippy::cast_precision_loss)] // Times below 2^53 ns.
    fn move_on(&mut self, now_ns: u64, elapsed_ns: u64, dies: u64) -> u64 {
        let Some(model) = &self.model else { return UNSTRETCHED };
        // What is planned for later than now heats later.
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
        self.looked_ns = now_ns;
        if self.is_throttled { u64::from(model.stretch_permille) } else { UNSTRETCHED }
    }
}
