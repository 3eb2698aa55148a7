//! Sizes derived from a model, in pages of 4 KiB, the unit of translation.

use super::model::{PAGE_BYTES, SsdModel};
use crate::failure::Failure;
use crate::sim::bounds::refused;

/// Blocks of a die reserved for garbage collection: the active block and free ones.
pub const SPARE_BLOCKS: u32 = 4;
// The minimum number of blocks of a die for effective greedy collection.
const DATA_BLOCKS_MIN: u64 = 64;
// Physical page numbers have 32 bits, and a few values are reserved.
const PHYSICAL_PAGES_MAX: u64 = 0xffff_0000;
// Blocks are not split below this size: with fewer pages, collection finds better victims than in a real drive.
const BLOCK_PAGES_MIN: u64 = 128;

/// Sizes. Blocks, units and pages are numbered die after die; the SLC cache comes after the main media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Capacity for the host.
    pub logical_pages: u32,
    /// Dies.
    pub dies: u32,
    /// Channels. Die n is on channel n modulo this number.
    pub channels: u32,
    /// The program unit of a die.
    pub unit_pages: u32,
    /// The size of a block over all planes, or of a piece of such a block in a scaled drive.
    pub block_pages: u32,
    /// Pieces of a block that share an erase.
    pub block_pieces: u32,
    /// Blocks per die.
    pub die_blocks: u32,
    /// SLC program units per die.
    pub slc_die_units: u32,
}

impl SsdModel {
    /// Rejects a model that cannot be simulated, with the key, its value and the valid range.
    pub fn check(&self) -> Result<(), Failure> {
        self.check_values()?;
        Geometry::check(self)?;
        self.check_longest()
    }

    /// The memory of a drive of a checked model, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        Geometry::new(self).memory_bytes()
    }
}

impl Geometry {
    /// The sizes of a checked model.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // Checked.
    pub fn new(model: &SsdModel) -> Self {
        let wide = Wide::new(model);
        Self {
            logical_pages: wide.logical_pages as u32,
            dies: wide.dies as u32,
            channels: model.media.channels,
            unit_pages: wide.unit_pages as u32,
            block_pages: wide.block_pages as u32,
            block_pieces: wide.block_pieces as u32,
            die_blocks: wide.die_blocks as u32,
            slc_die_units: wide.slc_die_units as u32,
        }
    }

    /// Rejects drives with more pages than 32-bit page numbers allow, or with too few blocks per die.
    pub fn check(model: &SsdModel) -> Result<(), Failure> {
        let wide = Wide::new(model);
        let scale = model.capacity_scale;
        if wide.physical_pages() > PHYSICAL_PAGES_MAX {
            let most = PHYSICAL_PAGES_MAX * PAGE_BYTES;
            return Err(refused(format!(
                "capacity_bytes with all spare space is {} at capacity_scale {scale}; the maximum is {most}",
                wide.physical_pages() * PAGE_BYTES
            )));
        }
        let blocks = wide.die_blocks - u64::from(SPARE_BLOCKS);
        if blocks < DATA_BLOCKS_MIN {
            return Err(refused(format!(
                "capacity_scale is {scale}; a die then has {blocks} blocks for data, but needs {DATA_BLOCKS_MIN}"
            )));
        }
        Ok(())
    }

    /// The memory of the translation tables, validity bitmap and block lists.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let [logical, physical, dies] = [self.logical_pages, self.physical_pages(), self.dies].map(u64::from);
        let blocks = dies * u64::from(self.die_blocks);
        4 * (logical + physical) + physical / 8 + 16 * blocks + dies * (4 * u64::from(self.block_pages) + 1024)
    }

    /// Pages of the main media.
    #[must_use]
    pub fn main_pages(&self) -> u32 {
        self.dies * self.die_blocks * self.block_pages
    }

    /// Pages of the main media and the SLC cache.
    #[must_use]
    pub fn physical_pages(&self) -> u32 {
        self.main_pages() + self.dies * self.slc_die_units * self.unit_pages
    }

    /// The maximum number of valid pages of a die. It ensures that every victim has invalid pages.
    #[must_use]
    pub fn die_pages_most(&self) -> u32 {
        (self.die_blocks - SPARE_BLOCKS) * self.block_pages - self.block_pages / 2
    }
}

struct Wide {
    logical_pages: u64,
    dies: u64,
    unit_pages: u64,
    block_pages: u64,
    block_pieces: u64,
    die_blocks: u64,
    slc_die_units: u64,
}

impl Wide {
    fn new(model: &SsdModel) -> Self {
        let media = &model.media;
        let dies = u64::from(media.channels) * u64::from(media.dies_per_channel);
        let scale = u64::from(model.capacity_scale);
        let logical_pages = model.capacity_bytes / scale / PAGE_BYTES;
        let unit_pages = u64::from(media.page_bytes) * u64::from(media.planes_per_die) / PAGE_BYTES;
        let die_pages = (logical_pages * (1000 + u64::from(media.over_provisioning_permille))).div_ceil(1000 * dies);
        let (mut block_units, mut block_pieces) = (u64::from(media.pages_per_block), 1);
        while die_pages < DATA_BLOCKS_MIN * block_units * unit_pages
            && block_units.is_multiple_of(2)
            && block_units / 2 * unit_pages >= BLOCK_PAGES_MIN
        {
            block_units /= 2;
            block_pieces *= 2;
        }
        let block_pages = block_units * unit_pages;
        let slc_bytes = model.slc.as_ref().map_or(0, |slc| slc.size_bytes);
        Self {
            logical_pages,
            dies,
            unit_pages,
            block_pages,
            block_pieces,
            die_blocks: die_pages.div_ceil(block_pages) + u64::from(SPARE_BLOCKS),
            slc_die_units: slc_bytes / scale / (dies * unit_pages * PAGE_BYTES),
        }
    }

    fn physical_pages(&self) -> u64 {
        self.dies * (self.die_blocks * self.block_pages + self.slc_die_units * self.unit_pages)
    }
}
