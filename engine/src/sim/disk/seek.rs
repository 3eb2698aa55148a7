//! The seek time to another cylinder: it grows with the square root of the distance during acceleration and braking,
//! and linearly once the arm moves at full speed (Ruemmler and Wilkes, An introduction to disk drive modeling, 1994).

use super::DiskModel;

/// The seek curve over the distance in cylinders.
#[derive(Clone, Debug)]
pub struct SeekCurve {
    knee: u64,
    root_base_ns: f64,
    root_slope_ns: f64,
    line_base_ns: f64,
    line_slope_ns: f64,
}

impl SeekCurve {
    /// The curve of a model with that many cylinders.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // Cylinders and times are below 2^53.
    pub fn new(model: &DiskModel, cylinders: u64) -> Self {
        let full = cylinders.saturating_sub(1).max(1);
        let knee = (full * u64::from(model.seek_knee_permille) / 1000).max(1);
        let [track_ns, knee_ns, full_ns] =
            [model.seek_track_ns, model.seek_knee_ns, model.seek_full_ns].map(|ns| ns as f64);
        let root = libm::sqrt(knee as f64) - 1.0;
        let root_slope_ns = if root > 0.0 { (knee_ns - track_ns) / root } else { 0.0 };
        let beyond = full - knee;
        let line_slope_ns = if beyond > 0 { (full_ns - knee_ns) / beyond as f64 } else { 0.0 };
        Self { knee, root_base_ns: track_ns - root_slope_ns, root_slope_ns, line_base_ns: knee_ns, line_slope_ns }
    }

    /// The time of a seek over that many cylinders, at least one.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Up to a second.
    pub fn seek_ns(&self, cylinders: u64) -> u64 {
        let ns = if cylinders <= self.knee {
            self.root_base_ns + self.root_slope_ns * libm::sqrt(cylinders as f64)
        } else {
            self.line_base_ns + self.line_slope_ns * (cylinders - self.knee) as f64
        };
        (ns + 0.5) as u64
    }
}
