//! What a solid-state drive is made of.

use serde::Deserialize;

use crate::failure::Failure;
use crate::sim::bounds::{multiple_of, refused, within};
use crate::sim::pending::BEHIND_NS_MAX;

/// A solid-state drive.
///
/// With a `capacity_scale` of n, capacity and SLC cache, and the time constant of temperature, are an n-th of what stands
/// here; dies, speeds, the share of spare space and the write buffer (which belongs to the dies) stay. So all shapes are
/// the same when time is counted in drive fills. Where less than 64 blocks a die would be left, blocks are cut, and an
/// erase is due only once for all pieces of one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SsdModel {
    /// What the host may write, bytes.
    pub capacity_bytes: u64,
    /// What the drive is made smaller by, to be filled sooner.
    pub capacity_scale: u32,
    /// The way to the host.
    pub link: LinkModel,
    /// Who takes commands.
    pub controller: ControllerModel,
    /// Where writes wait for the media.
    pub buffer: BufferModel,
    /// Channels, dies and what they hold.
    pub media: MediaModel,
    /// A part of the media that is used with one bit a cell, if there is one.
    pub slc: Option<SlcModel>,
    /// What the drive does while nobody asks for anything, if it does.
    pub idle: Option<IdleModel>,
    /// How it heats, if that matters.
    pub thermal: Option<ThermalModel>,
    /// What it draws and may draw, if that matters.
    pub power: Option<PowerModel>,
}

/// Whether data goes both ways at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplex {
    /// One direction at a time, like SATA.
    Half,
    /// Both directions, like PCI Express.
    Full,
}

/// The link to the host.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkModel {
    /// Bytes a second, in each direction.
    pub bytes_per_s: u64,
    /// What a command costs it besides its data, ns.
    pub command_ns: u64,
    /// Whether data goes both ways at a time.
    pub duplex: Duplex,
}

/// The controller.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerModel {
    /// How many commands it handles at a time.
    pub cores: u32,
    /// How long it takes for one, ns.
    pub command_ns: u64,
}

/// The write buffer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferModel {
    /// Its size, bytes.
    pub size_bytes: u64,
    /// Whether what lies in it survives a loss of power: then a flush has nothing to wait for.
    pub power_loss_protection: bool,
}

/// The media.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaModel {
    /// Channels.
    pub channels: u32,
    /// Dies on each.
    pub dies_per_channel: u32,
    /// Planes of a die, which program and erase together.
    pub planes_per_die: u32,
    /// A page of a plane, bytes.
    pub page_bytes: u32,
    /// Pages of a block of a plane.
    pub pages_per_block: u32,
    /// Bytes a second of a channel.
    pub channel_bytes_per_s: u64,
    /// The median time to read a page, ns.
    pub read_ns: u64,
    /// The deviation of the logarithm of that time, in thousandths.
    pub read_sigma_permille: u32,
    /// How many of a million reads are slow.
    pub read_slow_ppm: u32,
    /// How much longer those take.
    pub read_slow_factor: u32,
    /// The time to program a page on all planes, ns.
    pub program_ns: u64,
    /// The time to erase a block on all planes, ns.
    pub erase_ns: u64,
    /// Space for data beyond the capacity, in thousandths of it. What collection needs to go round comes on top.
    pub over_provisioning_permille: u32,
    /// How often a block may be erased.
    pub rated_erases: u32,
}

/// What a full SLC cache does with a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlcFull {
    /// It lets it pass to the main media, and is emptied while the drive is idle.
    Bypass,
    /// It makes room: its oldest data is folded into the main media first.
    Fold,
}

/// The SLC cache, in a part of the media of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcModel {
    /// Its size, bytes.
    pub size_bytes: u64,
    /// The median time to read a page, ns.
    pub read_ns: u64,
    /// The time to program a page on all planes, ns.
    pub program_ns: u64,
    /// What a write finds when it is full.
    pub when_full: SlcFull,
}

/// Background work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleModel {
    /// How long nothing must have been asked for before it begins, ns.
    pub delay_ns: u64,
    /// How much free space collection goes for, in thousandths of the capacity.
    pub spare_permille: u32,
}

/// Temperature, as of one body that cools by a time constant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalModel {
    /// What it has when idle for long, degrees Celsius.
    pub ambient_celsius: i16,
    /// What is added in the long run when all dies are busy, degrees.
    pub busy_rise_celsius: u16,
    /// The time in which it goes 63 % of the way, ns.
    pub time_constant_ns: u64,
    /// Where it begins to hold itself back, degrees Celsius. It ends three degrees below.
    pub limit_celsius: i16,
    /// How much longer everything takes then, in thousandths: 2000 is twice.
    pub stretch_permille: u32,
}

/// Power, and a limit to it: operations of the media begin later, so that the mean stays at or below it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerModel {
    /// What the drive draws while it does nothing, milliwatts.
    pub idle_mw: u64,
    /// What a die draws beyond that while it reads, milliwatts.
    pub read_mw: u64,
    /// The same while it programs.
    pub program_mw: u64,
    /// The same while it erases.
    pub erase_mw: u64,
    /// What link and controller draw beyond that while data moves in one direction, milliwatts.
    pub link_mw: u64,
    /// What the drive may draw, milliwatts.
    pub limit_mw: u64,
    /// The time over which that is meant, ns. It stays in a scaled drive.
    pub window_ns: u64,
}

const HOUR_NS: u64 = 3_600_000_000_000;
const TIB: u64 = 1 << 40;
/// The deviations at which the tail of reads ends, and somewhat more.
const DEVIATIONS_MAX: f64 = 4.0;
/// The operations of the media that a request brings about, at most: it has 16,384 pages, each of which moves some 50 of
/// others where there is least spare space.
const OPERATIONS_MAX: u64 = 1 << 20;
/// What the translation moves at a time.
pub const PAGE_BYTES: u64 = 4096;
/// What reads are never denied, of all that may be drawn above idle power.
pub const READS_PERCENT: u64 = 75;

impl SsdModel {
    // Refuses values out of their bounds, with the key, its value and what it may be.
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
        Ok(())
    }

    // All that one request, or a full buffer, has the media do, one after the other, has to end within a time that can be
    // counted.
    pub(super) fn check_longest(&self) -> Result<(), Failure> {
        let operations = OPERATIONS_MAX.max(self.buffer.size_bytes / PAGE_BYTES);
        let (longest_ns, most_ns) = (self.longest_ns(), BEHIND_NS_MAX / operations);
        if longest_ns <= most_ns.into() {
            return Ok(());
        }
        Err(refused(format!(
            "an operation of the media could take {longest_ns} ns, with its tail, heat and power; it goes up to {most_ns}"
        )))
    }

    // What the slowest operation of the media takes: the slowest read, a program or an erase, when it is hot, or when its
    // energy has to come in first.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below 2^63.
    fn longest_ns(&self) -> u128 {
        let (media, slc) = (&self.media, self.slc.as_ref());
        let spread = libm::ceil(libm::exp(f64::from(media.read_sigma_permille) / 1000.0 * DEVIATIONS_MAX)) as u128;
        let read_ns = u128::from(media.read_ns.max(slc.map_or(0, |slc| slc.read_ns)));
        let read_ns = read_ns * spread * u128::from(media.read_slow_factor);
        let write_ns = media.program_ns.max(media.erase_ns).max(slc.map_or(0, |slc| slc.program_ns));
        let longest_ns = read_ns.max(write_ns.into());
        let hot_ns =
            self.thermal.as_ref().map_or(0, |thermal| longest_ns * u128::from(thermal.stretch_permille) / 1000);
        let short_ns = self.power.as_ref().map_or(0, |power| power.longest_ns(longest_ns));
        longest_ns.max(hot_ns).saturating_add(short_ns)
    }
}

impl PowerModel {
    // How long the energy takes to come in for an operation that is so long, if only reads' part of it comes in.
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
        // The link waits for nothing, so that there must be something left for the media.
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
