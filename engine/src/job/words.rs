//! The words of a job.

use serde::Deserialize;

/// How I/O reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Submission and completion rings shared with the kernel.
    IoUring,
    /// pread and pwrite; depth is served by as many threads.
    Psync,
    /// Nothing: every operation completes at once, in process.
    Null,
    /// Through `io_uring`, and nothing there: the cost of the way to the kernel.
    Nop,
    /// Commands of NVMe, handed to its driver through `io_uring`. It only reads.
    Passthrough,
    /// A simulated drive, in virtual time.
    Simulation,
}

impl Engine {
    /// Every way.
    pub const ALL: [Self; 6] = [Self::IoUring, Self::Psync, Self::Null, Self::Nop, Self::Passthrough, Self::Simulation];

    /// Whether the kernel may hand its operations to threads, and can be asked to poll.
    #[must_use]
    pub fn is_ring_on_a_target(self) -> bool {
        matches!(self, Self::IoUring | Self::Passthrough)
    }
}

/// Where the next block lies.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pattern {
    /// Uniformly anywhere in the span.
    Random,
    /// Behind the one before.
    Sequential,
    /// At random, and each block once before any comes again.
    Permutation,
    /// Some blocks more often than others: the one of rank k in proportion to 1 / k^exponent.
    Zipf {
        /// The exponent, in thousandths.
        exponent_permille: u32,
        /// Whether the ranks are scattered over the span; else the first block is the hottest.
        scattered: bool,
    },
    /// Some blocks more often than others, at every scale: 1 - h of all accesses go to a share h of the blocks.
    Pareto {
        /// That share, in thousandths, below a half.
        share_permille: u32,
        /// Whether hot blocks are scattered over the span; else the first ones are the hottest.
        scattered: bool,
    },
    /// Zones, one behind the other, that take shares of the accesses.
    HotSpots {
        /// Both of their shares add up to a thousand.
        zones: Vec<Zone>,
        /// Whether the blocks of a zone are scattered over the span.
        scattered: bool,
    },
    /// At equal distances; behind the end the next pass begins one block further, until each block was met.
    Strided {
        /// From the start of one block to the start of the next.
        stride_bytes: u64,
    },
    /// Behind the one before, but for a share of jumps to anywhere, behind which it goes on.
    Runs {
        /// The share of jumps.
        jump_percent: u8,
    },
}

/// A part of the span, and how many of the accesses it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Its share of the accesses, in thousandths.
    pub accesses_permille: u32,
    /// Its share of the span, in thousandths.
    pub space_permille: u32,
}

/// One of several block sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// The size.
    pub size_bytes: u32,
    /// How many of the operations have it, in proportion to the weights of the others.
    pub weight: u32,
}

/// When a write counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// At once.
    None,
    /// After an fdatasync of its own.
    Fdatasync,
    /// As an `O_DSYNC` write (`RWF_DSYNC`, the form for a single write).
    Dsync,
}

/// What writes carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// Random bytes: nothing compresses or deduplicates them.
    Random,
    /// Half of each 4 KiB random, half zeros: compresses two to one.
    Compressible,
    /// Zeros: what thin provisioning and compression do away with altogether.
    Zeros,
}
