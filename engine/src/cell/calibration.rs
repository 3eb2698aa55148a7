//! The job with which the engine measures its own overhead.

use crate::job::{Data, Engine, FAILED_MAX, Job, Pattern, Sync};
use crate::ring::Poll;

/// Long enough for a stable result, short enough not to be noticed.
const CALIBRATION_NS: u64 = 10_000_000;
/// The size of the null target of that job.
pub const CALIBRATION_SPAN_BYTES: u64 = 1 << 30;

/// 4 KiB random reads from the null target at queue depth 32: all the time they take is the loop's own overhead.
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
        duty: None,
        failed_max: FAILED_MAX,
        write_cache: None,
        amount_bytes: None,
        limit_ns: None,
        decide_ns: None,
        done_bytes: 0,
    }
}
