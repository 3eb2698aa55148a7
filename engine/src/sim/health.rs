//! Health counters of a drive, like a SMART log.

use serde::Serialize;

/// Counters since manufacture. A mechanism that a model lacks leaves its counter at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Bytes read by the host.
    pub host_read_bytes: u64,
    /// Bytes written by the host.
    pub host_written_bytes: u64,
    /// Bytes written to the media: by the host, and by relocation.
    pub media_written_bytes: u64,
    /// Erased blocks.
    pub erases: u64,
    /// Used share of the rated erase cycles, in percent.
    pub wear_percent: u8,
    /// Temperature in degrees Celsius.
    pub temperature_celsius: i16,
    /// Time of throttling, because of temperature or power.
    pub throttled_ns: u64,
}
