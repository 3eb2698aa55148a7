//! Power limit: a token bucket of energy, from which every media operation takes its energy before it starts.
//!
//! The bucket can hold the energy of one window. It fills with the limit minus the idle power. An operation takes its
//! energy when it is scheduled, and starts when that energy has accumulated. Half of the bucket is reserved for host
//! reads: programs, erases and reads for relocation wait while less than half remains. As long as reads stay within
//! their own share of the power, they do not wait for energy that scheduled writes have taken in advance. Writes are
//! therefore throttled long before reads, neither side starves, and the long-term mean power is at most the limit.
//!
//! Energies are in picojoules: milliwatts times nanoseconds.

use super::model::{PowerModel, READS_PERCENT, SsdModel};
use crate::sim::StateHash;

/// Operations of a die that take energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaOperation {
    /// A host read, which may empty the bucket.
    Read,
    /// A read for relocation or folding.
    Relocate,
    /// A program.
    Program,
    /// An erase.
    Erase,
}

/// The power state of a drive. Without a limit, nothing is delayed.
#[derive(Clone, Debug, Default)]
pub struct Power(Option<Box<Limited>>);

#[derive(Clone, Debug)]
struct Limited {
    model: PowerModel,
    dies: u64,
    bucket: Bucket,
    // Fills with the share of the power that is reserved for reads.
    reads: Bucket,
    // During background work: the power of the current die, which cannot save unused energy.
    share: Option<Bucket>,
    // The time up to which throttling was accounted, and the throttled time so far.
    held_until_ns: u64,
    throttled_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    flow_mw: u64,
    // Energy taken that has not accumulated again by `at_ns`.
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

    // The time at which the missing energy has fallen to `left_pj`.
    fn settled_ns(&self, left_pj: u64) -> u64 {
        self.at_ns + self.taken_pj.saturating_sub(left_pj).div_ceil(self.flow_mw)
    }
}

impl Power {
    /// The power state after an idle window.
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

    /// Takes the energy of an operation that is scheduled at `now_ns` and could start at `at_ns`. Returns when it may
    /// start. If `counts`, the delay is accounted as throttling.
    #[inline]
    pub fn begin(&mut self, operation: MediaOperation, now_ns: u64, at_ns: u64, length_ns: u64, counts: bool) -> u64 {
        let Some(limited) = &mut self.0 else { return at_ns };
        let charged_ns = limited.charge(operation, now_ns, at_ns, length_ns);
        if counts {
            limited.hold(at_ns, charged_ns);
        }
        at_ns.max(charged_ns)
    }

    /// Takes the energy of a transfer over the link. It is not delayed.
    #[inline]
    pub fn charge_link(&mut self, now_ns: u64, length_ns: u64) {
        if let Some(limited) = &mut self.0 {
            limited.bucket.take(now_ns, limited.model.link_mw * length_ns);
        }
    }

    /// Gives a die its share of the power for background work from a given time on.
    pub fn begin_idle(&mut self, from_ns: u64) {
        if let Some(limited) = &mut self.0 {
            limited.share = Some(Bucket::full(limited.bucket.flow_mw, from_ns));
        }
    }

    /// Ends background work.
    pub fn end_idle(&mut self) {
        if let Some(limited) = &mut self.0 {
            limited.share = None;
        }
    }

    /// Time for which operations were delayed by the power limit.
    pub fn throttled_ns(&self) -> u64 {
        self.0.as_ref().map_or(0, |limited| limited.throttled_ns)
    }

    /// Adds the state to a hash, if there is a limit.
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

    // Takes energy. Returns when enough has accumulated.
    fn charge(&mut self, operation: MediaOperation, now_ns: u64, at_ns: u64, length_ns: u64) -> u64 {
        let die_mw = match operation {
            MediaOperation::Read | MediaOperation::Relocate => self.model.read_mw,
            MediaOperation::Program => self.model.program_mw,
            MediaOperation::Erase => self.model.erase_mw,
        };
        let energy_pj = die_mw * length_ns;
        if let Some(share) = &mut self.share {
            // Each die has an equal share of the power. This is equivalent to taking the energy once for every die.
            let energy_pj = energy_pj * self.dies;
            share.take(at_ns, energy_pj);
            share.settled_ns(energy_pj)
        } else {
            self.bucket.take(now_ns, energy_pj);
            let size_pj = self.bucket.flow_mw * self.model.window_ns;
            if operation != MediaOperation::Read {
                return self.bucket.settled_ns(size_pj / 2);
            }
            self.reads.take(now_ns, energy_pj);
            self.bucket.settled_ns(size_pj).min(self.reads.settled_ns(size_pj))
        }
    }
}
