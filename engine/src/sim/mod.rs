//! Simulated drives in virtual time: deterministic, and bit-identical on every machine. In: a model with its seed, and
//! requests with arrival times. Out: completion times, and the state of the drive.
//!
//! Nothing here depends on the machine: no clock, no mathematical functions of the platform, and no iteration order of
//! hash maps.
#![allow(clippy::float_arithmetic)] // Service times are drawn from distributions.

mod bounds;
mod clock;
mod completions;
mod disk;
mod drive;
mod drive_time;
mod faults;
mod faulty;
mod flush;
mod health;
mod model;
mod pending;
mod queueing;
pub mod ssd;
mod state;
mod volume;

pub use clock::VirtualClock;
pub use disk::{Disk, DiskModel};
pub use drive::{Drive, Simulation};
pub use faults::{Affected, FAULTS_MAX, FaultPlan, InFlight, check_faults};
pub use faulty::Faulty;
pub use flush::{FLUSH_NS_MAX, flush_all};
pub use health::Health;
pub use model::Model;
pub use pending::{CompletionModel, IoCommand, Pending, ScheduledCompletion};
pub use queueing::{Queueing, QueueingModel, Service};
pub use ssd::{Ssd, SsdModel};
pub use state::StateHash;
pub use volume::{Limit, LimitModel, Volume, VolumeModel};
