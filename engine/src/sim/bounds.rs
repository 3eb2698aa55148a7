//! How a drive that can't be made is refused: the key, its value, and what it may be.

use crate::failure::{Failure, FailureKind};

/// A refusal in these words.
pub fn refused(message: String) -> Failure {
    Failure::new(FailureKind::BadModel, message)
}

/// Refuses a value outside of its range, both ends of which it may take.
pub fn within(key: &str, value: impl Into<i128>, least: impl Into<i128>, most: impl Into<i128>) -> Result<(), Failure> {
    let (value, least, most) = (value.into(), least.into(), most.into());
    let is_within = (least..=most).contains(&value);
    if is_within { Ok(()) } else { Err(refused(format!("{key} is {value}; it goes from {least} to {most}"))) }
}

/// Refuses a value that is no multiple of a step.
pub fn multiple_of(key: &str, value: u64, step: u64) -> Result<(), Failure> {
    let is_multiple = value.is_multiple_of(step);
    if is_multiple { Ok(()) } else { Err(refused(format!("{key} is {value}; it is a multiple of {step}"))) }
}
