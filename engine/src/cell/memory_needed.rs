//! What a job takes of memory, which is asked before any of it is taken: what is promised and not there ends the process.

use crate::failure::{Failure, FailureKind};
use crate::host::memory_bytes_free;
use crate::job::Job;
use crate::pattern::Payload;
use crate::record::Tally;

/// Memory of a slot beside its buffers, on both sides of its ring: somewhat more than it is.
const SLOT_BYTES: u64 = 512;
/// Memory of a worker beside its slots and tallies: its stack, its slowest operations, its faults.
const WORKER_BYTES: u64 = 512 << 10;
/// Tallies of a worker beside those that wait for it: the one in use, and the one kept back.
const TALLIES_BESIDE: u64 = 2;

/// Refuses a job whose workers take more memory than there is, each with so many spare tallies.
pub fn check(job: &Job, spares_each: usize, has_payload: bool) -> Result<(), Failure> {
    let tallies = (spares_each as u64 + TALLIES_BESIDE) * Tally::bytes(&job.asked(), job.pace.is_some());
    let slot = SLOT_BYTES + if has_payload { Payload::slot_bytes(job) } else { 0 };
    let worker = WORKER_BYTES + tallies + u64::from(job.slots()) * slot;
    let (needed, free) = (worker.saturating_mul(job.workers().into()), memory_bytes_free());
    if needed > free {
        let (workers, in_flight) = (job.workers(), job.in_flight());
        let message = format!(
            "{workers} workers with {in_flight} operations in flight take {needed} bytes of memory, and {free} are free"
        );
        return Err(Failure::new(FailureKind::EngineRefused, message));
    }
    Ok(())
}
