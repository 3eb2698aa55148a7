//! Temperature: heating by activity, cooling with a time constant.
//!
//! The length of an operation is fixed when it is scheduled, so the temperature is that of the time when the dies get to
//! what is scheduled next. With the temperature of now, throttling would begin and end a whole queue too late.

use std::collections::VecDeque;

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
    // Start and end of each throttled interval that was not over at the last update.
    ahead: VecDeque<(u64, u64)>,
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
            ahead: VecDeque::new(),
        }
    }

    /// Accounts the busy time of `dies` dies that was scheduled since the last update. `free_ns` is the mean time at
    /// which the dies have done what is scheduled. Returns the factor on durations from now on, in thousandths.
    #[inline]
    pub fn update(&mut self, now_ns: u64, busy_ns: &mut u64, dies: u32, free_ns: impl FnOnce() -> u64) -> u64 {
        let Some(model) = &self.model else { return FULL_SPEED };
        let stretch = u64::from(model.stretch_permille);
        let step_ns = self.time_constant_ns / UPDATES;
        if now_ns >= self.updated_ns + step_ns || *busy_ns >= step_ns * u64::from(dies) {
            self.settle(now_ns);
            self.busy_ns = self.busy_ns.saturating_add(std::mem::take(busy_ns));
            self.integrate(free_ns().max(now_ns), u64::from(dies));
        }
        if self.is_throttled { stretch } else { FULL_SPEED }
    }

    /// The temperature in degrees Celsius, rounded.
    #[allow(clippy::cast_possible_truncation)] // Between ambient and the rise.
    pub fn celsius(&self) -> i16 {
        libm::round(self.celsius) as i16
    }

    /// Time spent throttled until now.
    pub fn throttled_ns(&self, now_ns: u64) -> u64 {
        let part_ns = |(from_ns, until_ns): &(u64, u64)| now_ns.min(*until_ns).saturating_sub(*from_ns);
        self.throttled_ns + self.ahead.iter().map(part_ns).sum::<u64>()
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        hash.add(self.celsius.to_bits());
        for word in [self.updated_ns, self.busy_ns, u64::from(self.is_throttled)] {
            hash.add(word);
        }
    }

    // Adds the throttled times that have passed.
    fn settle(&mut self, now_ns: u64) {
        while let Some((from_ns, until_ns)) = self.ahead.front().copied().filter(|(_, until_ns)| *until_ns <= now_ns) {
            self.throttled_ns += until_ns - from_ns;
            self.ahead.pop_front();
        }
    }

    #[allow(clippy::cast_precision_loss)] // Times below 2^53 ns.
    fn integrate(&mut self, to_ns: u64, dies: u64) {
        let Some(model) = &self.model else { return };
        let (from_ns, elapsed_ns) = (self.updated_ns, to_ns.saturating_sub(self.updated_ns));
        if elapsed_ns == 0 {
            return;
        }
        // Busy time beyond the elapsed time was scheduled for later, and heats later.
        let all_ns = elapsed_ns.saturating_mul(dies);
        let busy_ns = self.busy_ns.min(all_ns);
        self.busy_ns -= busy_ns;
        let activity = busy_ns as f64 / all_ns as f64;
        let towards = f64::from(model.ambient_celsius) + f64::from(model.busy_rise_celsius) * activity;
        let limit = f64::from(model.limit_celsius);
        let end = limit - HYSTERESIS_CELSIUS;
        if self.is_throttled {
            let cool_ns = if towards < end { self.time_from(self.celsius, towards, end) } else { u64::MAX };
            self.ahead.push_back((from_ns, from_ns + elapsed_ns.min(cool_ns)));
        }
        let left = libm::exp(-(elapsed_ns as f64) / self.time_constant_ns as f64);
        self.celsius = towards + (self.celsius - towards) * left;
        self.is_throttled = self.celsius >= if self.is_throttled { end } else { limit };
        self.updated_ns = to_ns;
    }

    // The time in which the temperature changes from one value to another, on its way towards a third.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below a day.
    fn time_from(&self, from: f64, towards: f64, to: f64) -> u64 {
        (self.time_constant_ns as f64 * libm::log((from - towards) / (to - towards))) as u64
    }
}
