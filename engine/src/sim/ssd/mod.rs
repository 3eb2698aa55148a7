//! A solid-state drive: link, controller, write buffer, and flash behind a translation layer with garbage collection.
//!
//! A request reserves time on each component at its arrival. Known behaviours are not modelled directly. The
//! performance of a fresh drive, the write cliff after the SLC cache, the transition to steady state, and reads delayed
//! by programs and erases all emerge from the components.

mod blocks;
mod buffer;
mod collect;
mod die;
mod divisor;
mod flash;
mod geometry;
mod lane;
mod mapping;
mod model;
mod power;
mod prefetch;
mod share;
mod tail;
mod thermal;

pub use geometry::{Geometry, SPARE_BLOCKS};
pub use model::{
    BufferModel, ControllerModel, Duplex, IdleModel, LinkModel, MediaModel, PAGE_BYTES, PowerModel, SlcFull, SlcModel,
    SsdModel, ThermalModel,
};

use self::buffer::Buffer;
use self::flash::Flash;
use self::share::{Controller, Pace, Wire};
use self::thermal::{Thermal, UNSTRETCHED};
use super::{Answer, Health, Serve, StateHash, Timetable};
use crate::random::Random;
use crate::ring::Operation;

// Negated EINVAL: beyond the end of the drive.
const INVALID: i32 = -22;

/// A drive.
#[derive(Clone, Debug)]
pub struct Ssd {
    model: SsdModel,
    link_pace: Pace,
    // From the host, and to the host. A half-duplex link uses only the first.
    wires: [Wire; 2],
    controller: Controller,
    buffer: Buffer,
    flash: Flash,
    thermal: Thermal,
    random: Random,
    health: Health,
    quiet_ns: u64,
}

impl Ssd {
    /// A drive in its factory state.
    #[must_use]
    pub fn new(model: &SsdModel, seed: u64) -> Self {
        Self {
            link_pace: Pace::new(model.link.bytes_per_s),
            wires: [Wire::default(); 2],
            controller: Controller::new(model.controller.cores),
            buffer: Buffer::new(model.buffer.size_bytes / PAGE_BYTES),
            flash: Flash::new(model),
            thermal: Thermal::new(model.thermal.as_ref(), model.capacity_scale),
            random: Random::new(seed),
            health: Health::default(),
            quiet_ns: 0,
            model: model.clone(),
        }
    }

    /// Unmaps the pages of a range, except those that it covers only partially. Returns the completion time.
    pub fn trim(&mut self, now_ns: u64, offset_bytes: u64, length_bytes: u64) -> u64 {
        self.move_on(now_ns);
        let end_bytes = (offset_bytes + length_bytes).min(self.size_bytes());
        for logical in offset_bytes.div_ceil(PAGE_BYTES)..end_bytes / PAGE_BYTES {
            self.flash.trim(page(logical));
        }
        let done_ns = self.take_command(now_ns, 0);
        self.quiet_ns = self.quiet_ns.max(done_ns);
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

    // Processes everything since the previous request.
    #[inline]
    fn move_on(&mut self, now_ns: u64) {
        if let Some(idle) = &self.model.idle {
            let from_ns = self.quiet_ns + idle.delay_ns;
            if from_ns < now_ns {
                self.flash.work_idle(from_ns, now_ns, idle);
                self.hand_over();
            }
        }
        self.flash.stretch = self.thermal.look(now_ns, &mut self.flash.busy_ns, self.flash.geometry.dies);
        self.flash.now_ns = now_ns;
    }

    // Transfers a command with its data over the link, and processes it in the controller.
    #[inline]
    fn take_command(&mut self, now_ns: u64, data_bytes: u64) -> u64 {
        let link_ns = self.stretched(self.model.link.command_ns + self.link_pace.ns(data_bytes));
        let here_ns = self.wires[0].carry(now_ns, link_ns);
        let handle_ns = self.stretched(self.model.controller.command_ns);
        self.controller.handle(here_ns, handle_ns)
    }

    #[inline]
    fn read(&mut self, now_ns: u64, serve: &Serve) -> u64 {
        let taken_ns = self.take_command(now_ns, 0);
        let (first, count) = pages(serve);
        let length_ns = self.link_pace.ns(u64::from(serve.length_bytes));
        self.flash.power.carry(now_ns, length_ns);
        let ready_ns = self.flash.read(taken_ns, first, count, &mut self.random);
        let link_ns = self.stretched(length_ns);
        let wire = usize::from(self.model.link.duplex == Duplex::Full);
        self.wires[wire].carry_later(now_ns, ready_ns, link_ns)
    }

    #[inline]
    fn write(&mut self, now_ns: u64, serve: &Serve) -> u64 {
        let mut in_ns = self.take_command(now_ns, u64::from(serve.length_bytes));
        self.flash.power.carry(now_ns, self.link_pace.ns(u64::from(serve.length_bytes)));
        let (first, count) = pages(serve);
        // A partially written page is read first (read-modify-write).
        let end_bytes = serve.offset_bytes + u64::from(serve.length_bytes);
        if !serve.offset_bytes.is_multiple_of(PAGE_BYTES) {
            self.flash.read(in_ns, first, 1, &mut self.random);
        }
        if !end_bytes.is_multiple_of(PAGE_BYTES) && (count > 1 || serve.offset_bytes.is_multiple_of(PAGE_BYTES)) {
            self.flash.read(in_ns, first + count - 1, 1, &mut self.random);
        }
        for logical in first..first + count {
            in_ns = self.buffer.admit(in_ns);
            self.flash.write(logical, in_ns);
            self.hand_over();
        }
        in_ns
    }

    // When everything written so far is durable.
    fn make_durable(&mut self, at_ns: u64) -> u64 {
        if self.model.buffer.power_loss_protection {
            return at_ns;
        }
        self.flash.pad(at_ns);
        self.hand_over();
        at_ns.max(self.buffer.durable_ns())
    }

    #[inline]
    fn hand_over(&mut self) {
        for (done_ns, pages) in self.flash.issued.drain(..) {
            self.buffer.release(done_ns, pages);
        }
    }

    #[inline]
    fn stretched(&self, length_ns: u64) -> u64 {
        length_ns * self.flash.stretch / UNSTRETCHED
    }
}

impl Timetable for Ssd {
    fn size_bytes(&self) -> u64 {
        u64::from(self.flash.geometry.logical_pages) * PAGE_BYTES
    }

    #[inline]
    fn expect(&self, serve: &Serve) {
        self.flash.mapping.expect(pages(serve).0);
    }

    #[inline]
    fn answer(&mut self, now_ns: u64, serve: &Serve) -> Answer {
        let bytes = u64::from(serve.length_bytes);
        if serve.offset_bytes + bytes > self.size_bytes() {
            return Answer { done_ns: now_ns, result: INVALID };
        }
        self.move_on(now_ns);
        let done_ns = match serve.operation {
            Operation::Read => {
                self.health.host_read_bytes += bytes;
                self.read(now_ns, serve)
            }
            Operation::Write | Operation::WriteDsync => {
                self.health.host_written_bytes += bytes;
                let in_ns = self.write(now_ns, serve);
                if serve.operation == Operation::Write { in_ns } else { self.make_durable(in_ns) }
            }
            Operation::Trim => self.trim(now_ns, serve.offset_bytes, bytes),
            Operation::Flush => {
                let taken_ns = self.take_command(now_ns, 0);
                self.make_durable(taken_ns)
            }
        };
        self.quiet_ns = self.quiet_ns.max(done_ns);
        Answer { done_ns, result: serve.moved_bytes() }
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
            throttled_ns: self.thermal.throttled_ns() + self.flash.power.throttled_ns(),
            ..self.health
        }
    }

    fn add_to(&self, hash: &mut StateHash) {
        self.flash.add_to(hash);
        self.buffer.add_to(hash);
        self.thermal.add_to(hash);
        self.flash.power.add_to(hash);
        self.controller.add_to(hash);
        self.wires.iter().for_each(|wire| wire.add_to(hash));
        hash.add(self.quiet_ns);
        hash.add_random(&self.random);
    }

    fn format(&mut self, now_ns: u64) {
        self.move_on(now_ns);
        let (wear, power) = (self.flash.wear, std::mem::take(&mut self.flash.power));
        self.flash = Flash::new(&self.model);
        (self.flash.wear, self.flash.power) = (wear, power);
        self.buffer = Buffer::new(self.model.buffer.size_bytes / PAGE_BYTES);
        self.quiet_ns = self.quiet_ns.max(now_ns);
    }
}

#[allow(clippy::cast_possible_truncation)] // A drive has fewer than 2^32 pages.
fn page(number: u64) -> u32 {
    number as u32
}

// The first logical page of a request, and the number of pages that it touches.
#[inline]
fn pages(serve: &Serve) -> (u32, u32) {
    let first = serve.offset_bytes / PAGE_BYTES;
    let end = (serve.offset_bytes + u64::from(serve.length_bytes)).div_ceil(PAGE_BYTES);
    (page(first), page(end - first))
}
