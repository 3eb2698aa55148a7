//! Flushes all drives, in virtual time.

use super::{Drive, IoCommand, VirtualClock};
use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};
use crate::ring::Operation;

/// The longest flush: ten minutes of virtual time.
pub const FLUSH_NS_MAX: u64 = 600_000_000_000;
// No job uses this tag: the upper half of a job's tag counts multiples of the drain time, and never gets this large.
const FLUSH_TAG: u64 = u64::MAX;
const FLUSH: IoCommand = IoCommand { operation: Operation::Flush, offset_bytes: 0, length_bytes: 0 };

/// Sends a flush to every drive at the same time, and advances the time until the last one is complete.
///
/// Fails as soon as one of them reports an error, or if one never completes.
pub fn flush_all(drives: &mut [Drive], clock: &VirtualClock) -> Result<(), Failure> {
    clock.check(FLUSH_NS_MAX)?;
    let begun_ns = clock.now();
    let mut waiting: Vec<&mut Drive> = drives.iter_mut().collect();
    for drive in &mut waiting {
        drive.simulation().submit(begun_ns, FLUSH_TAG, &FLUSH);
    }
    while !waiting.is_empty() {
        let next_ns = waiting.iter().map(|drive| drive.simulated().next_ns()).min().unwrap_or(u64::MAX);
        if next_ns > begun_ns + FLUSH_NS_MAX {
            let message = format!("a flush did not complete within {} s", FLUSH_NS_MAX / 1_000_000_000);
            return Err(Failure::new(FailureKind::Stuck, message));
        }
        clock.move_to(next_ns.max(clock.now()));
        let mut still = Vec::with_capacity(waiting.len());
        for drive in waiting {
            if !is_flushed(drive, clock.now())? {
                still.push(drive);
            }
        }
        waiting = still;
    }
    Ok(())
}

// Reaps completions. Those of a stuck job are dropped.
fn is_flushed(drive: &mut Drive, now_ns: u64) -> Result<bool, Failure> {
    while let Some((tag, result)) = drive.simulation().take_completion(now_ns) {
        if tag == FLUSH_TAG {
            let error = std::io::Error::from_raw_os_error(-result.min(0));
            return if result < 0 { Err(Failure::from_io(FailureKind::Io, "flush", &error)) } else { Ok(true) };
        }
    }
    Ok(false)
}
