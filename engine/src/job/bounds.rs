//! How much a job may ask for.

/// The deepest queue: more than any device's queue takes, and within the limit of `io_uring`.
pub const QUEUE_DEPTH_MAX: u32 = 4096;
/// The deepest queue that threads may serve.
pub const PSYNC_THREADS_MAX: u32 = 1024;
/// The most workers that may be asked for.
pub const JOBS_MAX: u32 = 256;
/// The most targets that one job may use.
pub const TARGETS_MAX: u32 = 64;
/// The largest block.
pub const BLOCK_SIZE_BYTES_MAX: u32 = 64 << 20;
/// Bytes in flight, at most.
pub const IN_FLIGHT_BYTES_MAX: u64 = 4 << 30;
/// The longest job: thirty days.
pub const DURATION_NS_MAX: u64 = 30 * 86_400 * 1_000_000_000;
/// The highest rate: more than any engine gives.
pub const RATE_PER_S_MAX: u64 = 1_000_000_000;
/// The shortest interval.
pub const INTERVAL_NS_MIN: u64 = 1_000_000;
/// The most block sizes that a job may mix.
pub const SIZES_MAX: usize = 16;
/// The sum of their weights, at most.
pub const WEIGHTS_MAX: u32 = 1_000_000;
/// The most zones of hot spots.
pub const ZONES_MAX: usize = 16;
/// The steepest exponent of a Zipf distribution, in thousandths: beyond it nearly all accesses go to one block.
pub const EXPONENT_PERMILLE_MAX: u32 = 5_000;
/// The most writes before a flush, and the most operations of a burst.
pub const COUNT_MAX: u64 = 1_000_000_000_000;
/// By how much data that is verified may be compressible: each sector of 512 bytes keeps the 32 of its seal.
pub const VERIFY_COMPRESSIBLE_PERCENT_MAX: u8 = 90;
