//! Health of the drives below targets: temperature, wear, errors, throttling, and bytes written. In: a device number. Out:
//! what the drives report. It only reads, and a drive that reports nothing gets the reason instead.

mod disks;
mod hwmon;
mod identify;
mod link;
mod media_writes;
mod smart_log;

use serde::Serialize;

pub use disks::{Disks, number_of_path};

use crate::sim::Health;

/// What reported the health of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthSource {
    /// Nothing: all values are unknown.
    #[default]
    None,
    /// The SMART / Health log of an NVMe controller.
    SmartLog,
    /// The kernel's temperature sensor of the drive.
    Hwmon,
    /// The model of a simulated drive.
    Simulation,
}

/// Health of a drive at one time. Counters count since manufacture. None means that the drive does not report it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DriveHealth {
    /// What reported it.
    pub source: HealthSource,
    /// Why values are unknown; empty if the drive was asked for all of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub missing: String,
    /// The present speed and width of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Bytes read by the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_read_bytes: Option<u64>,
    /// Bytes written by the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_written_bytes: Option<u64>,
    /// Bytes written to the media: by the host, and by relocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_written_bytes: Option<u64>,
    /// Erased blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erases: Option<u64>,
    /// Used share of the rated life, in percent. It may exceed 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wear_percent: Option<u8>,
    /// Remaining share of the spare blocks, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spare_percent: Option<u8>,
    /// The drive warns when the spare share falls below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spare_percent_min: Option<u8>,
    /// Temperature in degrees Celsius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<i16>,
    /// The drive warns from this temperature on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning_celsius: Option<i16>,
    /// The drive must not be used from this temperature on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_celsius: Option<i16>,
    /// Time above the warning temperature; the drive counts whole minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot_ns: Option<u64>,
    /// Time of throttling because of temperature or power; an NVMe drive counts whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_ns: Option<u64>,
    /// How often the drive began to throttle because of its temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle_count: Option<u64>,
    /// Errors of the media that the drive could not correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// Entries in the log of errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_log_entries: Option<u64>,
    /// Losses of power without notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsafe_shutdowns: Option<u64>,
    /// Power cycles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_cycles: Option<u64>,
    /// Time with power; the drive counts whole hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub powered_ns: Option<u64>,
    /// The drive's own warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A critical warning of a drive (NVMe base specification, SMART / Health log, byte 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// The spare share is below its threshold.
    Spare,
    /// The temperature is outside its thresholds.
    Temperature,
    /// The drive is no longer reliable, because of errors.
    Reliability,
    /// The media can only be read.
    ReadOnly,
    /// The backup of the volatile memory failed.
    Backup,
    /// The persistent memory region is read-only or unreliable.
    PersistentMemory,
}

/// A drive with its health.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drive {
    /// The kernel's name of the disk, such as `nvme0n1`.
    pub disk: String,
    /// Its health.
    pub health: DriveHealth,
}

impl DriveHealth {
    /// Unknown health, with the reason.
    #[must_use]
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self { missing: reason.into(), ..Self::default() }
    }
}

impl From<Health> for DriveHealth {
    fn from(model: Health) -> Self {
        Self {
            source: HealthSource::Simulation,
            host_read_bytes: Some(model.host_read_bytes),
            host_written_bytes: Some(model.host_written_bytes),
            media_written_bytes: Some(model.media_written_bytes),
            erases: Some(model.erases),
            wear_percent: Some(model.wear_percent),
            temperature_celsius: Some(model.temperature_celsius),
            throttled_ns: Some(model.throttled_ns),
            ..Self::default()
        }
    }
}
