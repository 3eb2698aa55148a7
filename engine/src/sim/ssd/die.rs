//! The state of a die for translation and garbage collection.

use super::mapping::NONE;
use super::schedule::DieSchedule;
use crate::sim::StateHash;

/// A die: its schedule, its active block and its current victim.
#[derive(Clone, Debug)]
pub struct Die {
    pub schedule: DieSchedule,
    pub valid: u32,
    pub block: u32,
    pub filled: u32,
    pub last_block: u32,
    pub host_pages: u64,
    pub victim: u32,
    pub victim_at: u32,
    pub victim_unit: u32,
    pub relocations_each: u64,
    pub relocations_due: u64,
    pub pieces: u32,
    pub slc_head: u32,
    pub slc_used: u32,
    pub slc_filled: u32,
    pub slc_folded: u32,
}

impl Die {
    /// A die in its factory state.
    pub fn new() -> Self {
        Self {
            schedule: DieSchedule::default(),
            valid: 0,
            block: NONE,
            filled: 0,
            last_block: NONE,
            host_pages: 0,
            victim: NONE,
            victim_at: 0,
            victim_unit: NONE,
            relocations_each: 0,
            relocations_due: 0,
            pieces: 0,
            slc_head: 0,
            slc_used: 0,
            slc_filled: 0,
            slc_folded: 0,
        }
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        self.schedule.add_to(hash);
        let words = [self.block, self.filled, self.victim, self.victim_at, self.pieces];
        let slc = [self.slc_head, self.slc_used, self.slc_filled, self.slc_folded];
        for word in words.into_iter().chain(slc) {
            hash.add(u64::from(word));
        }
        for word in [self.host_pages, self.relocations_each, self.relocations_due] {
            hash.add(word);
        }
    }
}
