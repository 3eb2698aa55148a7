//! Checks a job's memory demand before anything is allocated: the OOM killer would end a process that overcommits.

use crate::failure::{Failure, FailureKind};
use crate::host::memory_bytes_free;
use crate::job::Job;
use crate::pattern::Payload;
use crate::record::Tally;

/// Memory of a slot without its buffers, on both sides of its ring; rounded up.
const SLOT_BYTES: u64 = 512;
/// Memory of a worker without its slots and tallies: stack, slowest operations, faults.
const WORKER_BYTES: u64 = 512 << 10;
/// Tallies of a worker in addition to its spares: the one in use and the one in reserve.
const TALLIES_BESIDE: u64 = 2;

/// Refuses a job whose workers need more memory than is free. Each worker has `spares_each` spare tallies.
pub fn check(job: &Job, spares_each: usize, has_payload: bool) -> Result<(), Failure> {
    let tallies = (spares_each as u64 + TALLIES_BESIDE) * Tally::bytes(&job.classes(), job.pace.is_some());
    let slot = SLOT_BYTES + if has_payload { Payload::slot_bytes(job) } else { 0 };
    let worker = WORKER_BYTES + tallies + u64::from(job.slots()) * slot;
    let (needed, free) = (worker.saturating_mul(job.workers().into()), memory_bytes_free());
    if needed > free {
        let (workers, in_flight) = (job.workers(), job.in_flight());
        let message = format!(
            "{workers} workers with {in_flight} operations in flight need {needed} bytes of memory, but {free} are free"
        );
        return Err(Failure::new(FailureKind::EngineRefused, message));
    }
    Ok(())
}
