//! The I/O buffers of a worker, and the data that its writes carry.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use super::shuffled_deck::ShuffledDeck;
use crate::job::{Data, Job};
use crate::memory::PAGE_BYTES;
use crate::random::below;
use crate::ring::{Buffers, SharedBuffers};
use crate::verify::{SECTOR_BYTES, SectorHeader, write_header};

/// Total size of the pools of random data of a job's slots. Each write starts at another page of its slot's pool, so
/// that small writes do not repeat the same few blocks: with 128 KiB of data, 3 % of 4 KiB random writes are repeats.
/// Larger pools exceed the CPU caches, which cost up to 8 % of write throughput on a virtual disk, where the host
/// copies the data.
const POOL_BYTES: usize = 2 << 20;
/// The smallest pool of a slot.
const POOL_BYTES_MIN: usize = 16 << 10;
/// The smallest pool of a worker with one slot: a psync thread whose writes do not wait writes many blocks in a row.
const POOL_BYTES_ALONE: usize = 128 << 10;
/// Bound on the pools of all such workers together, unless `POOL_BYTES_MIN` for each exceeds it.
const POOLS_BYTES_MAX: usize = 64 << 20;
/// The period of duplicate data. Within a period the data does not repeat, so that compressors with units of up to this
/// size find no duplicates.
const DUPLICATE_BYTES: usize = 128 << 10;
/// The size of a cache line.
const LINE_BYTES: usize = 64;
/// 2^64 divided by the golden ratio. Its multiples modulo 2^64 visit every number once, and consecutive multiples are
/// far apart.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// Separates the random streams of duplicates from all others.
const DUPLICATES: u64 = 0x6475_706c_6963_6174;

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into memory.
    Read,
    /// Out of memory.
    Write,
}

// Which writes carry duplicate data, and where that data starts in the buffers.
#[derive(Debug)]
struct Duplicates {
    deck: ShuffledDeck<2>,
    base: usize,
}

// The layout of a slot's memory.
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

/// The layout of one worker's buffers, and the data of its writes: each slot has a buffer to read into, and a pool of
/// random data to write from.
///
/// Only a slot's own operation uses its memory while in flight, so data never changes while the kernel uses it (file
/// systems with checksums would report corruption). Duplicate data never changes, so slots share it.
#[derive(Debug)]
pub struct Payload {
    stride_bytes: usize,
    write_base: usize,
    places: u64,
    // Whether each write is made unique.
    is_stamped: bool,
    stamp: u64,
    // Selects the cache line of a page's stamp by the page number. Stamps at the same offset of every page would
    // compete for a few cache sets.
    stamp_mask: usize,
    // Where in the pool the next write starts, as a fraction of 2^64, and the distance to the one after it.
    turn: u64,
    turn_step: u64,
    duplicates: Option<Box<Duplicates>>,
}

impl Payload {
    /// Maps and fills the buffers of a worker's `slots` slots. Each worker has different data. Buffers are
    /// page-aligned, which satisfies any device.
    pub fn new(job: &Job, slots: u32, worker: u32) -> std::io::Result<(Self, Buffers)> {
        let Layout { reserve, write_base, pool, stride_bytes } = Layout::of(job);
        let base = stride_bytes * slots as usize;
        let has_duplicates = job.writes() && job.duplicates_percent > 0;
        let mut buffers = Buffers::new(base + if has_duplicates { DUPLICATE_BYTES + reserve } else { 0 })?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!(job.seed ^ (u64::from(worker) << 32)));
        let bytes = buffers.bytes();
        // Read buffers are filled too, so that their pages are allocated before the loop starts.
        random.fill_bytes(&mut bytes[..base]);
        let duplicates = has_duplicates.then(|| {
            // All workers have the same duplicate data, so that duplicates also occur between workers.
            Xoshiro256PlusPlus::seed_from_u64(job.seed ^ DUPLICATES)
                .fill_bytes(&mut bytes[base..base + DUPLICATE_BYTES]);
            bytes.copy_within(base..base + reserve.min(DUPLICATE_BYTES), base + DUPLICATE_BYTES);
            for copied in (DUPLICATE_BYTES..reserve).step_by(DUPLICATE_BYTES) {
                let most = DUPLICATE_BYTES.min(reserve - copied);
                bytes.copy_within(base..base + most, base + DUPLICATE_BYTES + copied);
            }
            let percent = u32::from(job.duplicates_percent);
            let seed = SplitMix64::seed_from_u64(job.seed ^ DUPLICATES ^ (u64::from(worker) << 32)).next_u64();
            Box::new(Duplicates { deck: ShuffledDeck::new([100 - percent, percent], seed), base })
        });
        fill_with_zeros(bytes, job);
        let places = (pool / PAGE_BYTES) as u64 + 1;
        let payload = Self {
            stride_bytes,
            write_base,
            places,
            is_stamped: job.data != Data::Zeros,
            stamp_mask: stamp_mask(job),
            stamp: random.next_u64(),
            turn: random.next_u64(),
            // A single slot goes through its pool block by block. Several slots share `turn` and complete in an
            // unpredictable order; with a regular step, a slot could use the same pages each time.
            turn_step: if slots == 1 { block_step(places, reserve) } else { GOLDEN },
            duplicates,
        };
        Ok((payload, buffers))
    }

    /// Buffer memory per slot of a job.
    #[must_use]
    pub fn slot_bytes(job: &Job) -> u64 {
        Layout::of(job).stride_bytes as u64
    }

    /// Prepares a slot's next operation and returns the offset of its data in the buffers. A write gets new random
    /// data: another place in the pool, with a stamp in each 4 KiB. If the job has duplicates, their share of the
    /// writes gets data that depends only on the target offset.
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

    // Kept out of the I/O loop's hot path, because most blocks have one page and do not need it.
    #[inline(never)]
    fn stamp_further_pages(&mut self, buffers: &mut SharedBuffers, at: usize, length_bytes: usize) {
        for page in (PAGE_BYTES..length_bytes).step_by(PAGE_BYTES) {
            self.stamp_page(buffers, at + page);
        }
    }

    // Makes a page of a write unique. It must belong to a slot with no operation in flight, and be page-aligned.
    #[inline]
    fn stamp_page(&mut self, buffers: &mut SharedBuffers, at: usize) {
        // Each block covers more bytes of a page than the largest line offset in the mask, so that 8 bytes fit there.
        let line = (at / PAGE_BYTES * LINE_BYTES) & self.stamp_mask;
        buffers.write(at + line, &self.stamp.to_ne_bytes());
        self.stamp = self.stamp.wrapping_add(GOLDEN);
    }

    /// Writes a verification header into every sector of a write, at the offset returned by [`Payload::prepare`].
    pub fn write_headers(buffers: &mut SharedBuffers, at: usize, length_bytes: u32, header: SectorHeader) {
        let mut sector = [0; SECTOR_BYTES];
        for number in 0..length_bytes as usize / SECTOR_BYTES {
            let (at, offset_bytes) = (at + number * SECTOR_BYTES, header.offset_bytes + (number * SECTOR_BYTES) as u64);
            buffers.read(at, &mut sector);
            write_header(&mut sector, SectorHeader { offset_bytes, ..header });
            buffers.write(at, &sector);
        }
    }
}

// The distance between two places of a slot's pool that are one block apart, as a fraction of 2^64.
fn block_step(places: u64, reserve: usize) -> u64 {
    (u64::MAX / places).wrapping_add(1).wrapping_mul((reserve / PAGE_BYTES) as u64)
}

// The size of a slot's pool in a job with the given number of operations in flight.
fn pool_bytes(in_flight: usize, slots: u32) -> usize {
    let alone = if slots == 1 { POOL_BYTES_ALONE.min(POOLS_BYTES_MAX / in_flight) } else { 0 };
    (POOL_BYTES / in_flight).max(alone).max(POOL_BYTES_MIN).next_multiple_of(PAGE_BYTES)
}

// The cache lines that stamps may use: within the part of a page that every block covers, and before the zeros.
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

// Fills the end of each unit with zeros, so that it compresses as requested. Units are aligned to pages, as blocks are.
// For verified data each sector is a unit, and its header is in the part without zeros.
fn fill_with_zeros(bytes: &mut [u8], job: &Job) {
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
