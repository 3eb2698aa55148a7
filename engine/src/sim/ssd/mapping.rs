//! Page mapping between logical and physical pages of 4 KiB.

use super::prefetch::prefetch;
use crate::sim::StateHash;

/// No page.
pub const NONE: u32 = u32::MAX;

/// The mapping tables: 8 bytes and a bit per physical page.
#[derive(Clone, Debug)]
pub struct Mapping {
    physical: Vec<u32>,
    logical: Vec<u32>,
    valid: Vec<u64>,
}

impl Mapping {
    /// The mapping of a drive in its factory state.
    pub fn new(logical_pages: u32, physical_pages: u32) -> Self {
        Self {
            physical: vec![NONE; logical_pages as usize],
            logical: vec![NONE; physical_pages as usize],
            valid: vec![0; (physical_pages as usize).div_ceil(64)],
        }
    }

    /// The physical page of a logical one, or NONE.
    #[inline]
    pub fn physical(&self, logical: u32) -> u32 {
        self.physical[logical as usize]
    }

    /// Prefetches the entry of a logical page. It is rarely in the CPU cache, and a miss takes as long as the rest of a
    /// request.
    #[inline]
    pub fn prefetch(&self, logical: u32) {
        prefetch(&self.physical, logical as usize);
    }

    /// The logical page of a valid physical one.
    #[inline]
    pub fn logical(&self, physical: u32) -> u32 {
        self.logical[physical as usize]
    }

    /// Maps a logical page to a physical one.
    #[inline]
    pub fn place(&mut self, logical: u32, physical: u32) {
        self.physical[logical as usize] = physical;
        self.logical[physical as usize] = logical;
        self.valid[physical as usize / 64] |= 1 << (physical % 64);
    }

    /// Marks a physical page as invalid.
    #[inline]
    pub fn invalidate(&mut self, physical: u32) {
        self.valid[physical as usize / 64] &= !(1 << (physical % 64));
    }

    /// Unmaps a logical page.
    pub fn forget(&mut self, logical: u32) {
        self.physical[logical as usize] = NONE;
    }

    /// The first valid physical page in a range.
    #[inline]
    pub fn next_valid(&self, from: u32, before: u32) -> Option<u32> {
        let mut word = from / 64;
        let mut bits = self.valid.get(word as usize)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            if word * 64 >= before {
                return None;
            }
            bits = self.valid[word as usize];
        }
        let found = word * 64 + bits.trailing_zeros();
        (found < before).then_some(found)
    }

    /// The size of the tables in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.physical[..]) + size_of_val(&self.logical[..]) + size_of_val(&self.valid[..])
    }

    /// The number of physical pages.
    pub fn physical_pages(&self) -> usize {
        self.logical.len()
    }

    /// Adds the state to a hash. The reverse table follows from it.
    pub fn add_to(&self, hash: &mut StateHash) {
        for physical in &self.physical {
            hash.add(u64::from(*physical));
        }
    }
}
