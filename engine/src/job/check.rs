//! Rejects jobs that cannot be run, with the reason.

use super::{
    BLOCK_SIZE_BYTES_MAX, COUNT_MAX, Data, EXPONENT_PERMILLE_MAX, Engine, IN_FLIGHT_BYTES_MAX, JOBS_MAX, Job,
    OVER_PROVISIONING_PERMILLE_MAX, OVER_PROVISIONING_PERMILLE_MIN, PSYNC_THREADS_MAX, Pattern, QUEUE_DEPTH_MAX,
    SIZES_MAX, SizeShare, Sync, TARGETS_MAX, VERIFY_COMPRESSIBLE_PERCENT_MAX, WEIGHTS_MAX, ZONES_MAX, Zone,
};
use crate::failure::{Failure, FailureKind};
use crate::ring::Poll;
use crate::target::{Target, TargetKind};
use crate::verify::IN_FLIGHT_MAX;

/// The largest block count of an NVMe command: a 16-bit field, in which 0 means one block.
const COMMAND_BLOCKS_MAX: u32 = 1 << 16;

impl Job {
    /// Rejects a job that cannot be run on a target. The message contains the value and its bound.
    pub fn check(&self, target: &Target) -> Result<(), Failure> {
        self.check_shares()?;
        self.check_sizes(target)?;
        self.check_load()?;
        self.check_extent(target)?;
        self.check_data()?;
        self.check_verify(target)?;
        self.check_passthrough(target)?;
        self.check_pattern()?;
        self.check_time()
    }

    fn check_shares(&self) -> Result<(), Failure> {
        if self.read_percent > 100 {
            return bad(format!("read_percent is {}; the maximum is 100", self.read_percent));
        }
        let trims_most = 100 - self.read_percent;
        if self.trim_percent > trims_most {
            return bad(format!(
                "trim_percent is {}; with these reads, the maximum is {trims_most}",
                self.trim_percent
            ));
        }
        if self.flush_every == 0 || self.flush_every > COUNT_MAX {
            return bad(format!("flush_every is {}; the range is 1 to {COUNT_MAX}", self.flush_every));
        }
        if self.flush_every > 1 && self.sync != Sync::Fdatasync {
            return bad("flush_every requires sync fdatasync".to_owned());
        }
        Ok(())
    }

    fn check_sizes(&self, target: &Target) -> Result<(), Failure> {
        let offset_alignment = u64::from(target.alignment.offset_bytes);
        let whole = SizeShare { size_bytes: self.block_size_bytes, weight: 1 };
        for size in self.block_sizes.iter().chain([&whole]).map(|share| u64::from(share.size_bytes)) {
            if size < 512 || size % 512 != 0 || size > u64::from(BLOCK_SIZE_BYTES_MAX) {
                return bad(format!("block size {size} is not a multiple of 512 up to {BLOCK_SIZE_BYTES_MAX}"));
            }
            if size % offset_alignment != 0 {
                return bad(format!(
                    "block size {size} is not a multiple of the target's alignment, {offset_alignment}"
                ));
            }
        }
        if self.block_sizes.is_empty() {
            return Ok(());
        }
        let weights: u64 = self.block_sizes.iter().map(|share| u64::from(share.weight)).sum();
        let is_weightless = self.block_sizes.iter().any(|share| share.weight == 0);
        if self.block_sizes.len() > SIZES_MAX || is_weightless || weights > u64::from(WEIGHTS_MAX) {
            return bad(format!(
                "a job can have at most {SIZES_MAX} block sizes, with weights of at least 1 and a sum of at most {WEIGHTS_MAX}"
            ));
        }
        if self.block_sizes.iter().map(|share| share.size_bytes).max() != Some(self.block_size_bytes) {
            return bad(format!(
                "block_size_bytes is {}, which is not the largest of block_sizes",
                self.block_size_bytes
            ));
        }
        Ok(())
    }

    fn check_load(&self) -> Result<(), Failure> {
        if self.queue_depth == 0 || self.queue_depth > QUEUE_DEPTH_MAX {
            return bad(format!("queue depth {} is not between 1 and {QUEUE_DEPTH_MAX}", self.queue_depth));
        }
        if self.jobs == 0 || self.jobs > JOBS_MAX {
            return bad(format!("jobs is {}; the range is 1 to {JOBS_MAX}", self.jobs));
        }
        if self.targets == 0 || self.targets > TARGETS_MAX {
            return bad(format!("targets is {}; the range is 1 to {TARGETS_MAX}", self.targets));
        }
        if self.engine == Engine::Psync && self.in_flight() > PSYNC_THREADS_MAX {
            return bad(format!(
                "{} operations in flight need one psync thread each; the maximum is {PSYNC_THREADS_MAX} threads",
                self.in_flight()
            ));
        }
        if u64::from(self.block_size_bytes) * u64::from(self.in_flight()) > IN_FLIGHT_BYTES_MAX {
            return bad(format!("the job would have more than {IN_FLIGHT_BYTES_MAX} bytes in flight"));
        }
        Ok(())
    }

    fn check_extent(&self, target: &Target) -> Result<(), Failure> {
        let end_bytes = self.offset_bytes.checked_add(self.span_bytes);
        if end_bytes.is_none_or(|end_bytes| end_bytes > target.size_bytes) {
            let from = if self.offset_bytes == 0 { String::new() } else { format!(" at offset {}", self.offset_bytes) };
            return bad(format!(
                "the test region of {} bytes{from} extends beyond the end of the target at {} bytes",
                self.span_bytes, target.size_bytes
            ));
        }
        let grid_bytes = u64::from(target.alignment.offset_bytes).max(512);
        if !self.offset_bytes.is_multiple_of(grid_bytes) {
            return bad(format!("offset {} is not a multiple of {grid_bytes}", self.offset_bytes));
        }
        if self.blocks() < u64::from(self.jobs) {
            return bad(format!(
                "the test region of {} bytes is smaller than one block of {} bytes for each of {} jobs",
                self.span_bytes, self.block_size_bytes, self.jobs
            ));
        }
        self.check_amount()?;
        if (self.writes() || self.trims()) && !target.writable {
            return bad("the target was opened read-only, but the job writes or trims".to_owned());
        }
        if self.trims() && target.kind == TargetKind::Device && self.engine != Engine::Psync {
            return bad("trims of a device require engine psync, which discards".to_owned());
        }
        if matches!(self.engine, Engine::Null | Engine::Nop) != (target.kind == TargetKind::Null) {
            return bad("engines null and nop require a null target, and a null target requires one of them".to_owned());
        }
        if self.poll != Poll::Interrupt && !self.engine.is_ring_on_a_target() {
            return bad(format!("poll mode {} requires io_uring or passthrough", self.poll.name()));
        }
        if self.poll == Poll::Iopoll && (self.sync == Sync::Fdatasync || self.trims()) {
            return bad("poll mode iopoll supports neither fdatasync nor trims".to_owned());
        }
        if (self.engine == Engine::Simulation) != (target.kind == TargetKind::Simulation) {
            return bad(
                "engine simulation requires a simulated drive, and a simulated drive requires engine simulation"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn check_data(&self) -> Result<(), Failure> {
        let (compressible, duplicates) = (self.compressible_percent, self.duplicates_percent);
        if compressible > 100 || duplicates > 100 {
            return bad(format!(
                "compressible_percent is {compressible} and duplicates_percent is {duplicates}; the maximum is 100"
            ));
        }
        if compressible > 0 && self.data != Data::Random {
            return bad("compressible_percent requires random data".to_owned());
        }
        if duplicates > 0 && self.data == Data::Zeros {
            return bad("duplicates_percent cannot be used with zeros, which are all duplicates".to_owned());
        }
        Ok(())
    }

    fn check_verify(&self, target: &Target) -> Result<(), Failure> {
        let Some(ledger) = &target.ledger else {
            let lacks = self.verify && (self.writes() || self.trims());
            return if lacks {
                bad("a job with verify requires a target that was opened with a ledger".to_owned())
            } else {
                Ok(())
            };
        };
        if !self.verify && (self.writes() || self.trims()) {
            return bad("the target has a ledger, but the job would write without recording it there".to_owned());
        }
        let is_compressible = self.data == Data::Zeros || self.compressible_percent > VERIFY_COMPRESSIBLE_PERCENT_MAX;
        if is_compressible || self.duplicates_percent > 0 {
            return bad(format!(
                "verify requires unique sectors that are at most {VERIFY_COMPRESSIBLE_PERCENT_MAX} % compressible"
            ));
        }
        if self.in_flight() > IN_FLIGHT_MAX {
            return bad(format!(
                "{} operations in flight exceed the ledger's maximum of {IN_FLIGHT_MAX}",
                self.in_flight()
            ));
        }
        let step_bytes = ledger.head().step_bytes;
        if !self.step_bytes().is_multiple_of(step_bytes) || !self.offset_bytes.is_multiple_of(step_bytes) {
            return bad(format!("blocks are not aligned to the ledger's steps of {step_bytes} bytes"));
        }
        let (end, known) = (self.offset_bytes.saturating_add(self.span_bytes), ledger.head().size_bytes);
        if end > known {
            return bad(format!("the test region ends at byte {end}, beyond the ledger's end at byte {known}"));
        }
        Ok(())
    }

    fn check_passthrough(&self, target: &Target) -> Result<(), Failure> {
        if self.engine != Engine::Passthrough {
            return Ok(());
        }
        let Some(facts) = target.namespace.as_ref().map(|namespace| namespace.facts) else {
            return bad("passthrough requires a target that was opened as an NVMe namespace".to_owned());
        };
        if self.read_percent < 100 {
            return bad("passthrough supports reads only".to_owned());
        }
        let whole = SizeShare { size_bytes: self.block_size_bytes, weight: 1 };
        for size in self.block_sizes.iter().chain([&whole]).map(|share| share.size_bytes) {
            if size / facts.block_bytes.max(1) > COMMAND_BLOCKS_MAX {
                return bad(format!(
                    "block size {size} exceeds the {COMMAND_BLOCKS_MAX} logical blocks of an NVMe command"
                ));
            }
            if size % facts.block_bytes != 0 || size > facts.transfer_bytes_max {
                let (least, most) = (facts.block_bytes, facts.transfer_bytes_max);
                return bad(format!(
                    "block size {size} is not a multiple of {least} up to {most}, the largest transfer"
                ));
            }
        }
        if !self.offset_bytes.is_multiple_of(facts.block_bytes.into()) {
            return bad(format!("offset {} is not a multiple of {}", self.offset_bytes, facts.block_bytes));
        }
        Ok(())
    }

    fn check_pattern(&self) -> Result<(), Failure> {
        let block = u64::from(self.block_size_bytes);
        let is_mixed = !self.block_sizes.is_empty();
        match &self.pattern {
            Pattern::Permutation | Pattern::FastRandom { .. } | Pattern::Strided { .. } if is_mixed => {
                bad("patterns permutation, fast_random and strided require a single block size".to_owned())
            }
            Pattern::FastRandom { over_provisioning_permille: permille }
                if !(OVER_PROVISIONING_PERMILLE_MIN..=OVER_PROVISIONING_PERMILLE_MAX).contains(permille) =>
            {
                let (least, most) = (OVER_PROVISIONING_PERMILLE_MIN, OVER_PROVISIONING_PERMILLE_MAX);
                bad(format!("over_provisioning_permille is {permille}; the range is {least} to {most}"))
            }
            Pattern::FastRandom { .. } if self.read_percent > 0 || self.trim_percent > 0 => {
                bad("pattern fast_random requires writes only".to_owned())
            }
            Pattern::Zipf { exponent_permille, .. } if !(1..=EXPONENT_PERMILLE_MAX).contains(exponent_permille) => {
                bad(format!("exponent_permille is {exponent_permille}; the range is 1 to {EXPONENT_PERMILLE_MAX}"))
            }
            Pattern::Pareto { share_permille, .. } if !(1..500).contains(share_permille) => {
                bad(format!("share_permille is {share_permille}; the range is 1 to 499"))
            }
            Pattern::HotSpots { zones, .. } => check_zones(zones),
            Pattern::Strided { stride_bytes } => {
                let share_bytes = self.blocks() / u64::from(self.jobs) * block;
                if *stride_bytes == 0 || stride_bytes % block != 0 || *stride_bytes > share_bytes {
                    return bad(format!("stride {stride_bytes} is not a multiple of {block} up to {share_bytes}"));
                }
                Ok(())
            }
            Pattern::Runs { jump_percent } if *jump_percent > 100 => {
                bad(format!("jump_percent is {jump_percent}; the maximum is 100"))
            }
            _ => Ok(()),
        }
    }

    fn check_amount(&self) -> Result<(), Failure> {
        let block_bytes = u64::from(self.block_size_bytes);
        let left_bytes = self.amount_bytes.map(|amount| amount.saturating_sub(self.done_bytes));
        if left_bytes.is_some_and(|left| left < block_bytes) {
            return bad("less than one block is left of amount_bytes".to_owned());
        }
        // The place in the stream follows from the amount only if there is one stream of equal steps.
        let is_even = self.amount_bytes.is_some() && self.jobs == 1 && self.block_sizes.is_empty();
        if self.done_bytes > 0 && !(is_even && self.done_bytes.is_multiple_of(block_bytes)) {
            return bad("done_bytes requires amount_bytes, one job, and whole blocks of one size".to_owned());
        }
        Ok(())
    }
}

fn check_zones(zones: &[Zone]) -> Result<(), Failure> {
    let sum = |share: fn(&Zone) -> u32| zones.iter().map(|zone| u64::from(share(zone))).sum::<u64>();
    let is_whole = sum(|zone| zone.accesses_permille) == 1000 && sum(|zone| zone.space_permille) == 1000;
    let is_empty = zones.iter().any(|zone| zone.space_permille == 0);
    if zones.len() > ZONES_MAX || !is_whole || is_empty {
        return bad(format!(
            "hot_spots requires 1 to {ZONES_MAX} zones with space_permille of at least 1; the sums of accesses_permille and of space_permille must be 1000"
        ));
    }
    Ok(())
}

pub(super) fn bad(message: String) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::BadJob, message))
}
