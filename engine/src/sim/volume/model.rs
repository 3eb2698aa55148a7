//! The parameters of a cloud volume.

use serde::Deserialize;

use super::super::bounds::{multiple_of, refused, within};
use super::LimitModel;
use crate::failure::Failure;

/// A cloud volume.
///
/// With a `capacity_scale` of n, capacity and buckets are divided by n. Rates and latency are not, so that a burst ends
/// after a n-th of the time, and after the same share of the volume.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeModel {
    /// Nominal capacity in bytes.
    pub capacity_bytes: u64,
    /// Factor by which the simulated volume is smaller than the real one.
    pub capacity_scale: u32,
    /// Median latency of an admitted request in ns.
    pub latency_ns: u64,
    /// Standard deviation of the logarithm of the latency, in thousandths.
    pub latency_sigma_permille: u32,
    /// Requests in flight; more wait in the order of their arrival.
    pub in_flight_max: u32,
    /// The largest request that costs one I/O credit, in bytes. A larger one costs one per started part of this size.
    pub io_bytes_max: u64,
    /// I/O credits earned per second.
    pub base_iops: u64,
    /// I/O credits spent per second at most.
    pub burst_iops: u64,
    /// I/O credits in a full bucket; 0 for none.
    pub bucket_io_credits: u64,
    /// Byte credits earned per second.
    pub base_bytes_per_s: u64,
    /// Byte credits spent per second at most.
    pub burst_bytes_per_s: u64,
    /// Byte credits in a full bucket; 0 for none.
    pub bucket_bytes: u64,
    /// Initial level of both buckets, in thousandths.
    pub bucket_start_permille: u32,
}

/// The largest request of the engine.
const REQUEST_BYTES_MAX: u64 = 1 << 30;

impl VolumeModel {
    /// Rejects a model that cannot be simulated.
    pub fn check(&self) -> Result<(), Failure> {
        within("capacity_scale", self.capacity_scale, 1, 1 << 20)?;
        within("capacity_bytes", self.capacity_bytes, 16 << 20, 1_u64 << 50)?;
        if self.size_bytes() < 16 << 20 {
            let scale = self.capacity_scale;
            return Err(refused(format!("capacity_bytes / capacity_scale {scale} is less than 16777216")));
        }
        within("latency_ns", self.latency_ns, 1, 1_000_000_000)?;
        within("latency_sigma_permille", self.latency_sigma_permille, 0, 2000)?;
        within("in_flight_max", self.in_flight_max, 1, 65_536)?;
        within("io_bytes_max", self.io_bytes_max, 512, REQUEST_BYTES_MAX)?;
        multiple_of("io_bytes_max", self.io_bytes_max, 512)?;
        within("base_iops", self.base_iops, 1, 1_000_000_000)?;
        within("burst_iops", self.burst_iops, self.base_iops, 1_000_000_000)?;
        within("bucket_io_credits", self.bucket_io_credits, 0, 1_u64 << 50)?;
        within("base_bytes_per_s", self.base_bytes_per_s, 1_000_000, 1_000_000_000_000_u64)?;
        within("burst_bytes_per_s", self.burst_bytes_per_s, self.base_bytes_per_s, 1_000_000_000_000_u64)?;
        within("bucket_bytes", self.bucket_bytes, 0, 1_u64 << 60)?;
        within("bucket_start_permille", self.bucket_start_permille, 0, 1000)?;
        bursts("bucket_io_credits", self.bucket_io_credits, self.base_iops == self.burst_iops)?;
        bursts("bucket_bytes", self.bucket_bytes, self.base_bytes_per_s == self.burst_bytes_per_s)
    }

    /// The capacity of the simulated volume.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.capacity_bytes / u64::from(self.capacity_scale) / 4096 * 4096
    }

    /// The limit for I/Os.
    #[must_use]
    pub fn io_limit(&self) -> LimitModel {
        LimitModel {
            base_per_s: self.base_iops,
            burst_per_s: self.burst_iops,
            bucket: self.bucket_io_credits / u64::from(self.capacity_scale),
            start_permille: self.bucket_start_permille,
        }
    }

    /// The limit for bytes.
    #[must_use]
    pub fn byte_limit(&self) -> LimitModel {
        LimitModel {
            base_per_s: self.base_bytes_per_s,
            burst_per_s: self.burst_bytes_per_s,
            bucket: self.bucket_bytes / u64::from(self.capacity_scale),
            start_permille: self.bucket_start_permille,
        }
    }
}

// A bucket and a burst rate above the base rate need each other.
fn bursts(key: &str, bucket: u64, is_level: bool) -> Result<(), Failure> {
    match (bucket > 0, is_level) {
        (true, true) => {
            Err(refused(format!("{key} is {bucket}; without a burst rate above the base rate it must be 0")))
        }
        (false, false) => Err(refused(format!("{key} is 0; a burst rate above the base rate needs a bucket"))),
        _ => Ok(()),
    }
}
