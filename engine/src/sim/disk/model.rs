//! Parameters of a hard disk.

use serde::Deserialize;

use crate::failure::Failure;
use crate::sim::bounds::{multiple_of, within};

/// A hard disk.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskModel {
    /// Capacity in bytes: a multiple of 4096.
    pub size_bytes: u64,
    /// Revolutions per minute.
    pub rotation_rpm: u32,
    /// Surfaces with data. A switch between the tracks of a cylinder needs no seek.
    pub heads: u32,
    /// Zones with a constant track size; all have the same number of tracks.
    pub zones: u32,
    /// Track size in the outermost zone, where addresses start, in bytes.
    pub track_outer_bytes: u64,
    /// Track size in the innermost zone, in bytes. Sizes in between are interpolated linearly.
    pub track_inner_bytes: u64,
    /// Seek time to the next cylinder, until the head can read.
    pub seek_track_ns: u64,
    /// The seek distance in thousandths of the full stroke up to which the seek time grows with the square root of the
    /// distance; above it, it grows linearly.
    pub seek_knee_permille: u32,
    /// Seek time at that distance.
    pub seek_knee_ns: u64,
    /// Seek time from the outermost to the innermost cylinder.
    pub seek_full_ns: u64,
    /// Time of a head switch within a cylinder.
    pub head_switch_ns: u64,
    /// Additional settle time before a write.
    pub write_settle_ns: u64,
    /// Processing time of a command after its arrival.
    pub command_ns: u64,
    /// Throughput of the interface in bytes per second.
    pub interface_bytes_per_s: u64,
    /// Commands that the disk queues and reorders. Further commands wait in the host in order of arrival.
    pub queue_depth: u32,
    /// A command that has waited longer than this is served first.
    pub queue_age_ns_max: u64,
    /// Size of the write cache; 0 disables write-back caching.
    pub write_cache_bytes: u64,
    /// Extents that the write cache can manage. Adjoining writes are merged.
    pub write_cache_stretches: u32,
    /// Idle time of the arm before the cache is destaged in the background, if at most half of the cache is in use.
    pub destage_idle_ns: u64,
    /// The longest read-ahead after a read while the disk is idle; 0 disables it.
    pub read_ahead_bytes: u64,
    /// The minimum read-ahead after a read that continues another, even if commands wait.
    pub read_ahead_bytes_min: u64,
    /// Segments of the read cache, each as large as the longest read-ahead.
    pub read_ahead_segments: u32,
}

/// The largest disk: 1 PiB.
pub const SIZE_BYTES_MAX: u64 = 1 << 50;
/// Lowest and highest rotation speed.
pub const ROTATION_RPM: (u64, u64) = (1_000, 100_000);
/// The maximum number of heads.
pub const HEADS_MAX: u64 = 64;
/// The maximum number of zones.
pub const ZONES_MAX: u64 = 256;
/// Smallest and largest track.
pub const TRACK_BYTES: (u64, u64) = (4096, 64 << 20);
/// The maximum number of tracks, so that media time fits into 64 bits.
pub const TRACKS_MAX: u64 = 1 << 30;
/// The longest seek or settle time: one second.
pub const MOVE_NS_MAX: u64 = 1_000_000_000;
/// Slowest and fastest interface.
pub const INTERFACE_BYTES_PER_S: (u64, u64) = (1_000_000, 1_000_000_000_000);
/// The largest queue: the scheduler examines every command.
pub const COMMANDS_MAX: u64 = 256;
/// The longest wait before a command is served first: one minute.
pub const AGE_NS_MAX: u64 = 60_000_000_000;
/// The maximum number of extents of the write cache.
pub const STRETCHES_MAX: u64 = 1 << 20;
/// The maximum number of segments: each read examines all of them.
pub const SEGMENTS_MAX: u64 = 256;
/// The largest cache.
pub const CACHE_BYTES_MAX: u64 = 16 << 30;

impl DiskModel {
    /// Rejects a model that cannot be simulated.
    pub fn check(&self) -> Result<(), Failure> {
        within("size_bytes", self.size_bytes, 4096, SIZE_BYTES_MAX)?;
        multiple_of("size_bytes", self.size_bytes, 4096)?;
        within("rotation_rpm", self.rotation_rpm, ROTATION_RPM.0, ROTATION_RPM.1)?;
        within("heads", self.heads, 1, HEADS_MAX)?;
        within("zones", self.zones, 1, ZONES_MAX)?;
        within("track_outer_bytes", self.track_outer_bytes, TRACK_BYTES.0, TRACK_BYTES.1)?;
        multiple_of("track_outer_bytes", self.track_outer_bytes, 512)?;
        within("track_inner_bytes", self.track_inner_bytes, TRACK_BYTES.0, self.track_outer_bytes)?;
        multiple_of("track_inner_bytes", self.track_inner_bytes, 512)?;
        within("size_bytes", self.size_bytes, 4096, TRACKS_MAX * self.track_inner_bytes)?;
        within("seek_track_ns", self.seek_track_ns, 1, MOVE_NS_MAX)?;
        within("seek_knee_permille", self.seek_knee_permille, 1, 1000)?;
        within("seek_knee_ns", self.seek_knee_ns, self.seek_track_ns, MOVE_NS_MAX)?;
        within("seek_full_ns", self.seek_full_ns, self.seek_knee_ns, MOVE_NS_MAX)?;
        within("head_switch_ns", self.head_switch_ns, 0, MOVE_NS_MAX)?;
        within("write_settle_ns", self.write_settle_ns, 0, MOVE_NS_MAX)?;
        within("command_ns", self.command_ns, 0, MOVE_NS_MAX)?;
        let (slowest, fastest) = INTERFACE_BYTES_PER_S;
        within("interface_bytes_per_s", self.interface_bytes_per_s, slowest, fastest)?;
        within("queue_depth", self.queue_depth, 1, COMMANDS_MAX)?;
        within("queue_age_ns_max", self.queue_age_ns_max, 1, AGE_NS_MAX)?;
        within("write_cache_bytes", self.write_cache_bytes, 0, CACHE_BYTES_MAX)?;
        within("write_cache_stretches", self.write_cache_stretches, 1, STRETCHES_MAX)?;
        within("destage_idle_ns", self.destage_idle_ns, 0, AGE_NS_MAX)?;
        within("read_ahead_bytes", self.read_ahead_bytes, 0, CACHE_BYTES_MAX)?;
        within("read_ahead_bytes_min", self.read_ahead_bytes_min, 0, self.read_ahead_bytes)?;
        within("read_ahead_segments", self.read_ahead_segments, 1, SEGMENTS_MAX)
    }

    /// The largest memory demand of the drive's caches, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        64 * (u64::from(self.write_cache_stretches) + u64::from(self.read_ahead_segments))
    }

    /// Transfer time over the interface.
    #[inline]
    pub(super) fn transfer_ns(&self, length_bytes: u32) -> u64 {
        // A block is at most 2^26 bytes; times 10^9 ns that is below 2^56.
        u64::from(length_bytes) * 1_000_000_000 / self.interface_bytes_per_s
    }
}
