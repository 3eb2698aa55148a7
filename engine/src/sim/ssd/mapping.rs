//! Where each logical page of 4 KiB lies, and what each physical one holds.

use super::prefetch::prefetch;
use crate::sim::StateHash;

/// No page.
pub const NONE: u32 = u32::MAX;

/// The translation: 8 bytes and a bit for a physical page.
#[derive(Clone, Debug)]
pub struct Mapping {
    physical: Vec<u32>,
    logical: Vec<u32>,
    valid: Vec<u64>,
}

impl Mapping {
    /// A translation of a drive that was never written.
    pub fn new(logical_pages: u32, physical_pages: u32) -> Self {
        Self {
            physical: vec![NONE; logical_pages as usize],
            logical: vec![NONE; physical_pages as usize],
            valid: vec![0; (physical_pages as usize).div_ceil(64)],
        }
    }

    /// Where a logical page lies, or NONE.
    #[inline]
    pub fn physical(&self, logical: u32) -> u32 {
        self.physical[logical as usize]
    }

    /// Says that somebody will soon ask where a logical page lies: that is seldom in the cache, and takes as long to come
    /// as all else in a request.
    #[inline]
    pub fn expect(&self, logical: u32) {
        prefetch(&self.physical, logical as usize);
    }

    /// What a physical page that is valid holds.
    #[inline]
    pub fn logical(&self, physical: u32) -> u32 {
        self.logical[physical as usize]
    }

    /// Says that a logical page lies there from now on.
    #[inline]
    pub fn place(&mut self, logical: u32, physical: u32) {
        self.physical[logical as usize] = physical;
        self.logical[physical as usize] = logical;
        self.valid[physical as usize / 64] |= 1 << (physical % 64);
    }

    /// Says that a physical page holds nothing any more.
    #[inline]
    pub fn invalidate(&mut self, physical: u32) {
        self.valid[physical as usize / 64] &= !(1 << (physical % 64));
    }

    /// Says that a logical page lies nowhere.
    pub fn forget(&mut self, logical: u32) {
        self.physical[logical as usize] = NONE;
    }

    /// The first valid physical page from one on, before another.
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

    /// The bytes of the tables.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.physical[..]) + size_of_val(&self.logical[..]) + size_of_val(&self.valid[..])
    }

    /// How many physical pages it has.
    pub fn physical_pages(&self) -> usize {
        self.logical.len()
    }

    /// Adds it to a hash. What physical pages hold follows from it.
    pub fn add_to(&self, hash: &mut StateHash) {
        for physical in &self.physical {
            hash.add(u64::from(*physical));
        }
    }
}
