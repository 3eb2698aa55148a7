//! What operations read into and write from.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use super::deck::Deck;
use crate::job::{Data, Job};
use crate::memory::PAGE_BYTES;
use crate::random::below;
use crate::ring::{Buffers, SharedBuffers};
use crate::verify::{SECTOR_BYTES, Seal, seal_sector};

/// Random data that all slots of a job share out among themselves. Writes start at another page of their slot's part each
/// time, so that a run of small writes is not the same few blocks again and again: of 128 KiB of 4 KiB writes to random
/// places, 3 % repeat. Larger pools fall out of the caches, and on a virtual disk, where the host copies, that cost writes
/// up to 8 % of throughput.
const POOL_BYTES: usize = 2 << 20;
/// The least of it that one slot gets.
const POOL_BYTES_MIN: usize = 16 << 10;
/// What a worker of one slot gets at least: a thread of psync that need not wait writes many blocks in a row by itself.
const POOL_BYTES_ALONE: usize = 128 << 10;
/// What all such workers get together, at most, as long as each gets the least.
const POOLS_BYTES_MAX: usize = 64 << 20;
/// After so many bytes a duplicate begins again: two that lie closer together differ, so that nothing that compresses in
/// units of up to this much gains by them.
const DUPLICATE_BYTES: usize = 128 << 10;
/// Cache lines.
const LINE_BYTES: usize = 64;
/// 2^64 over the golden ratio: the sequence of its multiples meets each number once, and any few in a row are far apart.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// Keeps the data of duplicates and the choice of them apart from all other streams.
const DUPLICATES: u64 = 0x6475_706c_6963_6174;

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into memory.
    Read,
    /// Out of memory.
    Write,
}

// Which writes carry what was written before, and where that lies in the region.
#[derive(Debug)]
struct Duplicates {
    deck: Deck<2>,
    base: usize,
}

// What lies where in a slot's stretch of memory.
struct Layout {
    reserve: usize,
    write_base: usize,
    pool: usize,
    stride_bytes: usize,
}

impl Layout {
    fn of(job: &Job) -> Self {
        let reserve = (job.block_size_bytes as usize).next_multiple_of(PAGE_BYTES);
        let pool = if job.writes() { pool_bytes(job.in_flight() as usize, job.slots()) } else { 0 };
        let write_base = if job.reads() { reserve } else { 0 };
        Self { reserve, write_base, pool, stride_bytes: write_base + if job.writes() { reserve + pool } else { 0 } }
    }
}

/// What lies where in the buffers of one worker, and what its writes carry: for each slot there is a stretch to read into
/// and a pool of random data to write from.
///
/// A slot's memory belongs to its operation while that is in flight, so data never changes under the kernel's hands
/// (file systems that checksum would call that corruption). Duplicates never change at all, so that slots share them.
#[derive(Debug)]
pub struct Payload {
    stride_bytes: usize,
    write_base: usize,
    places: u64,
    // Whether writes are made unlike each other.
    is_stamped: bool,
    stamp: u64,
    // Which bits of a page's number, a cache line each, say where in the page its stamp goes: at the same place in all
    // pages stamps would share a few sets of the caches, and drive each other out.
    stamp_mask: usize,
    // Where the next write starts among the places, as a part of 2^64, and how far on the one behind it does.
    turn: u64,
    turn_step: u64,
    duplicates: Option<Box<Duplicates>>,
}

impl Payload {
    /// Maps and fills the buffers of a worker's `slots` slots, each worker's with data of its own. All are aligned to pages,
    /// which is as much as any device asks.
    pub fn new(job: &Job, slots: u32, worker: u32) -> std::io::Result<(Self, Buffers)> {
        let Layout { reserve, write_base, pool, stride_bytes } = Layout::of(job);
        let base = stride_bytes * slots as usize;
        let has_duplicates = job.writes() && job.duplicates_percent > 0;
        let mut buffers = Buffers::new(base + if has_duplicates { DUPLICATE_BYTES + reserve } else { 0 })?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!(job.seed ^ (u64::from(worker) << 32)));
        let bytes = buffers.bytes();
        // Reads are given random data to land on as well: the pages must be there before the loop starts.
        random.fill_bytes(&mut bytes[..base]);
        let duplicates = has_duplicates.then(|| {
            // Every worker's are the same.
            Xoshiro256PlusPlus::seed_from_u64(job.seed ^ DUPLICATES)
                .fill_bytes(&mut bytes[base..base + DUPLICATE_BYTES]);
            bytes.copy_within(base..base + reserve.min(DUPLICATE_BYTES), base + DUPLICATE_BYTES);
            for copied in (DUPLICATE_BYTES..reserve).step_by(DUPLICATE_BYTES) {
                let most = DUPLICATE_BYTES.min(reserve - copied);
                bytes.copy_within(base..base + most, base + DUPLICATE_BYTES + copied);
            }
            let percent = u32::from(job.duplicates_percent);
            let seed = SplitMix64::seed_from_u64(job.seed ^ DUPLICATES ^ (u64::from(worker) << 32)).next_u64();
            Box::new(Duplicates { deck: Deck::new([100 - percent, percent], seed), base })
        });
        thin_out(bytes, job);
        let places = (pool / PAGE_BYTES) as u64 + 1;
        let payload = Self {
            stride_bytes,
            write_base,
            places,
            is_stamped: job.data != Data::Zeros,
            stamp_mask: stamp_mask(job),
            stamp: random.next_u64(),
            turn: random.next_u64(),
            // One slot goes through its places block by block. Several take turns that nobody knows, and must not meet the same
            // places each time.
            turn_step: if slots == 1 { in_a_row(places, reserve) } else { GOLDEN },
            duplicates,
        };
        Ok((payload, buffers))
    }

    /// The memory that each slot of a job takes.
    #[must_use]
    pub fn slot_bytes(job: &Job) -> u64 {
        Layout::of(job).stride_bytes as u64
    }

    /// Where in the buffers a slot's next operation moves its data, of at most the largest block. A write gets random data
    /// that was not written before: another place in the pool, and each 4 KiB of it stamped anew; or, where duplicates are
    /// asked for and it is the turn of one, what is the same at each such offset.
    #[inline]
    pub fn prepare(
        &mut self,
        buffers: &mut SharedBuffers,
        slot: u32,
        direction: Direction,
        offset_bytes: u64,
        length_bytes: u32,
    ) -> usize {
        let base = slot as usize * self.stride_bytes;
        if direction == Direction::Read {
            return base;
        }
        if let Some(duplicates) = &mut self.duplicates
            && duplicates.deck.draw() == 1
        {
            #[allow(clippy::cast_possible_truncation)] // Below DUPLICATE_BYTES.
            let place = (offset_bytes % DUPLICATE_BYTES as u64) as usize;
            return duplicates.base + place;
        }
        self.turn = self.turn.wrapping_add(self.turn_step);
        #[allow(clippy::cast_possible_truncation)] // Below `places`, which came from a usize.
        let place = below(self.turn, self.places) as usize * PAGE_BYTES;
        let at = base + self.write_base + place;
        if !self.is_stamped {
            return at;
        }
        self.stamp_page(buffers, at);
        if length_bytes as usize > PAGE_BYTES {
            self.stamp_further_pages(buffers, at, length_bytes as usize);
        }
        at
    }

    // Apart from the loop of operations: a block of a page is the usual one, and has no more.
    #[inline(never)]
    fn stamp_further_pages(&mut self, buffers: &mut SharedBuffers, at: usize, length_bytes: usize) {
        for page in (PAGE_BYTES..length_bytes).step_by(PAGE_BYTES) {
            self.stamp_page(buffers, at + page);
        }
    }

    // Makes a page of a write unlike all others. It must lie in the stretch of a slot with no operation in flight, and begin
    // on a page's boundary.
    #[inline]
    fn stamp_page(&mut self, buffers: &mut SharedBuffers, at: usize) {
        // Each page that a block begins has more bytes of it than the mask has, so that 8 bytes fit at the line.
        let line = (at / PAGE_BYTES * LINE_BYTES) & self.stamp_mask;
        buffers.write(at + line, &self.stamp.to_ne_bytes());
        self.stamp = self.stamp.wrapping_add(GOLDEN);
    }

    /// Puts a seal on every sector of what a write is about to carry, from where [`Payload::prepare`] has put it.
    pub fn seal(buffers: &mut SharedBuffers, at: usize, length_bytes: u32, seal: Seal) {
        let mut sector = [0; SECTOR_BYTES];
        for number in 0..length_bytes as usize / SECTOR_BYTES {
            let (at, offset_bytes) = (at + number * SECTOR_BYTES, seal.offset_bytes + (number * SECTOR_BYTES) as u64);
            buffers.read(at, &mut sector);
            seal_sector(&mut sector, Seal { offset_bytes, ..seal });
            buffers.write(at, &sector);
        }
    }
}

// What brings a slot from one of its places to the one a block further.
fn in_a_row(places: u64, reserve: usize) -> u64 {
    (u64::MAX / places).wrapping_add(1).wrapping_mul((reserve / PAGE_BYTES) as u64)
}

// A slot's part of the pool, where so many slots share it.
fn pool_bytes(in_flight: usize, slots: u32) -> usize {
    let alone = if slots == 1 { POOL_BYTES_ALONE.min(POOLS_BYTES_MAX / in_flight) } else { 0 };
    (POOL_BYTES / in_flight).max(alone).max(POOL_BYTES_MIN).next_multiple_of(PAGE_BYTES)
}

// The lines that stamps may go to: in what every block has of a page, and before the zeros.
fn stamp_mask(job: &Job) -> usize {
    let step = usize::try_from(job.step_bytes()).unwrap_or(PAGE_BYTES);
    let common = (1_usize << step.trailing_zeros()).min(PAGE_BYTES);
    let kept = common * (100 - zeros_percent(job)) / 100;
    if kept < LINE_BYTES { 0 } else { (1 << kept.ilog2()) - LINE_BYTES }
}

fn zeros_percent(job: &Job) -> usize {
    match job.data {
        Data::Random => usize::from(job.compressible_percent),
        Data::Compressible => 50,
        Data::Zeros => 100,
    }
}

// Fills the end of each unit with zeros, as far as a compressor is to gain by it. Blocks start on page boundaries, and so
// do the units that they are made of. Where sectors are sealed each of them is a unit, whose seal lies in what stays.
fn thin_out(bytes: &mut [u8], job: &Job) {
    let unit_bytes = if job.verify {
        SECTOR_BYTES
    } else {
        usize::try_from(job.step_bytes()).map_or(PAGE_BYTES, |step| step.min(PAGE_BYTES))
    };
    let zeros_percent = zeros_percent(job);
    if zeros_percent == 0 {
        return;
    }
    for page in bytes.chunks_mut(PAGE_BYTES) {
        for unit in page.chunks_mut(unit_bytes) {
            let from = unit.len() * (100 - zeros_percent) / 100;
            unit[from..].fill(0);
        }
    }
}
