//! Positions of bytes on the platters, and times at which they pass under a head.
//!
//! A position is a *media time*: the duration of a sequential read from the first byte of the disk. A track takes one
//! revolution, and the skew between two tracks is the time to switch between them. The angle of a byte is its media
//! time modulo a revolution. The angle under the heads is the current time, plus the angle at time zero, modulo a
//! revolution. The duration of a sequential read over several tracks is the difference of two positions.

use super::DiskModel;
use super::seek::SeekCurve;

/// The position of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its track, counted from the outermost one. All heads of a cylinder come before the next cylinder.
    pub track: u64,
    /// Its position in media time.
    pub media_ns: u64,
}

#[derive(Clone, Debug)]
struct Zone {
    start_bytes: u64,
    start_track: u64,
    track_bytes: u64,
}

/// The platters of a model.
#[derive(Clone, Debug)]
pub struct Geometry {
    zones: Vec<Zone>,
    heads: u64,
    revolution_ns: u64,
    // The angle at time zero, in nanoseconds of a revolution.
    phase_ns: u64,
    head_switch_ns: u64,
    write_settle_ns: u64,
    // Skew from the end of a track to the start of the next, for a head switch and for a cylinder switch; long enough
    // for writes.
    head_skew_ns: u64,
    cylinder_skew_ns: u64,
    seek: SeekCurve,
}

impl Geometry {
    /// The platters of a checked model, with their angle at time zero.
    #[must_use]
    pub fn new(model: &DiskModel, phase: u64) -> Self {
        let zones = u64::from(model.zones);
        let heads = u64::from(model.heads);
        let fall = model.track_outer_bytes - model.track_inner_bytes;
        let track_bytes = |zone: u64| {
            let bytes = model.track_outer_bytes - fall * zone / (zones - 1).max(1);
            bytes - bytes % 512
        };
        let one_track_each: u64 = (0..zones).map(track_bytes).sum();
        let cylinders_each = model.size_bytes.div_ceil(one_track_each * heads);
        let mut start_bytes = 0;
        let zone = |number: u64| {
            let zone =
                Zone { start_bytes, start_track: number * cylinders_each * heads, track_bytes: track_bytes(number) };
            start_bytes += zone.track_bytes * cylinders_each * heads;
            zone
        };
        let revolution_ns = 60_000_000_000 / u64::from(model.rotation_rpm);
        Self {
            zones: (0..zones).map(zone).collect(),
            heads,
            revolution_ns,
            phase_ns: phase % revolution_ns,
            head_switch_ns: model.head_switch_ns,
            write_settle_ns: model.write_settle_ns,
            head_skew_ns: model.head_switch_ns + model.write_settle_ns,
            cylinder_skew_ns: model.seek_track_ns + model.write_settle_ns,
            seek: SeekCurve::new(model, cylinders_each * zones),
        }
    }

    #[inline]
    fn zone(&self, byte: u64) -> &Zone {
        let behind = self.zones.partition_point(|zone| zone.start_bytes <= byte);
        &self.zones[behind - 1]
    }

    // The start of a track in media time.
    #[inline]
    fn track_ns(&self, track: u64) -> u64 {
        let cylinder = track / self.heads;
        track * self.revolution_ns + (track - cylinder) * self.head_skew_ns + cylinder * self.cylinder_skew_ns
    }

    /// The position at which a byte starts.
    #[inline]
    #[must_use]
    pub fn start_of(&self, byte: u64) -> Position {
        let zone = self.zone(byte);
        let within = byte - zone.start_bytes;
        let track = zone.start_track + within / zone.track_bytes;
        let angle_ns = within % zone.track_bytes * self.revolution_ns / zone.track_bytes;
        Position { track, media_ns: self.track_ns(track) + angle_ns }
    }

    /// The position at which a range that ends before a byte has passed. At a track boundary this is the end of the
    /// track, not the start of the next one.
    #[inline]
    #[must_use]
    pub fn end_of(&self, end: u64) -> Position {
        let last = end.saturating_sub(1);
        let zone = self.zone(last);
        let within = last - zone.start_bytes;
        let track = zone.start_track + within / zone.track_bytes;
        let angle_ns = (within % zone.track_bytes + 1) * self.revolution_ns / zone.track_bytes;
        Position { track, media_ns: self.track_ns(track) + angle_ns }
    }

    /// The positioning time from a track until the first byte of a position is under the head: seek and settle, then
    /// rotation.
    #[inline]
    #[must_use]
    pub fn positioning_ns(&self, from_track: u64, now_ns: u64, to: &Position, write: bool) -> u64 {
        let (from, cylinder) = (from_track / self.heads, to.track / self.heads);
        let mut moved_ns = if from != cylinder {
            self.seek.seek_ns(from.abs_diff(cylinder))
        } else if from_track != to.track {
            self.head_switch_ns
        } else {
            0
        };
        if write && moved_ns > 0 {
            moved_ns += self.write_settle_ns;
        }
        let angle_ns = (now_ns + self.phase_ns + moved_ns) % self.revolution_ns;
        let wanted_ns = to.media_ns % self.revolution_ns;
        let wait_ns = if wanted_ns >= angle_ns { 0 } else { self.revolution_ns } + wanted_ns - angle_ns;
        moved_ns + wait_ns
    }

    /// How far the head reads ahead from a byte in a given time, at the mean rate of the zone.
    #[inline]
    #[must_use]
    pub fn read_on(&self, byte: u64, elapsed_ns: u64) -> u64 {
        let zone = self.zone(byte);
        let track_ns = self.revolution_ns + self.head_skew_ns;
        let (tracks, rest_ns) = (elapsed_ns / track_ns, elapsed_ns % track_ns);
        let rest_bytes = rest_ns * zone.track_bytes / track_ns;
        byte.saturating_add(tracks.saturating_mul(zone.track_bytes)).saturating_add(rest_bytes)
    }
}
