//! Places of a device: what they held before a purge.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::content::{digest, has_sentinel, uniform, write_sentinel};
use super::reach;
use crate::failure::{Failure, FailureKind};
use crate::guard::WriteGrant;
use crate::random::Random;
use crate::ring::Buffers;
use crate::target::Target;
use crate::watchdog::{made_progress, waiting_for};

/// The number of sentinels in a device of which all is read.
const SENTINELS_WHOLE: u64 = 256;
/// The most places of a sample.
const PLACES_MAX: u32 = 1 << 20;
/// The size of a place, if the blocks of the device are not larger.
const PLACE_BYTES: u64 = 4096;
/// The most units that a whole device is read in: their digests take 32 MiB.
const UNITS_MAX: u64 = 1 << 20;
/// The largest unit.
const UNIT_BYTES_MAX: u64 = 1 << 30;
/// Bytes of a read or write.
const TRANSFER_BYTES: usize = 1 << 20;

/// What a place held before the purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// A sentinel, which was read back.
    Sentinel,
    /// Data that was there.
    Data,
    /// Nothing that a purge would change: zeros, ones, or a sentinel that the drive did not keep.
    Nothing,
    /// It could not be read.
    Unreadable,
}

/// A place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub offset_bytes: u64,
    pub length: u64,
    pub before: Before,
    pub digest: u64,
}

/// What places of a device held before its purge.
#[derive(Debug)]
pub struct Samples {
    pub(super) run: u64,
    pub(super) places: Vec<Place>,
}

impl Samples {
    /// The bytes of all places.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.places.iter().map(|place| place.length).sum()
    }
}

/// A summary of the samples of one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sampled {
    /// Its size.
    pub size_bytes: u64,
    /// The number of places.
    pub places: u64,
    /// The size of a place, except that the last one of a whole device may be smaller.
    pub place_bytes: u64,
    /// Places with a sentinel, all of which were read back.
    pub sentinels: u64,
    /// Places with data that was there.
    pub data: u64,
    /// Places that held only zeros or ones and did not keep a sentinel.
    pub empty: u64,
    /// Places that could not be read or written.
    pub unreadable: u64,
}

/// Which places to sample.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The number of places: both ends, and one at random in each equal part between them. None reads all of the device.
    pub places: Option<u32>,
    /// The seed that selects the places. The sentinels carry it.
    pub seed: u64,
}

/// Reads places of all targets, and writes sentinels to about half of them: to each that holds nothing, and to every
/// second one. The others keep their data, so both what was written long ago and just now is compared after the purge.
/// `progress` is called with the bytes done.
pub fn sample(
    targets: &[Target],
    extent: Extent,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<(Samples, Sampled)>, Failure> {
    let grants = reach::grants(targets)?;
    let mut done = 0;
    let mut found = Vec::new();
    for (target, grant) in targets.iter().zip(grants) {
        let mut one = Sampler::new(target, grant, extent)?;
        found.push(one.sample(stop, &mut done, progress)?);
    }
    Ok(found)
}

struct Sampler<'a> {
    target: &'a Target,
    grant: &'a WriteGrant,
    buffers: Buffers,
    extent: Extent,
    place_bytes: u64,
    block_bytes: u64,
}

impl<'a> Sampler<'a> {
    fn new(target: &'a Target, grant: &'a WriteGrant, extent: Extent) -> Result<Self, Failure> {
        if extent.places.is_some_and(|places| !(2..=PLACES_MAX).contains(&places)) {
            let message = format!("the number of places must be from 2 to {PLACES_MAX}");
            return Err(Failure::new(FailureKind::BadJob, message));
        }
        if !target.direct {
            return Err(Failure::new(FailureKind::BadJob, "a purge requires direct I/O: the page cache outlives it"));
        }
        let block_bytes = u64::from(target.alignment.offset_bytes).max(512);
        let place_bytes = match extent.places {
            Some(_) => PLACE_BYTES.max(block_bytes),
            None => unit_bytes(target.size_bytes).max(block_bytes),
        };
        let length = usize::try_from(PLACE_BYTES.max(block_bytes)).unwrap_or(TRANSFER_BYTES).max(TRANSFER_BYTES);
        let buffers = Buffers::new(length)
            .map_err(|error| Failure::from_io(FailureKind::EngineRefused, "cannot allocate the buffer", &error))?;
        Ok(Self { target, grant, buffers, extent, place_bytes, block_bytes })
    }

    fn sample(
        &mut self,
        stop: &AtomicBool,
        done: &mut u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(Samples, Sampled), Failure> {
        let size_bytes = self.target.size_bytes;
        let spans = match self.extent.places {
            Some(count) => scattered(size_bytes, self.place_bytes, self.block_bytes, count, self.extent.seed),
            None => contiguous(size_bytes, self.place_bytes),
        };
        waiting_for(format!("reading {}", self.target.path().display()), self.target.progress_source());
        let count = spans.len() as u64;
        let marked_each = if self.extent.places.is_some() { 2 } else { count.div_ceil(SENTINELS_WHOLE).max(2) };
        let mut places = Vec::with_capacity(spans.len());
        for (number, (offset_bytes, length)) in spans.into_iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::new(FailureKind::BadJob, "stopped before the purge"));
            }
            let is_marked = (number as u64).is_multiple_of(marked_each);
            places.push(self.place(offset_bytes, length, is_marked));
            *done += length;
            made_progress();
            progress(*done);
        }
        self.grant
            .file()
            .sync_data()
            .map_err(|error| Failure::from_io(FailureKind::Io, "fdatasync before the purge", &error))?;
        self.confirm_sentinels(&mut places);
        let count = |before: Before| places.iter().filter(|place| place.before == before).count() as u64;
        let sampled = Sampled {
            size_bytes,
            places: places.len() as u64,
            place_bytes: self.place_bytes,
            sentinels: count(Before::Sentinel),
            data: count(Before::Data),
            empty: count(Before::Nothing),
            unreadable: count(Before::Unreadable),
        };
        Ok((Samples { run: self.extent.seed, places }, sampled))
    }

    // Reads a place, and writes a sentinel to its start if it is to be marked or holds nothing.
    fn place(&mut self, offset_bytes: u64, length: u64, is_marked: bool) -> Place {
        let place = |before, digest| Place { offset_bytes, length, before, digest };
        let Ok((found, is_uniform)) = self.read(offset_bytes, length) else { return place(Before::Unreadable, 0) };
        let samples_all = self.extent.places.is_none();
        if !(is_marked || is_uniform && !samples_all) {
            return place(if is_uniform { Before::Nothing } else { Before::Data }, found);
        }
        let marked = usize::try_from(length.min(PLACE_BYTES.max(self.block_bytes))).unwrap_or(TRANSFER_BYTES);
        let block = &mut self.buffers.bytes()[..marked];
        write_sentinel(block, self.extent.seed, offset_bytes);
        match self.grant.file().write_all_at(block, offset_bytes) {
            Ok(()) => place(Before::Sentinel, 0),
            Err(_) => place(Before::Unreadable, 0),
        }
    }

    // A sentinel that the drive did not keep would prove nothing afterwards.
    fn confirm_sentinels(&mut self, places: &mut [Place]) {
        for place in places.iter_mut().filter(|place| place.before == Before::Sentinel) {
            let marked = usize::try_from(place.length.min(PLACE_BYTES.max(self.block_bytes))).unwrap_or(TRANSFER_BYTES);
            let block = &mut self.buffers.bytes()[..marked];
            let read = self.target.read_back(block, place.offset_bytes);
            place.before = match read {
                Ok(()) if has_sentinel(block, self.extent.seed) => Before::Sentinel,
                Ok(()) => Before::Nothing,
                Err(_) => Before::Unreadable,
            };
            made_progress();
        }
    }

    fn read(&mut self, offset_bytes: u64, length: u64) -> io::Result<(u64, bool)> {
        let (mut digests, mut bytes) = (Vec::new(), Vec::new());
        read_pieces(self.target, &mut self.buffers, offset_bytes, length, &mut |piece| {
            digests.push(digest(piece));
            bytes.push(uniform(piece));
        })?;
        Ok((combined(&digests), bytes.iter().all(|each| each.is_some() && *each == bytes[0])))
    }
}

/// Reads a place piece by piece.
pub(super) fn read_pieces(
    target: &Target,
    buffers: &mut Buffers,
    offset_bytes: u64,
    length: u64,
    hear: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut at = 0;
    while at < length {
        let piece = usize::try_from(length - at).unwrap_or(usize::MAX).min(buffers.length());
        let block = &mut buffers.bytes()[..piece];
        target.read_back(block, offset_bytes + at)?;
        hear(block);
        at += piece as u64;
        made_progress();
    }
    Ok(())
}

/// The digest of a place, from those of its pieces.
pub(super) fn combined(digests: &[u64]) -> u64 {
    let bytes: Vec<u8> = digests.iter().flat_map(|each| each.to_le_bytes()).collect();
    digest(&bytes)
}

// The size of the units of a whole device: a power of two, so that there are few enough of them.
fn unit_bytes(size_bytes: u64) -> u64 {
    size_bytes.div_ceil(UNITS_MAX).next_power_of_two().clamp(PLACE_BYTES, UNIT_BYTES_MAX)
}

fn contiguous(size_bytes: u64, unit: u64) -> Vec<(u64, u64)> {
    (0..size_bytes.div_ceil(unit)).map(|number| (number * unit, unit.min(size_bytes - number * unit))).collect()
}

// Both ends, and a place at random in each equal part between them.
fn scattered(size_bytes: u64, place: u64, block: u64, count: u32, seed: u64) -> Vec<(u64, u64)> {
    let units = size_bytes / place;
    if units <= u64::from(count) {
        return contiguous(size_bytes, place);
    }
    let mut random = Random::new(seed);
    let (inner, parts) = (units - 2, u64::from(count) - 2);
    let mut found = vec![0];
    for part in 0..parts {
        let bound =
            |part: u64| u64::try_from(u128::from(inner) * u128::from(part) / u128::from(parts)).unwrap_or(inner);
        let (first, end) = (bound(part), bound(part + 1));
        found.push((1 + first + random.below(end - first)) * place);
    }
    // The last place ends with the device, also if its size is no multiple of the place.
    found.push((size_bytes - place) / block * block);
    found.into_iter().map(|offset_bytes| (offset_bytes, place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_sample_has_both_ends_and_one_place_in_each_part_between_them() {
        let size = GIB + 512;
        let found = scattered(size, 4096, 512, 256, 7);
        assert_eq!(found.len(), 256);
        assert_eq!(found[0].0, 0);
        assert_eq!(found[255].0 + 4096, size);
        assert!(found.windows(2).all(|pair| pair[0].0 + 4096 <= pair[1].0), "{found:?}");
        let parts: Vec<u64> =
            found[1..255].iter().map(|(offset, _)| (offset / 4096 - 1) * 254 / (size / 4096 - 2)).collect();
        assert_eq!(parts, (0..254).collect::<Vec<u64>>());
        assert_ne!(found, scattered(size, 4096, 512, 256, 8));
    }

    #[test]
    fn a_small_device_is_sampled_completely() {
        assert_eq!(scattered(10_240, 4096, 512, 256, 7), [(0, 4096), (4096, 4096), (8192, 2048)]);
    }

    #[test]
    fn a_whole_device_has_units_of_bounded_number() {
        assert_eq!(unit_bytes(GIB), 4096);
        assert_eq!(unit_bytes(4 << 40), 4 << 20);
        assert_eq!(unit_bytes((4 << 40) + 1), 8 << 20);
        let units = contiguous(3 * GIB + 512, unit_bytes(3 * GIB + 512));
        assert_eq!(units.iter().map(|(_, length)| length).sum::<u64>(), 3 * GIB + 512);
        assert_eq!(units.last().map(|last| last.1), Some(512));
    }
}
