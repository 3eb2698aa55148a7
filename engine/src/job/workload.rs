//! The values of a workload's settings.

use serde::Deserialize;

/// The I/O engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// `io_uring`: submission and completion rings shared with the kernel.
    IoUring,
    /// `pread` and `pwrite`, with one thread for each operation in flight.
    Psync,
    /// Every operation completes immediately, within the process.
    Null,
    /// `io_uring` no-ops: the cost of the path to the kernel and back.
    Nop,
    /// NVMe passthrough commands through `io_uring`. Reads only.
    Passthrough,
    /// A simulated drive, in virtual time.
    Simulation,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Self; 6] = [Self::IoUring, Self::Psync, Self::Null, Self::Nop, Self::Passthrough, Self::Simulation];

    /// Whether it submits to a target through `io_uring`, so that io-wq workers and polling are possible.
    #[must_use]
    pub fn is_ring_on_a_target(self) -> bool {
        matches!(self, Self::IoUring | Self::Passthrough)
    }
}

/// How the offset of the next block is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pattern {
    /// Uniformly distributed over the test region.
    Random,
    /// Each block follows the one before.
    Sequential,
    /// Random, with each block once before any repeats.
    Permutation,
    /// Writes that bring an empty drive to random-write steady state; see `FastRandom`.
    FastRandom {
        /// The over-provisioning that is assumed, in thousandths of the test region.
        over_provisioning_permille: u32,
    },
    /// Zipf: the block of rank k is accessed in proportion to 1 / k^exponent.
    Zipf {
        /// The exponent, in thousandths.
        exponent_permille: u32,
        /// Whether the ranks are scattered over the test region. Otherwise the first block is the hottest.
        scattered: bool,
    },
    /// Self-similar: at every scale, a share h of the blocks takes 1 - h of the accesses.
    Pareto {
        /// The share h in thousandths, below a half.
        share_permille: u32,
        /// Whether hot blocks are scattered over the test region. Otherwise the first blocks are the hottest.
        scattered: bool,
    },
    /// Consecutive zones, each with a share of the accesses.
    HotSpots {
        /// The zones. Both shares add up to 1000 over all zones.
        zones: Vec<Zone>,
        /// Whether the blocks of a zone are scattered over the test region.
        scattered: bool,
    },
    /// Blocks at equal distances. Each pass starts one block after the start of the previous pass, until every block
    /// was accessed.
    Strided {
        /// Distance from the start of one block to the start of the next.
        stride_bytes: u64,
    },
    /// Sequential runs: each block follows the one before, except for a share of jumps to a random block.
    Runs {
        /// The share of jumps.
        jump_percent: u8,
    },
}

/// A zone of the test region, and its share of the accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Its share of the accesses, in thousandths.
    pub accesses_permille: u32,
    /// Its share of the test region, in thousandths.
    pub space_permille: u32,
}

/// One of several block sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// The size.
    pub size_bytes: u32,
    /// Its weight: its share of the operations relative to the other weights.
    pub weight: u32,
}

/// When a write is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// When the write itself completes.
    None,
    /// After a following fdatasync.
    Fdatasync,
    /// As an `O_DSYNC` write, by the per-write flag `RWF_DSYNC`.
    Dsync,
}

/// The data that writes carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// Random bytes, which neither compress nor deduplicate.
    Random,
    /// Half of each 4 KiB random, half zeros: compresses two to one.
    Compressible,
    /// Zeros, which thin provisioning and compression eliminate.
    Zeros,
}
