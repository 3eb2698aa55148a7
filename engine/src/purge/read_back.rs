//! Reads the places of a device again, after its purge.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::content::{Content, digest, has_sentinel};
use super::reach;
use super::sample::{Before, Place, Samples, combined, read_pieces};
use crate::failure::{Failure, FailureKind};
use crate::ring::Buffers;
use crate::target::Target;
use crate::watchdog::waiting_for;

/// Places that are listed of each kind.
const LISTED_MAX: usize = 20;
const TRANSFER_BYTES: usize = 1 << 20;

/// What was read of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReadBack {
    /// Whether all places were read.
    pub finished: bool,
    /// Places that were read.
    pub places: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// What the bytes hold.
    pub content: Content,
    /// Places that still hold a sentinel, or the data from before.
    pub survivors: u64,
    /// The offsets of the first of them.
    pub first_survivors: Vec<u64>,
    /// Places that could not be read.
    pub unreadable: u64,
    /// The offsets of the first of them.
    pub first_unreadable: Vec<u64>,
    /// Why the first of them could not be read.
    pub read_error: Option<String>,
}

/// Reads all places of the targets again. `progress` is called with the bytes done.
pub fn read_back(
    targets: &[Target],
    samples: &[Samples],
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<ReadBack>, Failure> {
    if samples.is_empty() || samples.len() != targets.len() {
        return Err(Failure::new(FailureKind::NoTarget, "the open targets were not sampled before"));
    }
    let mut buffers = Buffers::new(TRANSFER_BYTES)
        .map_err(|error| Failure::from_io(FailureKind::EngineRefused, "cannot allocate the buffer", &error))?;
    // Another program may have purged the device below its handle.
    reach::grants(targets)?.iter().try_for_each(|grant| grant.confirm())?;
    let mut done = 0;
    let mut found = Vec::new();
    for (target, samples) in targets.iter().zip(samples) {
        waiting_for(format!("reading back {}", target.path().display()), target.progress_source());
        let mut one = ReadBack::default();
        for place in &samples.places {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            one.read(target, &mut buffers, place, samples.run);
            done += place.length;
            progress(done);
        }
        one.finished = one.places + one.unreadable == samples.places.len() as u64;
        found.push(one);
    }
    Ok(found)
}

impl ReadBack {
    fn read(&mut self, target: &Target, buffers: &mut Buffers, place: &Place, run: u64) {
        let (mut content, mut digests, mut is_marked) = (self.content, Vec::new(), false);
        let read = read_pieces(target, buffers, place.offset_bytes, place.length, &mut |piece| {
            content.count(piece);
            digests.push(digest(piece));
            is_marked |= has_sentinel(piece, run);
        });
        if let Err(error) = read {
            self.unreadable += 1;
            list(&mut self.first_unreadable, place.offset_bytes);
            self.read_error.get_or_insert_with(|| error.to_string());
            return;
        }
        self.content = content;
        self.places += 1;
        self.read_bytes += place.length;
        // Data that is no sentinel could only be the same by chance if it was zeros or ones, which is no data.
        if is_marked || place.before == Before::Data && combined(&digests) == place.digest {
            self.survivors += 1;
            list(&mut self.first_survivors, place.offset_bytes);
        }
    }
}

fn list(into: &mut Vec<u64>, offset_bytes: u64) {
    if into.len() < LISTED_MAX {
        into.push(offset_bytes);
    }
}
