//! Power: a bucket of energy, from which every operation of the media takes what it needs before it begins.
//!
//! What a drive may draw above its idle power fills the bucket, which holds as much as that is in one window. An operation
//! takes its energy when it is planned, and begins once that has come in. Half of the bucket is kept for reads of the host:
//! programs, erases and reads of collection wait while less than that is left. Nor does a read wait for what writes have
//! planned ahead, as long as reads take no more than their own part of the flow. So writes are held back long before reads
//! are, neither side starves, and in the long run the mean power is at most the limit.
//!
//! Energies are in picojoules: milliwatts times nanoseconds.

use super::model::{PowerModel, READS_PERCENT, SsdModel};
use crate::sim::StateHash;

/// What a die does that takes energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A read of the host, which may empty the bucket.
    Read,
    /// A read of collection or folding.
    Move,
    /// A program.
    Program,
    /// An erase.
    Erase,
}

/// The energy of a drive. One without a limit takes nothing and waits for nothing.
#[derive(Clone, Debug, Default)]
pub struct Power(Option<Box<Limited>>);

#[derive(Clone, Debug)]
struct Limited {
    model: PowerModel,
    dies: u64,
    bucket: Bucket,
    // The part of the flow that reads have to themselves.
    reads: Bucket,
    // While the drive is idle, each die has its share of the power, and a bucket of no size.
    share: Option<Bucket>,
    // Up to when the drive is known to be held back, and for how long it was until then.
    held_until_ns: u64,
    throttled_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    flow_mw: u64,
    // What was taken and has not come in again by `at_ns`.
    taken_pj: u64,
    at_ns: u64,
}

impl Bucket {
    fn full(flow_mw: u64, at_ns: u64) -> Self {
        Self { flow_mw, taken_pj: 0, at_ns }
    }

    fn take(&mut self, now_ns: u64, energy_pj: u64) {
        let came_in_pj = self.flow_mw.saturating_mul(now_ns.saturating_sub(self.at_ns));
        self.at_ns = self.at_ns.max(now_ns);
        self.taken_pj = self.taken_pj.saturating_sub(came_in_pj).saturating_add(energy_pj);
    }

    // When no more than this is still to come in.
    fn settled_ns(&self, left_pj: u64) -> u64 {
        self.at_ns + self.taken_pj.saturating_sub(left_pj).div_ceil(self.flow_mw)
    }
}

impl Power {
    /// The energy of a drive that has been idle for a window.
    pub fn new(model: &SsdModel, dies: u32) -> Self {
        Self(model.power.as_ref().map(|power| {
            let flow_mw = power.limit_mw - power.idle_mw;
            Box::new(Limited {
                model: power.clone(),
                dies: u64::from(dies),
                bucket: Bucket::full(flow_mw, 0),
                reads: Bucket::full((flow_mw * READS_PERCENT / 100).max(1), 0),
                share: None,
                held_until_ns: 0,
                throttled_ns: 0,
            })
        }))
    }

    /// Takes the energy of something that a die does for so long, planned at `now_ns`, and that could begin at `at_ns`.
    /// When it may begin; whether the time until then counts as held back is said, too.
    #[inline]
    pub fn begin(&mut self, act: Act, now_ns: u64, at_ns: u64, length_ns: u64, counts: bool) -> u64 {
        let Some(limited) = &mut self.0 else { return at_ns };
        let paid_ns = limited.pay(act, now_ns, at_ns, length_ns);
        if counts {
            limited.hold(at_ns, paid_ns);
        }
        at_ns.max(paid_ns)
    }

    /// Takes the energy of the link while it moves data for so long. That waits for nothing.
    #[inline]
    pub fn carry(&mut self, now_ns: u64, length_ns: u64) {
        if let Some(limited) = &mut self.0 {
            limited.bucket.take(now_ns, limited.model.link_mw * length_ns);
        }
    }

    /// Gives a die its share of the power for what it does in the background from a time on.
    pub fn begin_idle(&mut self, from_ns: u64) {
        if let Some(limited) = &mut self.0 {
            limited.share = Some(Bucket::full(limited.bucket.flow_mw, from_ns));
        }
    }

    /// Says that what follows is for the host again.
    pub fn end_idle(&mut self) {
        if let Some(limited) = &mut self.0 {
            limited.share = None;
        }
    }

    /// How long anything was held back for lack of power.
    pub fn throttled_ns(&self) -> u64 {
        self.0.as_ref().map_or(0, |limited| limited.throttled_ns)
    }

    /// Adds it to a hash, if there is a limit.
    pub fn add_to(&self, hash: &mut StateHash) {
        if let Some(limited) = &self.0 {
            for bucket in [limited.bucket, limited.reads] {
                hash.add_all([bucket.taken_pj, bucket.at_ns]);
            }
            hash.add(limited.held_until_ns);
        }
    }
}

impl Limited {
    fn hold(&mut self, from_ns: u64, until_ns: u64) {
        self.throttled_ns += until_ns.saturating_sub(from_ns.max(self.held_until_ns));
        self.held_until_ns = self.held_until_ns.max(until_ns);
    }

    // Takes energy. When enough of it has come in.
    fn pay(&mut self, act: Act, now_ns: u64, at_ns: u64, length_ns: u64) -> u64 {
        let die_mw = match act {
            Act::Read | Act::Move => self.model.read_mw,
            Act::Program => self.model.program_mw,
            Act::Erase => self.model.erase_mw,
        };
        let energy_pj = die_mw * length_ns;
        if let Some(share) = &mut self.share {
            // A share is an equal part of the flow: as if each die alone took the energy of all of them.
            let energy_pj = energy_pj * self.dies;
            share.take(at_ns, energy_pj);
            share.settled_ns(energy_pj)
        } else {
            self.bucket.take(now_ns, energy_pj);
            let size_pj = self.bucket.flow_mw * self.model.window_ns;
            if act != Act::Read {
                return self.bucket.settled_ns(size_pj / 2);
            }
            self.reads.take(now_ns, energy_pj);
            self.bucket.settled_ns(size_pj).min(self.reads.settled_ns(size_pj))
        }
    }
}
