//! A drive with a closed loop in virtual time.

use std::collections::VecDeque;

use iosonde_engine::random::Random;
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::ssd::{BufferModel, ControllerModel, Duplex, LinkModel, MediaModel, PAGE_BYTES, SlcModel};
use iosonde_engine::sim::{Health, IoCommand, Pending, Simulation, Ssd, SsdModel};

pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
pub const MIB: u64 = 1 << 20;

/// A drive of 1 GiB on 4 channels with 4 dies each: 15 % over-provisioning, without SLC cache, background work, thermal
/// model and tail.
pub fn small() -> SsdModel {
    SsdModel {
        capacity_bytes: 1 << 30,
        capacity_scale: 1,
        link: LinkModel { bytes_per_s: 4_000_000_000, command_ns: 100, duplex: Duplex::Full },
        controller: ControllerModel { cores: 8, command_ns: 2 * US },
        buffer: BufferModel { size_bytes: 8 * MIB, power_loss_protection: true },
        media: MediaModel {
            channels: 4,
            dies_per_channel: 4,
            planes_per_die: 2,
            page_bytes: 16_384,
            pages_per_block: 32,
            channel_bytes_per_s: 800_000_000,
            read_ns: 50 * US,
            read_sigma_permille: 0,
            read_slow_ppm: 0,
            read_slow_factor: 1,
            program_ns: 400 * US,
            erase_ns: 3 * MS,
            over_provisioning_permille: 150,
            rated_erases: 3000,
        },
        slc: None,
        idle: None,
        thermal: None,
        power: None,
        read_cache: None,
    }
}

/// The same with an SLC cache.
pub fn with_slc(slc: SlcModel) -> SsdModel {
    SsdModel { slc: Some(slc), ..small() }
}

/// A drive, its time, and the position of the next access.
pub struct DriveRig {
    pub drive: Pending<Ssd>,
    pub now_ns: u64,
    pub random: Random,
    pub next_bytes: u64,
}

#[derive(Clone, Copy)]
pub struct Load {
    pub read_percent: u64,
    pub block_bytes: u32,
    pub depth: u64,
    pub is_sequential: bool,
}

pub const RANDOM_READ: Load = Load { read_percent: 100, block_bytes: 4096, depth: 1, is_sequential: false };
pub const RANDOM_WRITE: Load = Load { read_percent: 0, ..RANDOM_READ };
pub const FILL: Load = Load { read_percent: 0, block_bytes: 131_072, depth: 8, is_sequential: true };
pub const LARGE_READ: Load = Load { read_percent: 100, block_bytes: 131_072, depth: 32, is_sequential: true };

/// The result of a load: its duration, and the latency of each request.
#[allow(clippy::struct_field_names)] // Units come last.
pub struct LoadResult {
    pub elapsed_ns: u64,
    pub read_ns: Vec<u64>,
    pub write_ns: Vec<u64>,
}

impl LoadResult {
    pub fn iops(&self) -> f64 {
        (self.read_ns.len() + self.write_ns.len()) as f64 * SECOND as f64 / self.elapsed_ns as f64
    }
}

pub fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

/// The value that this share of the values does not exceed.
pub fn percentile(values: &[u64], permille: usize) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() * permille / 1000).min(sorted.len() - 1)]
}

impl DriveRig {
    pub fn new(model: &SsdModel) -> Self {
        Self::with_seed(model, 1)
    }

    pub fn with_seed(model: &SsdModel, seed: u64) -> Self {
        model.check().expect("the model can be simulated");
        Self { drive: Pending::new(Ssd::new(model, seed)), now_ns: 0, random: Random::new(2), next_bytes: 0 }
    }

    pub fn filled(model: &SsdModel) -> Self {
        let mut rig = Self::new(model);
        rig.fill();
        rig
    }

    /// Writes the whole capacity once, sequentially, and waits for completion.
    pub fn fill(&mut self) {
        self.next_bytes = 0;
        self.run(FILL, self.drive.size_bytes() / u64::from(FILL.block_bytes));
        self.next_bytes = 0;
        self.now_ns += SECOND;
    }

    /// Writes random pages, `times` times the capacity.
    pub fn overwrite(&mut self, times: u64) {
        self.run(Load { depth: 32, ..RANDOM_WRITE }, times * self.drive.size_bytes() / PAGE_BYTES);
    }

    pub fn io(&mut self, load: Load) -> IoCommand {
        let bytes = u64::from(load.block_bytes);
        let blocks = self.drive.size_bytes() / bytes;
        let block = if load.is_sequential { self.next_bytes / bytes % blocks } else { self.random.below(blocks) };
        self.next_bytes = (block + 1) * bytes;
        let is_read = load.read_percent == 100 || self.random.below(100) < load.read_percent;
        let operation = if is_read { Operation::Read } else { Operation::Write };
        IoCommand { operation, offset_bytes: block * bytes, length_bytes: load.block_bytes }
    }

    /// Keeps the queue full until `count` requests have completed.
    pub fn run(&mut self, load: Load, count: u64) -> LoadResult {
        let start_ns = self.now_ns;
        let mut begun: Vec<(u64, bool)> = Vec::new();
        let mut seen = LoadResult { elapsed_ns: 0, read_ns: Vec::new(), write_ns: Vec::new() };
        let mut slots: VecDeque<u64> = (0..load.depth).collect();
        begun.resize(slots.len(), (0, false));
        for _ in 0..count {
            if slots.is_empty() {
                self.now_ns = self.drive.next_ns();
                while let Some((slot, _)) = self.drive.take_completion(self.now_ns) {
                    seen.note(self.now_ns, begun[usize::try_from(slot).unwrap()]);
                    slots.push_back(slot);
                }
            }
            let slot = slots.pop_front().expect("something has completed");
            let io = self.io(load);
            begun[usize::try_from(slot).unwrap()] = (self.now_ns, io.operation == Operation::Read);
            self.drive.submit(self.now_ns, slot, &io);
        }
        while self.drive.next_ns() != u64::MAX {
            self.now_ns = self.drive.next_ns();
            while let Some((slot, _)) = self.drive.take_completion(self.now_ns) {
                seen.note(self.now_ns, begun[usize::try_from(slot).unwrap()]);
            }
        }
        seen.elapsed_ns = self.now_ns - start_ns;
        seen
    }

    /// The latency of one request on an idle drive.
    pub fn one(&mut self, operation: Operation, offset_bytes: u64, length_bytes: u32) -> u64 {
        let start_ns = self.now_ns;
        self.drive.submit(start_ns, 0, &IoCommand { operation, offset_bytes, length_bytes });
        self.now_ns = self.drive.next_ns();
        assert_eq!(self.drive.take_completion(self.now_ns), Some((0, length_bytes.cast_signed())));
        self.now_ns - start_ns
    }

    pub fn health(&self) -> Health {
        self.drive.health()
    }

    /// Write amplification over some work.
    pub fn amplification(&mut self, work: impl FnOnce(&mut Self)) -> f64 {
        let before = self.health();
        work(self);
        let after = self.health();
        (after.media_written_bytes - before.media_written_bytes) as f64
            / (after.host_written_bytes - before.host_written_bytes) as f64
    }
}

impl LoadResult {
    pub fn note(&mut self, now_ns: u64, (begun_ns, is_read): (u64, bool)) {
        let latencies = if is_read { &mut self.read_ns } else { &mut self.write_ns };
        latencies.push(now_ns - begun_ns);
    }
}
