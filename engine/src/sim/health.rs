//! What a drive says of itself, like a SMART log.

use serde::Serialize;

/// Counters since the drive was made. A model without a mechanism leaves its counter 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Bytes that the host has read.
    pub host_read_bytes: u64,
    /// Bytes that the host has written.
    pub host_written_bytes: u64,
    /// Bytes that were written to the media: the host's, and those that were moved.
    pub media_written_bytes: u64,
    /// Blocks erased.
    pub erases: u64,
    /// The share of its rated erases that the media has used up, in percent.
    pub wear_percent: u8,
    /// Temperature, degrees Celsius.
    pub temperature_celsius: i16,
    /// Time during which it held itself back because of temperature or power.
    pub throttled_ns: u64,
}
