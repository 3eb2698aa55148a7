//! The memory that operations read into and write from.

use std::ptr::NonNull;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::job::{Data, Job};
use crate::random::below;

/// Memory pages, and the step at which each write is made unique: no deduplication works on less than 4 KiB.
const PAGE_BYTES: usize = 4096;
/// Random data that all slots of a job share out among themselves. Writes start at a random page of their slot's part, so
/// that a run of small writes is not the same few blocks again and again: of 128 KiB in 4 KiB writes, 3 % repeat. Larger
/// pools fall out of the caches, and on a virtual disk, where the host copies, that cost writes up to 8 % of throughput.
const POOL_BYTES: usize = 2 << 20;
/// The least of it that one slot gets.
const POOL_BYTES_MIN: usize = 16 << 10;

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into memory.
    Read,
    /// Out of memory.
    Write,
}

/// An anonymous, page-aligned stretch of memory, given back when dropped.
#[derive(Debug)]
pub struct Region {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the region owns its mapping, and nothing in it is tied to the thread that made it.
unsafe impl Send for Region {}

impl Region {
    /// Maps `length` zeroed bytes (at least one page).
    pub fn new(length: usize) -> std::io::Result<Self> {
        let length = length.next_multiple_of(PAGE_BYTES).max(PAGE_BYTES);
        // SAFETY: a new anonymous mapping at an address of the kernel's choice aliases nothing.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
        };
        let start = NonNull::new(start.cast()).ok_or_else(|| std::io::Error::other("mmap gave address 0"))?;
        Ok(Self { start, length })
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Bytes in all.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: start and length are those of the mapping, and the owner is going away. A failure leaks memory only.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

// What lies where in a slot's stretch of memory.
struct Layout {
    write_base: usize,
    pool: usize,
    stride_bytes: usize,
}

impl Layout {
    fn of(job: &Job) -> Self {
        let reserve = (job.block_size_bytes as usize).next_multiple_of(PAGE_BYTES);
        let pool = if job.writes() {
            (POOL_BYTES / job.in_flight() as usize).max(POOL_BYTES_MIN).next_multiple_of(PAGE_BYTES)
        } else {
            0
        };
        let write_base = if job.reads() { reserve } else { 0 };
        Self { write_base, pool, stride_bytes: write_base + if job.writes() { reserve + pool } else { 0 } }
    }
}

/// The buffers of one worker: for each slot one to read into and a pool of random data to write from.
///
/// A slot's memory belongs to its operation while that is in flight, so data never changes under the kernel's hands
/// (file systems that checksum would call that corruption).
#[derive(Debug)]
pub struct Payload {
    region: Region,
    // The step of the block sizes: whatever lies in a whole number of them lies in every block.
    unit_bytes: usize,
    stride_bytes: usize,
    write_base: usize,
    places: u64,
    data: Data,
    random: Xoshiro256PlusPlus,
}

impl Payload {
    /// Maps and fills the buffers of a worker's `slots` slots, each worker's with data of its own. All are aligned to pages, which is as much as any device asks.
    pub fn new(job: &Job, slots: u32, worker: u32) -> std::io::Result<Self> {
        let Layout { write_base, pool, stride_bytes } = Layout::of(job);
        let mut payload = Self {
            region: Region::new(stride_bytes * slots as usize)?,
            unit_bytes: usize::try_from(job.step_bytes()).map_or(PAGE_BYTES, |step| step.min(PAGE_BYTES)),
            stride_bytes,
            write_base,
            places: (pool / PAGE_BYTES) as u64 + 1,
            data: job.data,
            random: Xoshiro256PlusPlus::seed_from_u64(!(job.seed ^ (u64::from(worker) << 32))),
        };
        payload.fill();
        Ok(payload)
    }

    // Reads are given random data to land on as well: the pages must be there before the loop starts.
    fn fill(&mut self) {
        let length = self.region.length();
        // SAFETY: the mapping is `length` bytes long, initialised by the kernel, and borrowed by nobody else here.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.region.start(), length) };
        self.random.fill_bytes(bytes);
        let zeros_from = match self.data {
            Data::Random => return,
            Data::Compressible => self.unit_bytes / 2,
            Data::Zeros => 0,
        };
        // Blocks start on page boundaries, and so do the units that they are made of.
        for page in bytes.chunks_mut(PAGE_BYTES) {
            for unit in page.chunks_mut(self.unit_bytes) {
                let from = zeros_from.min(unit.len());
                unit[from..].fill(0);
            }
        }
    }

    /// The memory that each slot of a job takes.
    #[must_use]
    pub fn slot_bytes(job: &Job) -> u64 {
        Layout::of(job).stride_bytes as u64
    }

    /// The memory for a slot's next operation, of at most the largest block. A write gets random data that was not
    /// written before: another place in the pool, and each 4 KiB of it stamped anew.
    #[inline]
    pub fn prepare(&mut self, slot: u32, direction: Direction, length_bytes: u32) -> *mut u8 {
        let base = slot as usize * self.stride_bytes;
        debug_assert!(base + self.stride_bytes <= self.region.length());
        if direction == Direction::Read {
            // SAFETY: the slot's stretch lies within the region, by the assertion above.
            return unsafe { self.region.start().add(base) };
        }
        #[allow(clippy::cast_possible_truncation)] // Below `places`, which came from a usize.
        let place = below(self.random.next_u64(), self.places) as usize * PAGE_BYTES;
        // SAFETY: write_base + place + the largest block is at most stride_bytes, and the slot's stretch is in the region.
        let start = unsafe { self.region.start().add(base + self.write_base + place) };
        if self.data == Data::Zeros {
            return start;
        }
        for page in (0..length_bytes as usize).step_by(PAGE_BYTES) {
            let stamp = self.random.next_u64();
            // SAFETY: blocks are a multiple of 512 bytes, so 8 bytes fit behind every page start within the block;
            // the slot has no operation in flight, so nobody else looks at this memory.
            unsafe { start.add(page).cast::<u64>().write_unaligned(stamp) };
        }
        start
    }

    /// The memory as a whole, for registering it with the kernel.
    #[must_use]
    pub fn region(&self) -> &Region {
        &self.region
    }
}
