//! Parameters of a solid-state drive.

use serde::Deserialize;

use crate::failure::Failure;
use crate::sim::bounds::{multiple_of, refused, within};
use crate::sim::pending::BACKLOG_NS_MAX;

/// A solid-state drive.
///
/// With a `capacity_scale` of n, capacity, SLC cache and thermal time constant are divided by n. Dies, speeds,
/// over-provisioning and the write buffer (which depends on the dies) are unchanged. A time series therefore keeps its
/// shape if its axis is in drive fills. If fewer than 64 blocks per die would remain, blocks are split into pieces, and
/// all pieces of a block share one erase.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SsdModel {
    /// Capacity for the host, in bytes.
    pub capacity_bytes: u64,
    /// Divides the capacity, so that a simulated fill takes less time.
    pub capacity_scale: u32,
    /// The link to the host.
    pub link: LinkModel,
    /// The controller.
    pub controller: ControllerModel,
    /// The write buffer.
    pub buffer: BufferModel,
    /// Channels, dies and flash.
    pub media: MediaModel,
    /// The SLC cache, if any.
    pub slc: Option<SlcModel>,
    /// Background work, if any.
    pub idle: Option<IdleModel>,
    /// The thermal model, if any.
    pub thermal: Option<ThermalModel>,
    /// Power consumption and its limit, if any.
    pub power: Option<PowerModel>,
    /// The read cache, if any.
    #[serde(default)]
    pub read_cache: Option<ReadCacheModel>,
}

/// A read cache: for read-ahead, or for pages that were read before, like the cache of a virtual disk's host.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadCacheModel {
    /// Its size in bytes. It is not scaled with the capacity.
    pub size_bytes: u64,
    /// Bytes that are read ahead of a sequential stream.
    pub read_ahead_bytes: u64,
    /// Whether pages stay in the cache after they are read or written, until newer ones replace them.
    pub keeps_pages: bool,
}

/// Duplex mode of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplex {
    /// Half duplex, like SATA.
    Half,
    /// Full duplex, like PCI Express.
    Full,
}

/// The link to the host.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkModel {
    /// Throughput in each direction, in bytes per second.
    pub bytes_per_s: u64,
    /// Overhead of a command on the link, in ns.
    pub command_ns: u64,
    /// Duplex mode.
    pub duplex: Duplex,
}

/// The controller.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerModel {
    /// Commands processed in parallel.
    pub cores: u32,
    /// Processing time of a command, in ns.
    pub command_ns: u64,
}

/// The write buffer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferModel {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Whether its content survives a power loss, so that a flush completes immediately.
    pub power_loss_protection: bool,
}

/// The media.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaModel {
    /// Channels.
    pub channels: u32,
    /// Dies per channel.
    pub dies_per_channel: u32,
    /// Planes per die, which program and erase together.
    pub planes_per_die: u32,
    /// Page size of a plane, in bytes.
    pub page_bytes: u32,
    /// Pages per block of a plane.
    pub pages_per_block: u32,
    /// Throughput of a channel, in bytes per second.
    pub channel_bytes_per_s: u64,
    /// Median read time of a page, in ns.
    pub read_ns: u64,
    /// Standard deviation of the logarithm of the read time, in thousandths.
    pub read_sigma_permille: u32,
    /// Slow reads per million.
    pub read_slow_ppm: u32,
    /// Factor on the time of slow reads.
    pub read_slow_factor: u32,
    /// Program time of a page on all planes, in ns.
    pub program_ns: u64,
    /// Erase time of a block on all planes, in ns.
    pub erase_ns: u64,
    /// Over-provisioning in thousandths of the capacity, without the blocks reserved for garbage collection.
    pub over_provisioning_permille: u32,
    /// Rated erase cycles of a block.
    pub rated_erases: u32,
}

/// How a write proceeds when the SLC cache is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlcFull {
    /// It goes to the main media directly. The cache is folded while the drive is idle.
    Bypass,
    /// The oldest data is first folded into the main media.
    Fold,
}

/// The SLC cache, in a dedicated part of the media.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcModel {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Median read time of a page, in ns.
    pub read_ns: u64,
    /// Program time of a page on all planes, in ns.
    pub program_ns: u64,
    /// How a write proceeds when the cache is full.
    pub when_full: SlcFull,
}

/// Background work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleModel {
    /// Idle time before it starts, in ns.
    pub delay_ns: u64,
    /// Free space that garbage collection aims at, in thousandths of the capacity.
    pub spare_permille: u32,
}

/// Temperature of a single thermal mass with one time constant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalModel {
    /// Temperature after a long idle time, in degrees Celsius.
    pub ambient_celsius: i16,
    /// Long-term temperature rise with all dies busy, in degrees.
    pub busy_rise_celsius: u16,
    /// Time constant (63 % of a change), in ns.
    pub time_constant_ns: u64,
    /// Temperature at which throttling starts, in degrees Celsius. It ends three degrees lower.
    pub limit_celsius: i16,
    /// Factor on all durations during throttling, in thousandths: 2000 doubles them.
    pub stretch_permille: u32,
}

/// Power consumption and its limit: media operations are delayed to keep the mean at or below it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerModel {
    /// Idle power in milliwatts.
    pub idle_mw: u64,
    /// Additional power of a die during a read, in milliwatts.
    pub read_mw: u64,
    /// Additional power of a die during a program, in milliwatts.
    pub program_mw: u64,
    /// Additional power of a die during an erase, in milliwatts.
    pub erase_mw: u64,
    /// Additional power of link and controller during a transfer in one direction, in milliwatts.
    pub link_mw: u64,
    /// Power limit of the drive, in milliwatts.
    pub limit_mw: u64,
    /// Averaging window of the limit, in ns. It is not scaled with the capacity.
    pub window_ns: u64,
}

const HOUR_NS: u64 = 3_600_000_000_000;
const TIB: u64 = 1 << 40;
/// The largest deviation of a read time from the median, in standard deviations, rounded up.
const DEVIATIONS_MAX: f64 = 4.0;
/// Bound on the media operations of one request: it has at most 16,384 pages, each with about 50 relocations at the
/// lowest over-provisioning.
const OPERATIONS_MAX: u64 = 1 << 20;
/// The largest read cache. Its table takes about a hundredth of that in memory.
const READ_CACHE_BYTES_MAX: u64 = 4 << 30;
/// The largest read-ahead: as large as the largest request.
const READ_AHEAD_BYTES_MAX: u64 = 64 << 20;
/// The page size of the translation layer.
pub const PAGE_BYTES: u64 = 4096;
/// The share of the power above idle that is always available to reads.
pub const READS_PERCENT: u64 = 75;

impl SsdModel {
    // Rejects values outside their ranges, with the key, its value and the valid range.
    pub(super) fn check_values(&self) -> Result<(), Failure> {
        within("capacity_bytes", self.capacity_bytes, 1 << 20, i128::from(256 * TIB))?;
        within("capacity_scale", self.capacity_scale, 1, 1 << 20)?;
        within("link.bytes_per_s", self.link.bytes_per_s, 1_000_000, 1_000_000_000_000_u64)?;
        within("link.command_ns", self.link.command_ns, 0, 1_000_000_000)?;
        within("controller.cores", self.controller.cores, 1, 1024)?;
        within("controller.command_ns", self.controller.command_ns, 0, 1_000_000_000)?;
        self.media.check()?;
        let unit_bytes = i128::from(self.media.page_bytes) * i128::from(self.media.planes_per_die);
        within("buffer.size_bytes", self.buffer.size_bytes, 2 * unit_bytes, 1_u64 << 36)?;
        if let Some(slc) = &self.slc {
            let dies = i128::from(self.media.channels) * i128::from(self.media.dies_per_channel);
            let least = unit_bytes * dies * i128::from(self.capacity_scale);
            within("slc.size_bytes", slc.size_bytes, least, i128::from(self.capacity_bytes))?;
            within("slc.read_ns", slc.read_ns, 1, 1_000_000_000)?;
            within("slc.program_ns", slc.program_ns, 1, 1_000_000_000)?;
        }
        if let Some(idle) = &self.idle {
            within("idle.delay_ns", idle.delay_ns, 1, i128::from(HOUR_NS))?;
            let spare = i128::from(self.media.over_provisioning_permille);
            within("idle.spare_permille", idle.spare_permille, 0, spare)?;
        }
        if let Some(thermal) = &self.thermal {
            within("thermal.ambient_celsius", thermal.ambient_celsius, -40, 85)?;
            within("thermal.busy_rise_celsius", thermal.busy_rise_celsius, 0, 200)?;
            let least = 1_000_000 * i128::from(self.capacity_scale);
            within("thermal.time_constant_ns", thermal.time_constant_ns, least, 24 * i128::from(HOUR_NS))?;
            let ambient = i128::from(thermal.ambient_celsius);
            within("thermal.limit_celsius", thermal.limit_celsius, ambient + 4, 150)?;
            within("thermal.stretch_permille", thermal.stretch_permille, 1000, 100_000)?;
        }
        if let Some(power) = &self.power {
            power.check()?;
        }
        if let Some(cache) = &self.read_cache {
            within("read_cache.size_bytes", cache.size_bytes, 2 * PAGE_BYTES, READ_CACHE_BYTES_MAX)?;
            within(
                "read_cache.read_ahead_bytes",
                cache.read_ahead_bytes,
                0,
                READ_AHEAD_BYTES_MAX.min(cache.size_bytes / 2),
            )?;
        }
        Ok(())
    }

    // The media operations of one request, or of a full buffer, have to complete within a representable time even if
    // they run one after the other.
    pub(super) fn check_longest(&self) -> Result<(), Failure> {
        let operations = OPERATIONS_MAX.max(self.buffer.size_bytes / PAGE_BYTES);
        let (longest_ns, most_ns) = (self.longest_ns(), BACKLOG_NS_MAX / operations);
        if longest_ns <= most_ns.into() {
            return Ok(());
        }
        Err(refused(format!(
            "a media operation could take {longest_ns} ns, including its tail and throttling; the maximum is {most_ns}"
        )))
    }

    // Duration of the slowest media operation: a slow read, a program or an erase, including thermal throttling and the
    // time to accumulate its energy.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below 2^63.
    fn longest_ns(&self) -> u128 {
        let (media, slc) = (&self.media, self.slc.as_ref());
        let distribution =
            libm::ceil(libm::exp(f64::from(media.read_sigma_permille) / 1000.0 * DEVIATIONS_MAX)) as u128;
        let read_ns = u128::from(media.read_ns.max(slc.map_or(0, |slc| slc.read_ns)));
        let read_ns = read_ns * distribution * u128::from(media.read_slow_factor);
        let write_ns = media.program_ns.max(media.erase_ns).max(slc.map_or(0, |slc| slc.program_ns));
        let longest_ns = read_ns.max(write_ns.into());
        let hot_ns =
            self.thermal.as_ref().map_or(0, |thermal| longest_ns * u128::from(thermal.stretch_permille) / 1000);
        let short_ns = self.power.as_ref().map_or(0, |power| power.longest_ns(longest_ns));
        longest_ns.max(hot_ns).saturating_add(short_ns)
    }
}

impl PowerModel {
    // The time in which the reads' share of the power accumulates the energy of an operation.
    fn longest_ns(&self, length_ns: u128) -> u128 {
        let flow_mw = u128::from(self.limit_mw - self.idle_mw);
        let most_mw = u128::from(self.read_mw.max(self.program_mw).max(self.erase_mw));
        (length_ns * most_mw * 100).div_ceil(flow_mw * u128::from(READS_PERCENT))
    }

    fn check(&self) -> Result<(), Failure> {
        within("power.idle_mw", self.idle_mw, 0, 1_000_000)?;
        within("power.read_mw", self.read_mw, 0, 10_000)?;
        within("power.program_mw", self.program_mw, 0, 10_000)?;
        within("power.erase_mw", self.erase_mw, 0, 10_000)?;
        within("power.link_mw", self.link_mw, 0, 100_000)?;
        // Transfers are never delayed, so the limit has to leave some power for the media.
        within("power.limit_mw", self.limit_mw, self.idle_mw + 2 * self.link_mw + 1, 2_000_000)?;
        within("power.window_ns", self.window_ns, 1_000_000, 10_000_000_000_u64)
    }
}

impl MediaModel {
    fn check(&self) -> Result<(), Failure> {
        within("media.channels", self.channels, 1, 64)?;
        within("media.dies_per_channel", self.dies_per_channel, 1, 64)?;
        within("media.planes_per_die", self.planes_per_die, 1, 16)?;
        within("media.page_bytes", self.page_bytes, 4096, 1 << 16)?;
        multiple_of("media.page_bytes", self.page_bytes.into(), 4096)?;
        within("media.pages_per_block", self.pages_per_block, 16, 1 << 14)?;
        within("media.channel_bytes_per_s", self.channel_bytes_per_s, 1_000_000, 100_000_000_000_u64)?;
        within("media.read_ns", self.read_ns, 1, 1_000_000_000)?;
        within("media.read_sigma_permille", self.read_sigma_permille, 0, 2000)?;
        within("media.read_slow_ppm", self.read_slow_ppm, 0, 1_000_000)?;
        within("media.read_slow_factor", self.read_slow_factor, 1, 10_000)?;
        within("media.program_ns", self.program_ns, 1, 1_000_000_000)?;
        within("media.erase_ns", self.erase_ns, 1, 10_000_000_000_u64)?;
        within("media.over_provisioning_permille", self.over_provisioning_permille, 20, 4000)?;
        within("media.rated_erases", self.rated_erases, 1, 10_000_000)
    }
}
