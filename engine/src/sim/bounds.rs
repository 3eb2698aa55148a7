//! Rejects models that cannot be simulated, with the key, its value and the valid range.

use crate::failure::{Failure, FailureKind};

/// A rejection with this message.
pub fn refused(message: String) -> Failure {
    Failure::new(FailureKind::BadModel, message)
}

/// Rejects a value outside its range (both ends are valid).
pub fn within(key: &str, value: impl Into<i128>, least: impl Into<i128>, most: impl Into<i128>) -> Result<(), Failure> {
    let (value, least, most) = (value.into(), least.into(), most.into());
    let is_within = (least..=most).contains(&value);
    if is_within { Ok(()) } else { Err(refused(format!("{key} is {value}; the range is {least} to {most}"))) }
}

/// Rejects a value that is not a multiple of a step.
pub fn multiple_of(key: &str, value: u64, step: u64) -> Result<(), Failure> {
    let is_multiple = value.is_multiple_of(step);
    if is_multiple { Ok(()) } else { Err(refused(format!("{key} is {value}; it must be a multiple of {step}"))) }
}
