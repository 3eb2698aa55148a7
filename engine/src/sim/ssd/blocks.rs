//! Blocks by their number of valid pages, so that greedy garbage collection finds its victim in constant time.

use std::collections::VecDeque;

use crate::sim::StateHash;

const NONE: u32 = u32::MAX;
// A free block, the active block and the current victim are in no list.
const UNLISTED: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Block {
    valid: u32,
    next: u32,
    previous: u32,
}

/// All blocks of a drive. Each die has a doubly linked list for every number of valid pages.
#[derive(Clone, Debug)]
pub struct Blocks {
    pages: u32,
    each_die: u32,
    all: Vec<Block>,
    heads: Vec<u32>,
    // The die's lists below this number of valid pages are empty.
    lowest: Vec<u32>,
    free: Vec<VecDeque<u32>>,
}

impl Blocks {
    /// `each_die` free blocks for each die, with `pages` pages each.
    pub fn new(dies: u32, each_die: u32, pages: u32) -> Self {
        let block = Block { valid: 0, next: NONE, previous: UNLISTED };
        Self {
            pages,
            each_die,
            all: vec![block; dies as usize * each_die as usize],
            heads: vec![NONE; dies as usize * (pages as usize + 1)],
            lowest: vec![pages; dies as usize],
            free: (0..dies).map(|die| (die * each_die..(die + 1) * each_die).collect()).collect(),
        }
    }

    /// The number of free blocks of a die.
    #[inline]
    pub fn free(&self, die: u32) -> usize {
        self.free[die as usize].len()
    }

    /// Takes the block that has been free for longest, for even wear.
    pub fn take_free(&mut self, die: u32) -> u32 {
        self.free[die as usize].pop_front().expect("garbage collection keeps blocks free")
    }

    /// Returns a block to the free list after its erase.
    pub fn free_block(&mut self, block: u32) {
        debug_assert_eq!(self.all[block as usize].valid, 0);
        self.free[(block / self.each_die) as usize].push_back(block);
    }

    /// Makes a full block eligible as a victim.
    pub fn close(&mut self, die: u32, block: u32) {
        self.link(die, block);
    }

    /// The number of valid pages of a block.
    pub fn valid(&self, block: u32) -> u32 {
        self.all[block as usize].valid
    }

    /// The lowest number of valid pages of any full block of a die.
    pub fn fewest_valid(&mut self, die: u32) -> Option<u32> {
        let first = die as usize * (self.pages as usize + 1);
        let lowest = self.lowest[die as usize];
        let found = (lowest..=self.pages).find(|&valid| self.heads[first + valid as usize] != NONE);
        self.lowest[die as usize] = found.unwrap_or(self.pages);
        found
    }

    /// Takes the full block with the fewest valid pages as the victim.
    pub fn take_victim(&mut self, die: u32) -> Option<u32> {
        let valid = self.fewest_valid(die)?;
        let block = self.heads[self.head(die, valid)];
        self.unlink(die, block);
        Some(block)
    }

    /// Counts a page written to the block.
    #[inline]
    pub fn add_valid(&mut self, block: u32) {
        self.all[block as usize].valid += 1;
    }

    /// Counts a page of the block that became invalid.
    #[inline]
    pub fn drop_valid(&mut self, die: u32, block: u32) {
        let listed = self.all[block as usize].previous != UNLISTED;
        if listed {
            self.unlink(die, block);
        }
        self.all[block as usize].valid -= 1;
        if listed {
            self.link(die, block);
        }
    }

    /// The size of the tables that grow with the drive, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.all[..]) + size_of_val(&self.heads[..]) + self.all.len() * size_of::<u32>()
    }

    /// Adds the state to a hash. The order in each list matters, because it determines the next victim.
    pub fn add_to(&self, hash: &mut StateHash) {
        for block in &self.all {
            hash.add((u64::from(block.valid) << 32) | u64::from(block.next));
        }
        for head in &self.heads {
            hash.add(u64::from(*head));
        }
        for block in self.free.iter().flatten() {
            hash.add(u64::from(*block));
        }
    }

    #[inline]
    fn head(&self, die: u32, valid: u32) -> usize {
        die as usize * (self.pages as usize + 1) + valid as usize
    }

    #[inline]
    fn link(&mut self, die: u32, block: u32) {
        let valid = self.all[block as usize].valid;
        let head = self.head(die, valid);
        let next = self.heads[head];
        if next != NONE {
            self.all[next as usize].previous = block;
        }
        self.heads[head] = block;
        self.all[block as usize].next = next;
        self.all[block as usize].previous = NONE;
        let lowest = &mut self.lowest[die as usize];
        *lowest = (*lowest).min(valid);
    }

    #[inline]
    fn unlink(&mut self, die: u32, block: u32) {
        let Block { valid, next, previous } = self.all[block as usize];
        if next != NONE {
            self.all[next as usize].previous = previous;
        }
        if previous == NONE {
            let head = self.head(die, valid);
            self.heads[head] = next;
        } else {
            self.all[previous as usize].next = next;
        }
        self.all[block as usize].next = NONE;
        self.all[block as usize].previous = UNLISTED;
    }
}
