//! The flash media and the translation layer: placement, timing and reads of pages.

use super::blocks::Blocks;
use super::bus::{Bus, TransferRate};
use super::die::Die;
use super::divisor::Divisor;
use super::geometry::Geometry;
use super::mapping::{Mapping, NONE};
use super::model::PAGE_BYTES;
use super::model::{MediaModel, SlcModel, SsdModel};
use super::power::{MediaOperation, Power};
use super::schedule::NOTHING;
use super::tail::Tail;
use super::thermal::FULL_SPEED;
use crate::random::Random;
use crate::sim::StateHash;

/// The destination of the unit that host pages are filling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePoint {
    /// Not chosen yet.
    Open,
    /// The die's SLC cache.
    Slc,
    /// The die's main media.
    Main,
}

/// Media counters since manufacture.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wear {
    /// Programmed pages, including padding.
    pub pages: u64,
    /// Erased blocks.
    pub erases: u64,
}

/// The media.
#[derive(Clone, Debug)]
pub struct Flash {
    pub geometry: Geometry,
    pub media: MediaModel,
    pub slc: Option<SlcModel>,
    pub mapping: Mapping,
    pub blocks: Blocks,
    pub dies: Vec<Die>,
    pub write_point: WritePoint,
    pub cursor: u32,
    /// Arrival time of the current request.
    pub now_ns: u64,
    /// Slowdown of all durations, in thousandths.
    pub slowdown: u64,
    /// Busy time of dies that is not yet accounted as heat.
    pub busy_ns: u64,
    /// The power budget, which delays operations.
    pub power: Power,
    /// Units being programmed: completion time, and number of host pages.
    pub issued: Vec<(u64, u64)>,
    pub wear: Wear,
    main_pages: u32,
    pub by_unit: Divisor,
    by_block: Divisor,
    by_die_blocks: Divisor,
    channels: Vec<Bus>,
    channel_rate: TransferRate,
    tail: Tail,
}

impl Flash {
    /// Media in its factory state.
    pub fn new(model: &SsdModel) -> Self {
        let geometry = Geometry::new(model);
        let media = &model.media;
        Self {
            geometry,
            mapping: Mapping::new(geometry.logical_pages, geometry.physical_pages()),
            blocks: Blocks::new(geometry.dies, geometry.die_blocks, geometry.block_pages),
            dies: vec![Die::new(); geometry.dies as usize],
            write_point: WritePoint::Open,
            cursor: 0,
            now_ns: 0,
            slowdown: FULL_SPEED,
            busy_ns: 0,
            power: Power::new(model, geometry.dies),
            issued: Vec::new(),
            wear: Wear::default(),
            main_pages: geometry.main_pages(),
            by_unit: Divisor::new(geometry.unit_pages),
            by_block: Divisor::new(geometry.block_pages),
            by_die_blocks: Divisor::new(geometry.die_blocks),
            channels: vec![Bus::default(); geometry.channels as usize],
            channel_rate: TransferRate::new(media.channel_bytes_per_s),
            tail: Tail::new(media.read_sigma_permille, media.read_slow_ppm, media.read_slow_factor),
            media: media.clone(),
            slc: model.slc.clone(),
        }
    }

    /// Reads logical pages. Returns when the last of them has been transferred over its channel; `at_ns` if none is on
    /// the media.
    #[inline]
    pub fn read(&mut self, at_ns: u64, first: u32, count: u32, random: &mut Random) -> u64 {
        let mut ready_ns = at_ns;
        let mut number = 0;
        while number < count {
            let physical = self.mapping.physical(first + number);
            number += 1;
            if physical == NONE {
                continue;
            }
            // Pages of one program unit are read together.
            let unit = self.by_unit.quotient(physical);
            let mut together = 1;
            while number < count && self.by_unit.quotient(self.mapping.physical(first + number)) == unit {
                number += 1;
                together += 1;
            }
            ready_ns = ready_ns.max(self.read_unit(at_ns, physical, together, random));
        }
        ready_ns
    }

    /// Appends a host page to the main media of a die.
    pub fn append_host(&mut self, die: u32, logical: u32, at_ns: u64) {
        self.dies[die as usize].host_pages += 1;
        let old = self.mapping.physical(logical);
        if old != NONE {
            self.invalidate(old);
        }
        self.append(die, logical, at_ns);
    }

    /// Appends a page relocated from the victim of the same die.
    #[inline]
    pub fn append_relocated(&mut self, die: u32, block: u32, old: u32, at_ns: u64) {
        let logical = self.mapping.logical(old);
        self.mapping.invalidate(old);
        self.dies[die as usize].valid -= 1;
        self.blocks.drop_valid(die, block);
        self.append(die, logical, at_ns);
    }

    /// Appends a page folded from the SLC cache of the same die.
    pub fn append_folded(&mut self, die: u32, old: u32, at_ns: u64) {
        let logical = self.mapping.logical(old);
        self.invalidate(old);
        self.append(die, logical, at_ns);
    }

    // Appends a logical page without a valid copy to the main media of a die.
    #[inline]
    fn append(&mut self, die: u32, logical: u32, at_ns: u64) {
        let block_pages = self.geometry.block_pages;
        let state = &mut self.dies[die as usize];
        if state.block == NONE {
            state.block = self.blocks.take_free(die);
            state.filled = 0;
        }
        let (block, filled) = (state.block, state.filled);
        state.filled += 1;
        self.blocks.add_valid(block);
        self.place(die, logical, block * block_pages + filled);
        let unit_pages = self.geometry.unit_pages;
        if self.by_unit.quotient(filled + 1) * unit_pages == filled + 1 {
            self.program_main(die, at_ns);
        }
    }

    /// Appends a logical page to the SLC cache of a die.
    pub fn append_slc(&mut self, die: u32, logical: u32, at_ns: u64) {
        let unit_pages = self.geometry.unit_pages;
        let state = &mut self.dies[die as usize];
        let filled = state.slc_filled;
        let physical = self.slc_unit(die, self.dies[die as usize].slc_head) * unit_pages + filled;
        self.dies[die as usize].slc_filled += 1;
        let old = self.mapping.physical(logical);
        if old != NONE {
            self.invalidate(old);
        }
        self.place(die, logical, physical);
        if filled + 1 == unit_pages {
            self.program_slc(die, at_ns, 0);
        }
    }

    /// Pads the unit that host pages are filling, so that it is programmed.
    pub fn pad(&mut self, at_ns: u64) {
        let unit_pages = self.geometry.unit_pages;
        let die = &mut self.dies[self.cursor as usize];
        let missing = match self.write_point {
            WritePoint::Open => return,
            WritePoint::Slc => unit_pages - die.slc_filled,
            WritePoint::Main => unit_pages - die.filled % unit_pages,
        };
        self.wear.pages += u64::from(missing);
        if self.write_point == WritePoint::Slc {
            die.slc_filled += missing;
            self.program_slc(self.cursor, at_ns, missing);
        } else {
            die.filled += missing;
            self.program_main(self.cursor, at_ns);
        }
    }

    /// Unmaps a logical page.
    pub fn trim(&mut self, logical: u32) {
        let physical = self.mapping.physical(logical);
        if physical != NONE {
            self.invalidate(physical);
            self.mapping.forget(logical);
        }
    }

    /// Occupies a die with a read for relocation or folding.
    pub fn read_for_relocation(&mut self, die: u32, length_ns: u64) {
        self.work(MediaOperation::Relocate, die, length_ns);
    }

    /// Transfers a page from a die over its channel.
    pub fn transfer_out(&mut self, die: u32) {
        let length_ns = self.slowed(self.channel_rate.ns(PAGE_BYTES));
        self.channels[(die % self.geometry.channels) as usize].transfer(self.now_ns, length_ns);
    }

    /// Occupies a die with an erase.
    pub fn erase(&mut self, die: u32) {
        self.wear.erases += 1;
        self.work(MediaOperation::Erase, die, self.media.erase_ns);
    }

    /// The number of an SLC unit among all units.
    pub fn slc_unit(&self, die: u32, unit: u32) -> u32 {
        self.geometry.main_pages() / self.geometry.unit_pages + die * self.geometry.slc_die_units + unit
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        self.mapping.add_to(hash);
        self.blocks.add_to(hash);
        self.dies.iter().for_each(|die| die.add_to(hash));
        self.channels.iter().for_each(|channel| channel.add_to(hash));
        for word in [self.write_point as u64, u64::from(self.cursor), self.slowdown, self.busy_ns] {
            hash.add(word);
        }
    }

    // Occupies a die with work that does not wait for data.
    fn work(&mut self, operation: MediaOperation, die: u32, length_ns: u64) {
        self.busy_ns = self.busy_ns.saturating_add(length_ns);
        let at_ns = self.begin(operation, die, self.now_ns, length_ns);
        let length_ns = self.slowed(length_ns);
        self.dies[die as usize].schedule.work(self.now_ns, at_ns, length_ns, NOTHING);
    }

    // The start time of an operation on a die, after all that is scheduled there, within the power budget.
    #[inline]
    fn begin(&mut self, operation: MediaOperation, die: u32, at_ns: u64, length_ns: u64) -> u64 {
        let at_ns = at_ns.max(self.dies[die as usize].schedule.free_ns());
        self.start_within_power(operation, at_ns, length_ns)
    }

    // The start time of an operation within the power budget. A delay during thermal throttling is not accounted as
    // power throttling.
    #[inline]
    fn start_within_power(&mut self, operation: MediaOperation, at_ns: u64, length_ns: u64) -> u64 {
        self.power.begin(operation, self.now_ns, at_ns, length_ns, self.slowdown == FULL_SPEED)
    }

    #[inline]
    fn place(&mut self, die: u32, logical: u32, physical: u32) {
        self.mapping.place(logical, physical);
        self.dies[die as usize].valid += 1;
        self.wear.pages += 1;
    }

    #[inline]
    fn invalidate(&mut self, physical: u32) {
        self.mapping.invalidate(physical);
        if physical < self.main_pages {
            let block = self.by_block.quotient(physical);
            let die = self.by_die_blocks.quotient(block);
            self.dies[die as usize].valid -= 1;
            self.blocks.drop_valid(die, block);
        } else {
            let die = self.die_of(physical);
            self.dies[die as usize].valid -= 1;
        }
    }

    fn program_main(&mut self, die: u32, at_ns: u64) {
        let Geometry { block_pages, unit_pages, .. } = self.geometry;
        let state = &mut self.dies[die as usize];
        let unit = (state.block * block_pages + state.filled) / unit_pages - 1;
        state.last_block = state.block;
        if state.filled == block_pages {
            self.blocks.close(die, state.block);
            state.block = NONE;
        }
        let host_pages = std::mem::take(&mut state.host_pages);
        self.program(die, at_ns, self.media.program_ns, unit, host_pages);
    }

    // Programs the current SLC unit. `padding` counts pages that were never in the write buffer.
    fn program_slc(&mut self, die: u32, at_ns: u64, padding: u32) {
        let Some(slc) = &self.slc else { return };
        let program_ns = slc.program_ns;
        let unit = self.slc_unit(die, self.dies[die as usize].slc_head);
        let state = &mut self.dies[die as usize];
        state.slc_filled = 0;
        state.slc_used += 1;
        state.slc_head = (state.slc_head + 1) % self.geometry.slc_die_units;
        self.program(die, at_ns, program_ns, unit, u64::from(self.geometry.unit_pages - padding));
    }

    fn program(&mut self, die: u32, at_ns: u64, length_ns: u64, unit: u32, host_pages: u64) {
        if die == self.cursor {
            self.write_point = WritePoint::Open;
        }
        self.busy_ns = self.busy_ns.saturating_add(length_ns);
        let transfer_ns = self.slowed(self.channel_rate.ns(u64::from(self.geometry.unit_pages) * PAGE_BYTES));
        let channel = &mut self.channels[(die % self.geometry.channels) as usize];
        let there_ns = channel.transfer_later(self.now_ns, at_ns, transfer_ns);
        let there_ns = self.begin(MediaOperation::Program, die, there_ns, length_ns);
        let length_ns = self.slowed(length_ns);
        let done_ns = self.dies[die as usize].schedule.work(self.now_ns, there_ns, length_ns, unit);
        if host_pages > 0 {
            self.issued.push((done_ns, host_pages));
        }
    }

    #[inline]
    fn read_unit(&mut self, at_ns: u64, physical: u32, pages: u64, random: &mut Random) -> u64 {
        let die = self.die_of(physical);
        if self.is_buffered(die, physical) {
            return at_ns;
        }
        let median_ns = match &self.slc {
            Some(slc) if physical >= self.main_pages => slc.read_ns,
            _ => self.media.read_ns,
        };
        let read_ns = self.tail.draw(random, median_ns);
        self.busy_ns = self.busy_ns.saturating_add(read_ns);
        let begin_ns = self.start_within_power(MediaOperation::Read, at_ns, read_ns);
        let read_ns = self.slowed(read_ns);
        let read_ns = self.dies[die as usize].schedule.read(begin_ns, read_ns);
        let transfer_ns = self.slowed(self.channel_rate.ns(pages * PAGE_BYTES));
        self.channels[(die % self.geometry.channels) as usize].transfer_later(at_ns, read_ns, transfer_ns)
    }

    // Pages that are not yet on the media are read from the write buffer.
    #[inline]
    fn is_buffered(&self, die: u32, physical: u32) -> bool {
        let unit_pages = self.geometry.unit_pages;
        let state = &self.dies[die as usize];
        let unit = self.by_unit.quotient(physical);
        if physical < self.main_pages {
            let block_pages = self.geometry.block_pages;
            let block = self.by_block.quotient(physical);
            let is_open = block == state.block
                && physical - block * block_pages >= self.by_unit.quotient(state.filled) * unit_pages;
            return is_open
                || ((block == state.block || block == state.last_block)
                    && state.schedule.is_writing(self.now_ns, unit));
        }
        let is_open = state.slc_filled > 0 && unit == self.slc_unit(die, state.slc_head);
        is_open || state.schedule.is_writing(self.now_ns, unit)
    }

    #[inline]
    fn die_of(&self, physical: u32) -> u32 {
        let Geometry { unit_pages, slc_die_units, .. } = self.geometry;
        if physical < self.main_pages {
            self.by_die_blocks.quotient(self.by_block.quotient(physical))
        } else {
            (physical - self.main_pages) / (slc_die_units * unit_pages)
        }
    }

    #[inline]
    fn slowed(&self, length_ns: u64) -> u64 {
        length_ns * self.slowdown / FULL_SPEED
    }
}
