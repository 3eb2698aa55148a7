//! A drive of any model behind one interface.

use super::{Disk, FaultPlan, Faulty, Health, Model, Pending, Queueing, Serve, Ssd};

/// What every simulated drive can do. Times are virtual and never run backwards.
pub trait Simulation {
    /// The size, bytes.
    fn size_bytes(&self) -> u64;

    /// Hears that a request will arrive soon, and may bring near what it will need for that. Nothing else changes.
    fn expect(&self, _serve: &Serve) {}

    /// Takes a request that arrives now. `ticket` says whose it is.
    fn submit(&mut self, now_ns: u64, ticket: u64, serve: &Serve);

    /// When the drive does something next that the host can see; `u64::MAX` for never.
    fn next_ns(&self) -> u64;

    /// The next request that is done by now: its ticket and its result. In the order of time.
    fn take_done(&mut self, now_ns: u64) -> Option<(u64, i32)>;

    /// Counters.
    fn health(&self) -> Health;

    /// A number that two drives share only if they will do the same from now on. Asked when nothing is in flight.
    fn state_hash(&self) -> u64;

    /// Makes the drive as it left the factory, but for its counters. Asked when nothing is in flight.
    fn format(&mut self, now_ns: u64);
}

/// A drive.
#[derive(Clone, Debug)]
pub enum Drive {
    /// Servers and one line before them.
    Queueing(Pending<Queueing>),
    /// A solid-state drive.
    Ssd(Box<Pending<Ssd>>),
    /// Arm, platters, cache and queue.
    Disk(Box<Disk>),
    /// A drive of any kind, with faults on a schedule.
    Faulty(Box<Faulty>),
}

impl Drive {
    /// A new drive of a model. The same model and seed give the same drive.
    #[must_use]
    pub fn new(model: &Model, seed: u64) -> Self {
        match model {
            Model::Queueing(model) => Self::Queueing(Pending::new(Queueing::new(model, seed))),
            Model::Ssd(model) => Self::Ssd(Box::new(Pending::new(Ssd::new(model, seed)))),
            Model::Disk(model) => Self::Disk(Box::new(Disk::new(model, seed))),
        }
    }

    /// The drive, with checked faults on a schedule that begins when it is opened. Without any it stays as it is.
    #[must_use]
    pub fn with_faults(self, faults: &[FaultPlan], opened_ns: u64) -> Self {
        if faults.is_empty() { self } else { Self::Faulty(Box::new(Faulty::new(self, faults, opened_ns))) }
    }

    /// The drive as what every drive is.
    pub fn simulation(&mut self) -> &mut dyn Simulation {
        match self {
            Self::Queueing(drive) => drive,
            Self::Ssd(drive) => drive.as_mut(),
            Self::Disk(drive) => drive.as_mut(),
            Self::Faulty(drive) => drive.as_mut(),
        }
    }

    /// The same, for looking at.
    #[must_use]
    pub fn simulated(&self) -> &dyn Simulation {
        match self {
            Self::Queueing(drive) => drive,
            Self::Ssd(drive) => drive.as_ref(),
            Self::Disk(drive) => drive.as_ref(),
            Self::Faulty(drive) => drive.as_ref(),
        }
    }
}
