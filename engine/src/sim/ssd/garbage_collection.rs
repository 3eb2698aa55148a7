//! Garbage collection (greedy), folding of the SLC cache, and background work while idle.
//!
//! The victim is the full block with the fewest valid pages. Each written page causes as many relocations as are needed
//! to keep the number of free blocks constant. This spreads the cost of collection evenly over writes, instead of
//! bursts of whole blocks.

use super::flash::{Flash, WritePoint};
use super::mapping::NONE;
use super::model::{IdleModel, SlcFull};

/// A die collects if it has this many free blocks or fewer.
const FREE_LOW: usize = 3;
/// A die with fewer free blocks than this has to free blocks before a write, because relocated pages need space.
const FREE_MIN: usize = 2;
/// Fixed-point unit of relocations per written page.
const RELOCATION_PARTS: u64 = 256;
/// Background collection skips blocks with a larger share of valid pages: they cost more wear than the space is worth.
const IDLE_VALID_PERCENT: u32 = 95;

impl Flash {
    /// Writes a logical page of the host that arrives at `at_ns`.
    pub fn write(&mut self, logical: u32, at_ns: u64) {
        if self.write_point == WritePoint::Open {
            self.advance_write_point();
        }
        let die = self.cursor;
        if self.write_point == WritePoint::Slc {
            self.append_slc(die, logical, at_ns);
            return;
        }
        self.append_host(die, logical, at_ns);
        self.collect_for(die, 1);
    }

    /// Background work of an idle drive from one time to another.
    pub fn work_in_background(&mut self, from_ns: u64, to_ns: u64, idle: &IdleModel) {
        self.now_ns = from_ns;
        let spare = u64::from(self.geometry.logical_pages) * u64::from(idle.spare_permille);
        let blocks = spare / (1000 * u64::from(self.geometry.dies) * u64::from(self.geometry.block_pages));
        let free_blocks = FREE_LOW + usize::try_from(blocks).expect("a number of blocks fits");
        for die in 0..self.geometry.dies {
            self.power.begin_idle(from_ns);
            while self.dies[die as usize].schedule.free_ns() < to_ns && self.step_idle(die, free_blocks) {}
        }
        self.power.end_idle();
    }

    // Moves the write point to the next die in round-robin order, skipping full dies.
    fn advance_write_point(&mut self) {
        let most = self.geometry.die_pages_most();
        loop {
            self.cursor = (self.cursor + 1) % self.geometry.dies;
            if self.dies[self.cursor as usize].valid < most {
                break;
            }
        }
        let die = self.cursor;
        if let Some(slc) = &self.slc {
            let when_full = slc.when_full;
            let is_full = self.dies[die as usize].slc_used == self.geometry.slc_die_units;
            if is_full && when_full == SlcFull::Fold {
                self.fold_unit(die);
            }
            if !is_full || when_full == SlcFull::Fold {
                self.write_point = WritePoint::Slc;
                return;
            }
        }
        self.make_room(die);
        self.write_point = WritePoint::Main;
    }

    // Folds the oldest unit of the die's SLC cache into the main media.
    fn fold_unit(&mut self, die: u32) {
        self.make_room(die);
        let units = self.geometry.slc_die_units;
        let unit_pages = self.geometry.unit_pages;
        let state = &self.dies[die as usize];
        let oldest = (state.slc_head + units - state.slc_used) % units;
        let mut at = self.slc_unit(die, oldest) * unit_pages;
        let end = at + unit_pages;
        let mut moved = 0;
        while let Some(physical) = self.mapping.next_valid(at, end) {
            if moved == 0 {
                self.read_for_relocation(die, self.slc.as_ref().map_or(0, |slc| slc.read_ns));
            }
            self.transfer_out(die);
            self.append_folded(die, physical, self.now_ns);
            at = physical + 1;
            moved += 1;
        }
        let state = &mut self.dies[die as usize];
        state.slc_used -= 1;
        state.slc_folded += 1;
        if state.slc_folded * unit_pages == self.geometry.block_pages * self.geometry.block_pieces {
            state.slc_folded = 0;
            self.erase(die);
        }
        self.collect_for(die, moved);
    }

    // Collects until enough blocks are free to write a unit.
    fn make_room(&mut self, die: u32) {
        while self.blocks.free(die) < FREE_MIN {
            self.relocate_page(die);
        }
    }

    // Collects in proportion to the pages written.
    fn collect_for(&mut self, die: u32, pages: u64) {
        if self.dies[die as usize].victim == NONE && (self.blocks.free(die) > FREE_LOW || !self.choose_victim(die)) {
            return;
        }
        let state = &mut self.dies[die as usize];
        state.relocations_due += pages * state.relocations_each;
        while self.dies[die as usize].relocations_due >= RELOCATION_PARTS && self.dies[die as usize].victim != NONE {
            self.dies[die as usize].relocations_due -= RELOCATION_PARTS;
            self.relocate_page(die);
        }
    }

    fn choose_victim(&mut self, die: u32) -> bool {
        let Some(victim) = self.blocks.take_victim(die) else { return false };
        let valid = self.blocks.valid(victim);
        let block_pages = self.geometry.block_pages;
        let gain = block_pages.saturating_sub(valid).max(1);
        let state = &mut self.dies[die as usize];
        state.victim = victim;
        state.victim_at = victim * block_pages;
        state.victim_unit = NONE;
        state.relocations_due = 0;
        // The final erase counts as one relocation.
        state.relocations_each = (u64::from(valid + 1) * RELOCATION_PARTS).div_ceil(u64::from(gain));
        true
    }

    // Relocates the next valid page of the victim, or erases it if none is left.
    fn relocate_page(&mut self, die: u32) {
        if self.dies[die as usize].victim == NONE && !self.choose_victim(die) {
            return;
        }
        let block_pages = self.geometry.block_pages;
        let state = &mut self.dies[die as usize];
        let (victim, from) = (state.victim, state.victim_at);
        let end = (victim + 1) * block_pages;
        let Some(physical) = (from < end).then(|| self.mapping.next_valid(from, end)).flatten() else {
            self.finish_victim(die);
            return;
        };
        state.victim_at = physical + 1;
        let unit = self.by_unit.quotient(physical);
        if state.victim_unit != unit {
            state.victim_unit = unit;
            self.read_for_relocation(die, self.media.read_ns);
        }
        self.transfer_out(die);
        self.append_relocated(die, victim, physical, self.now_ns);
    }

    fn finish_victim(&mut self, die: u32) {
        let state = &mut self.dies[die as usize];
        let victim = std::mem::replace(&mut state.victim, NONE);
        state.pieces += 1;
        if state.pieces == self.geometry.block_pieces {
            state.pieces = 0;
            self.erase(die);
        }
        self.blocks.free_block(victim);
    }

    // One step of background work; returns false if there is none.
    fn step_idle(&mut self, die: u32, free_blocks: usize) -> bool {
        if self.dies[die as usize].slc_used > 0 {
            self.fold_unit(die);
            return true;
        }
        if self.dies[die as usize].victim == NONE {
            let most = self.geometry.block_pages * IDLE_VALID_PERCENT / 100;
            if self.blocks.free(die) >= free_blocks || self.blocks.fewest_valid(die).is_none_or(|valid| valid > most) {
                return false;
            }
        }
        self.relocate_page(die);
        true
    }
}
