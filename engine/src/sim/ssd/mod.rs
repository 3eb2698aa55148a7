//! A solid-state drive: link, controller, write buffer, and flash behind a translation layer with garbage collection.
//!
//! A request reserves time on each component at its arrival. Well-known behaviour is not modelled directly, but results
//! from the components: the performance of a fresh drive, the write cliff after the SLC cache, the transition to steady
//! state, and reads delayed by programs and erases.

mod blocks;
mod buffer;
mod bus;
mod die;
mod divisor;
mod flash;
mod garbage_collection;
mod geometry;
mod mapping;
mod model;
mod power;
mod prefetch;
mod read_cache;
mod schedule;
mod tail;
mod thermal;

pub use geometry::{Geometry, SPARE_BLOCKS};
pub use model::{
    BufferModel, ControllerModel, Duplex, IdleModel, LinkModel, MediaModel, PAGE_BYTES, PowerModel, ReadCacheModel,
    SlcFull, SlcModel, SsdModel, ThermalModel,
};

use self::buffer::Buffer;
use self::bus::{Bus, Controller, TransferRate};
use self::die::Die;
use self::flash::Flash;
use self::read_cache::ReadCache;
use self::thermal::{FULL_SPEED, Thermal};
use super::{CompletionModel, Health, IoCommand, ScheduledCompletion, StateHash};
use crate::random::Random;
use crate::ring::Operation;

// Negated EINVAL: beyond the end of the drive.
const INVALID: i32 = -22;

/// A drive.
#[derive(Clone, Debug)]
pub struct Ssd {
    model: SsdModel,
    link_rate: TransferRate,
    // From the host, and to the host. A half-duplex link uses only the first.
    buses: [Bus; 2],
    controller: Controller,
    buffer: Buffer,
    flash: Flash,
    read_cache: Option<ReadCache>,
    thermal: Thermal,
    random: Random,
    health: Health,
    idle_since_ns: u64,
}

impl Ssd {
    /// A drive in its factory state.
    #[must_use]
    pub fn new(model: &SsdModel, seed: u64) -> Self {
        Self {
            link_rate: TransferRate::new(model.link.bytes_per_s),
            buses: [Bus::default(); 2],
            controller: Controller::new(model.controller.cores),
            buffer: Buffer::new(model.buffer.size_bytes / PAGE_BYTES),
            flash: Flash::new(model),
            read_cache: model.read_cache.as_ref().map(ReadCache::new),
            thermal: Thermal::new(model.thermal.as_ref(), model.capacity_scale),
            random: Random::new(seed),
            health: Health::default(),
            idle_since_ns: 0,
            model: model.clone(),
        }
    }

    /// Unmaps the pages of a range, except those that it covers only partially. Returns the completion time.
    pub fn trim(&mut self, now_ns: u64, offset_bytes: u64, length_bytes: u64) -> u64 {
        self.catch_up(now_ns);
        let end_bytes = (offset_bytes + length_bytes).min(self.size_bytes());
        for logical in offset_bytes.div_ceil(PAGE_BYTES)..end_bytes / PAGE_BYTES {
            self.flash.trim(page(logical));
            self.read_cache.iter_mut().for_each(|cache| cache.forget(page(logical), 1));
        }
        let done_ns = self.receive_command(now_ns, 0);
        self.idle_since_ns = self.idle_since_ns.max(done_ns);
        done_ns
    }

    /// The memory that grows with the drive in bytes, and the number of physical pages of 4 KiB.
    #[must_use]
    pub fn memory_bytes(&self) -> (usize, usize) {
        let tables = self.flash.mapping.memory_bytes() + self.flash.blocks.memory_bytes();
        (tables, self.flash.mapping.physical_pages())
    }

    /// Its sizes.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.flash.geometry
    }

    // Simulates the time since the previous request: background work and temperature.
    #[inline]
    fn catch_up(&mut self, now_ns: u64) {
        if let Some(idle) = &self.model.idle {
            let from_ns = self.idle_since_ns + idle.delay_ns;
            if from_ns < now_ns {
                self.flash.work_in_background(from_ns, now_ns, idle);
                self.release_programmed();
            }
        }
        let Flash { dies, busy_ns, geometry, .. } = &mut self.flash;
        let ahead_ns = |die: &Die| die.schedule.free_ns().saturating_sub(now_ns);
        let free_ns = || now_ns + dies.iter().map(ahead_ns).sum::<u64>() / u64::from(geometry.dies);
        self.flash.slowdown = self.thermal.update(now_ns, busy_ns, geometry.dies, free_ns);
        self.flash.now_ns = now_ns;
    }

    // Transfers a command with its data over the link, and processes it in the controller.
    #[inline]
    fn receive_command(&mut self, now_ns: u64, data_bytes: u64) -> u64 {
        let link_ns = self.slowed(self.model.link.command_ns + self.link_rate.ns(data_bytes));
        let here_ns = self.buses[0].transfer(now_ns, link_ns);
        let handle_ns = self.slowed(self.model.controller.command_ns);
        self.controller.handle(here_ns, handle_ns)
    }

    #[inline]
    fn read(&mut self, now_ns: u64, io: &IoCommand) -> u64 {
        let received_ns = self.receive_command(now_ns, 0);
        let (first, count) = pages(io);
        let length_ns = self.link_rate.ns(u64::from(io.length_bytes));
        self.flash.power.charge_link(now_ns, length_ns);
        let ready_ns = self.fetch(received_ns, first, count);
        let link_ns = self.slowed(length_ns);
        let bus = usize::from(self.model.link.duplex == Duplex::Full);
        self.buses[bus].transfer_later(now_ns, ready_ns, link_ns)
    }

    // When pages are ready for the transfer to the host: from the read cache, if there is one, or from the media.
    #[inline]
    fn fetch(&mut self, at_ns: u64, first: u32, count: u32) -> u64 {
        let Some(cache) = &mut self.read_cache else {
            return self.flash.read(at_ns, first, count, &mut self.random);
        };
        let (mut ready_ns, mut number) = (at_ns, 0);
        while number < count {
            let from = number;
            let mut cached_ns = None;
            while number < count && cached_ns.is_none() {
                cached_ns = cache.take(first + number);
                number += 1;
            }
            let missing = number - from - u32::from(cached_ns.is_some());
            if missing > 0 {
                let media_ns = self.flash.read(at_ns, first + from, missing, &mut self.random);
                cache.keep(first + from, missing, media_ns);
                ready_ns = ready_ns.max(media_ns);
            }
            ready_ns = ready_ns.max(cached_ns.unwrap_or(at_ns));
        }
        if let Some((from, ahead)) = cache.ahead_of(first, count, self.flash.geometry.logical_pages) {
            let media_ns = self.flash.read(at_ns, from, ahead, &mut self.random);
            cache.store(from, ahead, media_ns);
        }
        ready_ns
    }

    #[inline]
    fn write(&mut self, now_ns: u64, io: &IoCommand) -> u64 {
        let mut in_ns = self.receive_command(now_ns, u64::from(io.length_bytes));
        self.flash.power.charge_link(now_ns, self.link_rate.ns(u64::from(io.length_bytes)));
        let (first, count) = pages(io);
        // A partially written page is read first (read-modify-write).
        let end_bytes = io.offset_bytes + u64::from(io.length_bytes);
        if !io.offset_bytes.is_multiple_of(PAGE_BYTES) {
            self.flash.read(in_ns, first, 1, &mut self.random);
        }
        if !end_bytes.is_multiple_of(PAGE_BYTES) && (count > 1 || io.offset_bytes.is_multiple_of(PAGE_BYTES)) {
            self.flash.read(in_ns, first + count - 1, 1, &mut self.random);
        }
        for logical in first..first + count {
            in_ns = self.buffer.admit(in_ns);
            self.flash.write(logical, in_ns);
            self.release_programmed();
        }
        if let Some(cache) = &mut self.read_cache {
            cache.forget(first, count);
            cache.keep(first, count, in_ns);
        }
        in_ns
    }

    // When everything written so far is durable.
    fn make_durable(&mut self, at_ns: u64) -> u64 {
        if self.model.buffer.power_loss_protection {
            return at_ns;
        }
        self.flash.pad(at_ns);
        self.release_programmed();
        at_ns.max(self.buffer.durable_ns())
    }

    #[inline]
    fn release_programmed(&mut self) {
        for (done_ns, pages) in self.flash.issued.drain(..) {
            self.buffer.release(done_ns, pages);
        }
    }

    #[inline]
    fn slowed(&self, length_ns: u64) -> u64 {
        length_ns * self.flash.slowdown / FULL_SPEED
    }
}

impl CompletionModel for Ssd {
    fn size_bytes(&self) -> u64 {
        u64::from(self.flash.geometry.logical_pages) * PAGE_BYTES
    }

    #[inline]
    fn prefetch(&self, io: &IoCommand) {
        self.flash.mapping.prefetch(pages(io).0);
    }

    #[inline]
    fn complete(&mut self, now_ns: u64, io: &IoCommand) -> ScheduledCompletion {
        let bytes = u64::from(io.length_bytes);
        if io.offset_bytes + bytes > self.size_bytes() {
            return ScheduledCompletion { done_ns: now_ns, result: INVALID };
        }
        self.catch_up(now_ns);
        let done_ns = match io.operation {
            Operation::Read => {
                self.health.host_read_bytes += bytes;
                self.read(now_ns, io)
            }
            Operation::Write | Operation::WriteDsync => {
                self.health.host_written_bytes += bytes;
                let in_ns = self.write(now_ns, io);
                if io.operation == Operation::Write { in_ns } else { self.make_durable(in_ns) }
            }
            Operation::Trim => self.trim(now_ns, io.offset_bytes, bytes),
            Operation::Flush => {
                let received_ns = self.receive_command(now_ns, 0);
                self.make_durable(received_ns)
            }
        };
        self.idle_since_ns = self.idle_since_ns.max(done_ns);
        ScheduledCompletion { done_ns, result: io.moved_bytes() }
    }

    fn health(&self) -> Health {
        let Geometry { dies, die_blocks, block_pieces, .. } = self.flash.geometry;
        let blocks = u64::from(dies) * u64::from(die_blocks) / u64::from(block_pieces);
        let lifetime = (blocks * u64::from(self.model.media.rated_erases)).max(1);
        let percent = self.flash.wear.erases.saturating_mul(100) / lifetime;
        Health {
            media_written_bytes: self.flash.wear.pages * PAGE_BYTES,
            erases: self.flash.wear.erases,
            wear_percent: u8::try_from(percent).unwrap_or(u8::MAX),
            temperature_celsius: self.thermal.celsius(),
            throttled_ns: self.thermal.throttled_ns(self.flash.now_ns) + self.flash.power.throttled_ns(),
            ..self.health
        }
    }

    fn add_to(&self, hash: &mut StateHash) {
        self.flash.add_to(hash);
        self.read_cache.iter().for_each(|cache| cache.add_to(hash));
        self.buffer.add_to(hash);
        self.thermal.add_to(hash);
        self.flash.power.add_to(hash);
        self.controller.add_to(hash);
        self.buses.iter().for_each(|bus| bus.add_to(hash));
        hash.add(self.idle_since_ns);
        hash.add_random(&self.random);
    }

    fn has_erased_state(&self) -> bool {
        true
    }

    fn format(&mut self, now_ns: u64) {
        self.catch_up(now_ns);
        let (wear, power) = (self.flash.wear, std::mem::take(&mut self.flash.power));
        self.flash = Flash::new(&self.model);
        (self.flash.wear, self.flash.power) = (wear, power);
        self.buffer = Buffer::new(self.model.buffer.size_bytes / PAGE_BYTES);
        self.read_cache = self.model.read_cache.as_ref().map(ReadCache::new);
        self.idle_since_ns = self.idle_since_ns.max(now_ns);
    }
}

#[allow(clippy::cast_possible_truncation)] // A drive has fewer than 2^32 pages.
fn page(number: u64) -> u32 {
    number as u32
}

// The first logical page of a request, and the number of pages that it touches.
#[inline]
fn pages(io: &IoCommand) -> (u32, u32) {
    let first = io.offset_bytes / PAGE_BYTES;
    let end = (io.offset_bytes + u64::from(io.length_bytes)).div_ceil(PAGE_BYTES);
    (page(first), page(end - first))
}
