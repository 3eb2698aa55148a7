//! The job that the engine measures itself by.

use crate::job::{Data, Engine, Job, Pattern, Sync};
use crate::ring::Poll;

/// Long enough for a steady figure, short enough that nobody minds.
const CALIBRATION_NS: u64 = 10_000_000;
/// How large the target of that job pretends to be.
pub const CALIBRATION_SPAN_BYTES: u64 = 1 << 30;

/// Random reads of 4 KiB from nothing, 32 at a time: what they take is the loop's own.
#[must_use]
pub fn calibration() -> Job {
    Job {
        engine: Engine::Null,
        pattern: Pattern::Random,
        read_percent: 100,
        trim_percent: 0,
        block_size_bytes: 4096,
        block_sizes: Vec::new(),
        queue_depth: 32,
        jobs: 1,
        targets: 1,
        data: Data::Random,
        compressible_percent: 0,
        duplicates_percent: 0,
        verify: false,
        poll: Poll::Interrupt,
        sync: Sync::None,
        flush_every: 1,
        seed: 1,
        offset_bytes: 0,
        span_bytes: CALIBRATION_SPAN_BYTES,
        warmup_ns: CALIBRATION_NS / 10,
        measure_ns: CALIBRATION_NS,
        interval_ns: CALIBRATION_NS,
        pace: None,
        burst: None,
        amount_bytes: None,
    }
}
