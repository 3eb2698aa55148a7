//! Simulated drives behind one interface.

use super::{Disk, FaultPlan, Faulty, Health, IoCommand, Model, Pending, Queueing, Ssd, Volume};

/// A simulated drive. Times are virtual and never run backwards.
pub trait Simulation {
    /// Capacity in bytes.
    fn size_bytes(&self) -> u64;

    /// Announces a request, so that memory can be prefetched. It has no other effect.
    fn prefetch(&self, _io: &IoCommand) {}

    /// Submits a request that arrives at `now_ns`; `tag` identifies it.
    fn submit(&mut self, now_ns: u64, tag: u64, io: &IoCommand);

    /// The time of the drive's next event that the host can observe; `u64::MAX` if there is none.
    fn next_ns(&self) -> u64;

    /// Reaps the next request that is complete by now: its tag and its result, in order of time.
    fn take_completion(&mut self, now_ns: u64) -> Option<(u64, i32)>;

    /// Counters.
    fn health(&self) -> Health;

    /// A hash of the state: drives with the same hash behave the same from then on. Called when nothing is in flight.
    fn state_hash(&self) -> u64;

    /// Resets the drive to its factory state, except for its counters. Called when nothing is in flight.
    fn format(&mut self, now_ns: u64);

    /// Purges the drive, as a format does. False, without any change, for a drive that knows no erased state: disks,
    /// volumes, queues, and a drive that has disappeared.
    fn purge(&mut self, _now_ns: u64) -> bool {
        false
    }
}

/// A drive of one of the models.
#[derive(Clone, Debug)]
pub enum Drive {
    /// Servers with a shared queue.
    Queueing(Pending<Queueing>),
    /// A solid-state drive.
    Ssd(Box<Pending<Ssd>>),
    /// A hard disk.
    Disk(Box<Disk>),
    /// A cloud volume.
    Volume(Box<Pending<Volume>>),
    /// A drive of any model with scheduled faults.
    Faulty(Box<Faulty>),
}

impl Drive {
    /// A new drive of a model. The same model and seed yield the same drive.
    #[must_use]
    pub fn new(model: &Model, seed: u64) -> Self {
        match model {
            Model::Queueing(model) => Self::Queueing(Pending::new(Queueing::new(model, seed))),
            Model::Ssd(model) => Self::Ssd(Box::new(Pending::new(Ssd::new(model, seed)))),
            Model::Disk(model) => Self::Disk(Box::new(Disk::new(model, seed))),
            Model::Volume(model) => Self::Volume(Box::new(Pending::new(Volume::new(model, seed)))),
        }
    }

    /// Adds checked faults, scheduled from the time at which the drive is opened.
    #[must_use]
    pub fn with_faults(self, faults: &[FaultPlan], opened_ns: u64) -> Self {
        if faults.is_empty() { self } else { Self::Faulty(Box::new(Faulty::new(self, faults, opened_ns))) }
    }

    /// The drive's common interface.
    pub fn simulation(&mut self) -> &mut dyn Simulation {
        match self {
            Self::Queueing(drive) => drive,
            Self::Ssd(drive) => drive.as_mut(),
            Self::Disk(drive) => drive.as_mut(),
            Self::Volume(drive) => drive.as_mut(),
            Self::Faulty(drive) => drive.as_mut(),
        }
    }

    /// The same, read-only.
    #[must_use]
    pub fn simulated(&self) -> &dyn Simulation {
        match self {
            Self::Queueing(drive) => drive,
            Self::Ssd(drive) => drive.as_ref(),
            Self::Disk(drive) => drive.as_ref(),
            Self::Volume(drive) => drive.as_ref(),
            Self::Faulty(drive) => drive.as_ref(),
        }
    }
}
