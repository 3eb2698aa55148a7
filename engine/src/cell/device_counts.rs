//! The kernel's own statistics of the devices below the targets: an independent check on operations, bytes and times.
//! Documentation/block/stat.rst defines the fields.

use std::collections::BTreeMap;
use std::fs::{canonicalize, read_to_string};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::clock::{Clock, Monotonic};
use crate::target::Target;

/// The kernel counts in sectors of 512 bytes, regardless of the device's sector size.
const SECTOR_BYTES: u64 = 512;
const MS_NS: u64 = 1_000_000;

/// The kernel's counters of one class of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestCounts {
    /// Completed requests.
    pub count: u64,
    /// Requests that were merged into another before completion. The number of operations is `count + merged`.
    pub merged: u64,
    /// Bytes.
    pub bytes: u64,
    /// Time from start to completion, summed over the requests; in whole milliseconds.
    pub request_ns: u64,
}

/// The kernel's counters of one device over the measurement time, including other processes' I/O.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceCounts {
    /// Its name, such as `nvme0n1p1`.
    pub device: String,
    /// Numbers of the targets on it.
    pub targets: Vec<u32>,
    /// Whether times are measured for each request. Devices without request queues count in timer ticks.
    pub by_request: bool,
    /// Length of the counted period.
    pub elapsed_ns: u64,
    /// Reads.
    pub read: RequestCounts,
    /// Writes.
    pub write: RequestCounts,
    /// Discards.
    pub trim: RequestCounts,
    /// Flushes; 0 before Linux 5.5.
    pub flush: RequestCounts,
}

/// The devices below the targets of a job.
pub struct DeviceCounters(BTreeMap<PathBuf, Vec<u32>>);

/// The counters of these devices at one point in time.
pub struct CounterReading {
    at_ns: u64,
    by_device: BTreeMap<PathBuf, Vec<u64>>,
}

impl DeviceCounters {
    /// The known devices: block-device targets, and the devices under file systems. A file system on several devices,
    /// or on none, is not resolved to a device.
    #[must_use]
    pub fn of(targets: &[Target]) -> Self {
        let mut devices = BTreeMap::<PathBuf, Vec<u32>>::new();
        for (number, target) in (0..).zip(targets) {
            let identity = target.identity.map(|identity| (identity.device_major, identity.device_minor));
            let device =
                identity.and_then(|(major, minor)| canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok());
            if let Some(device) = device.filter(|device| counts(device)) {
                devices.entry(device).or_default().push(number);
            }
        }
        Self(devices)
    }

    /// Reads the counters.
    #[must_use]
    pub fn read(&self, clock: Monotonic) -> CounterReading {
        let by_device = self.0.keys().filter_map(|device| Some((device.clone(), fields(device)?))).collect();
        CounterReading { at_ns: clock.now(), by_device }
    }

    /// The difference between two readings.
    #[must_use]
    pub fn between(self, before: &CounterReading, after: &CounterReading) -> Vec<DeviceCounts> {
        let elapsed_ns = after.at_ns - before.at_ns;
        let counted = self.0.into_iter().filter_map(|(device, targets)| {
            let pairs = after.by_device.get(&device)?.iter().zip(before.by_device.get(&device)?);
            let counts: Vec<u64> = pairs.map(|(now, then)| now.wrapping_sub(*then)).collect();
            Some(DeviceCounts {
                device: device.file_name()?.to_string_lossy().into_owned(),
                targets,
                by_request: has_requests(&device),
                elapsed_ns,
                read: requests(&counts, 0),
                write: requests(&counts, 4),
                trim: requests(&counts, 11),
                flush: flushes(&counts),
            })
        });
        counted.collect()
    }
}

// Whether the kernel keeps statistics of a device; sysfs can turn them off. A partition has no queue directory of its
// own.
fn counts(device: &Path) -> bool {
    let said = ["queue/iostats", "../queue/iostats"].iter().find_map(|path| read_to_string(device.join(path)).ok());
    said.is_none_or(|text| text.trim() != "0")
}

fn has_requests(device: &Path) -> bool {
    ["mq", "../mq"].iter().any(|path| device.join(path).is_dir())
}

fn fields(device: &Path) -> Option<Vec<u64>> {
    let text = read_to_string(device.join("stat")).ok()?;
    let fields: Vec<u64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
    (fields.len() >= 8).then_some(fields)
}

fn requests(counts: &[u64], from: usize) -> RequestCounts {
    let field = |at: usize| counts.get(from + at).copied().unwrap_or(0);
    RequestCounts {
        count: field(0),
        merged: field(1),
        bytes: field(2).wrapping_mul(SECTOR_BYTES),
        request_ns: field(3).wrapping_mul(MS_NS),
    }
}

fn flushes(counts: &[u64]) -> RequestCounts {
    let field = |at: usize| counts.get(at).copied().unwrap_or(0);
    RequestCounts { count: field(15), request_ns: field(16).wrapping_mul(MS_NS), ..RequestCounts::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_of_the_kernel_is_read_as_what_it_is() {
        let counts: Vec<u64> = (1..=17).collect();
        let told = |from| {
            let requests = requests(&counts, from);
            [requests.count, requests.merged, requests.bytes / SECTOR_BYTES, requests.request_ns / MS_NS]
        };
        assert_eq!([told(0), told(4), told(11)], [[1, 2, 3, 4], [5, 6, 7, 8], [12, 13, 14, 15]]);
        assert_eq!((flushes(&counts).count, flushes(&counts).request_ns), (16, 17 * MS_NS));
    }

    #[test]
    fn kernels_that_count_no_trims_and_flushes_have_had_none() {
        let counts: Vec<u64> = (1..=11).collect();
        assert_eq!((requests(&counts, 11), flushes(&counts)), Default::default());
    }
}
