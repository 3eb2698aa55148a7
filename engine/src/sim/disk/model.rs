//! What a hard disk is made of.

use serde::Deserialize;

use crate::failure::Failure;
use crate::sim::bounds::{multiple_of, within};

/// A hard disk.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskModel {
    /// Its size, bytes: a multiple of 4096.
    pub size_bytes: u64,
    /// Revolutions a minute.
    pub rotation_rpm: u32,
    /// Surfaces with data: tracks that the arm reaches without moving.
    pub heads: u32,
    /// Zones, each with tracks of one length and with as many tracks as any other.
    pub zones: u32,
    /// Bytes of a track in the outermost zone, where addresses begin.
    pub track_outer_bytes: u64,
    /// Bytes of a track in the innermost zone. Those between fall in a line.
    pub track_inner_bytes: u64,
    /// A seek to the next cylinder, until the head can read.
    pub seek_track_ns: u64,
    /// The seek up to which time grows with the root of the distance, and beyond which it grows in a line, in parts per
    /// thousand of the full stroke.
    pub seek_knee_permille: u32,
    /// That seek.
    pub seek_knee_ns: u64,
    /// A seek from the outermost cylinder to the innermost.
    pub seek_full_ns: u64,
    /// A change of heads within a cylinder.
    pub head_switch_ns: u64,
    /// What a head takes longer to settle before it may write.
    pub write_settle_ns: u64,
    /// From a command's arrival until the disk acts on it.
    pub command_ns: u64,
    /// What the interface moves in a second.
    pub interface_bytes_per_s: u64,
    /// Commands that the disk holds at the same time, and chooses from. The others wait outside, in the order of arrival.
    pub queue_depth: u32,
    /// A command that has waited longer than this goes before nearer ones.
    pub queue_age_ns_max: u64,
    /// Bytes that may have been acknowledged and not be on the media; 0 for a disk that acknowledges nothing early.
    pub write_cache_bytes: u64,
    /// Stretches that the cache keeps apart; neighbouring writes become one.
    pub write_cache_stretches: u32,
    /// How long the arm must have had nothing to do before the cache is emptied in the background, as long as it is less
    /// than half full.
    pub destage_idle_ns: u64,
    /// How far the disk reads on behind a read while nothing else is wanted; 0 for not at all.
    pub read_ahead_bytes: u64,
    /// How far it reads on behind a read that goes on where another ended, whoever waits for the heads.
    pub read_ahead_bytes_min: u64,
    /// Stretches that it keeps of what it has read, each as long as it reads on.
    pub read_ahead_segments: u32,
}

/// The largest disk: a pebibyte.
pub const SIZE_BYTES_MAX: u64 = 1 << 50;
/// Slowest and fastest rotation.
pub const ROTATION_RPM: (u64, u64) = (1_000, 100_000);
/// The most heads.
pub const HEADS_MAX: u64 = 64;
/// The most zones.
pub const ZONES_MAX: u64 = 256;
/// Shortest and longest track.
pub const TRACK_BYTES: (u64, u64) = (4096, 64 << 20);
/// The most tracks: linear media time fits 64 bits with them.
pub const TRACKS_MAX: u64 = 1 << 30;
/// The longest time that any movement may take: a second.
pub const MOVE_NS_MAX: u64 = 1_000_000_000;
/// Slowest and fastest interface.
pub const INTERFACE_BYTES_PER_S: (u64, u64) = (1_000_000, 1_000_000_000_000);
/// The most commands that a disk may hold: each choice looks at all of them.
pub const COMMANDS_MAX: u64 = 256;
/// The longest that a command may be passed over: a minute.
pub const AGE_NS_MAX: u64 = 60_000_000_000;
/// The most stretches that either cache keeps.
pub const STRETCHES_MAX: u64 = 1 << 20;
/// The most segments: each read looks at all of them.
pub const SEGMENTS_MAX: u64 = 256;
/// The largest cache of either kind.
pub const CACHE_BYTES_MAX: u64 = 16 << 30;

impl DiskModel {
    /// Refuses what can't be simulated.
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

    /// The memory that a drive takes at most, bytes, in the stretches that its caches keep.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        64 * (u64::from(self.write_cache_stretches) + u64::from(self.read_ahead_segments))
    }

    /// How long the interface takes for so many bytes.
    #[inline]
    pub(super) fn transfer_ns(&self, length_bytes: u32) -> u64 {
        // A block is at most 2^26 bytes, and with a second in nanoseconds that is below 2^56.
        u64::from(length_bytes) * 1_000_000_000 / self.interface_bytes_per_s
    }
}
