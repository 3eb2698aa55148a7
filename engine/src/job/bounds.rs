//! Bounds of a job's values.

/// The largest queue depth: more than any device queue holds, and within the limit of `io_uring`.
pub const QUEUE_DEPTH_MAX: u32 = 4096;
/// The maximum number of psync threads of a job.
pub const PSYNC_THREADS_MAX: u32 = 1024;
/// The maximum number of jobs on a target.
pub const JOBS_MAX: u32 = 256;
/// The maximum number of targets of a job.
pub const TARGETS_MAX: u32 = 64;
/// The largest block.
pub const BLOCK_SIZE_BYTES_MAX: u32 = 64 << 20;
/// The maximum number of bytes in flight.
pub const IN_FLIGHT_BYTES_MAX: u64 = 4 << 30;
/// The longest job: thirty days.
pub const DURATION_NS_MAX: u64 = 30 * 86_400 * 1_000_000_000;
/// The highest arrival rate: more than any engine reaches.
pub const RATE_PER_S_MAX: u64 = 1_000_000_000;
/// Failed operations of a worker before the job ends: enough to pass a bad area of the media, but not to spin on a device
/// that is gone.
pub const FAILED_MAX: u64 = 1000;
/// The shortest interval.
pub const INTERVAL_NS_MIN: u64 = 1_000_000;
/// The shortest on-time and off-time of a duty cycle.
pub const DUTY_NS_MIN: u64 = 1_000_000;
/// The maximum number of block sizes in a mix.
pub const SIZES_MAX: usize = 16;
/// The largest sum of their weights.
pub const WEIGHTS_MAX: u32 = 1_000_000;
/// The maximum number of hot-spot zones.
pub const ZONES_MAX: usize = 16;
/// The largest exponent of a Zipf distribution, in thousandths: above it nearly all accesses go to one block.
pub const EXPONENT_PERMILLE_MAX: u32 = 5_000;
/// The maximum number of writes before a flush, and of operations in a burst.
pub const COUNT_MAX: u64 = 1_000_000_000_000;
/// The highest compressibility of verified data: 32 of the 512 bytes of each sector are its verification header.
pub const VERIFY_COMPRESSIBLE_PERCENT_MAX: u8 = 90;
/// The largest over-provisioning, in thousandths: the test region is a fifth of the flash.
pub const OVER_PROVISIONING_PERMILLE_MAX: u32 = 4_000;
/// The smallest over-provisioning, in thousandths. Below it, a write would cause more than fifty others.
pub const OVER_PROVISIONING_PERMILLE_MIN: u32 = 10;
