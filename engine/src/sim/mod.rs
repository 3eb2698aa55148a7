//! Simulated drives in virtual time: deterministic, to the last bit the same on any machine. In: a model with its seed,
//! and requests with the times at which they arrive. Out: when each of them is done, and what that did to the drive.
//!
//! Nothing here asks the machine for anything: no clock, no platform mathematics, no order that a hash decides.
#![allow(clippy::float_arithmetic)] // Service times are drawn from distributions.

mod bounds;
mod clock;
mod disk;
mod done;
mod drive;
mod faults;
mod faulty;
mod flush;
mod health;
mod model;
mod own_time;
mod pending;
mod queueing;
pub mod ssd;
mod state;

pub use clock::VirtualClock;
pub use disk::{Disk, DiskModel};
pub use drive::{Drive, Simulation};
pub use faults::{Affected, FAULTS_MAX, FaultPlan, InFlight, check_faults};
pub use faulty::Faulty;
pub use flush::{FLUSH_NS_MAX, flush_all};
pub use health::Health;
pub use model::Model;
pub use pending::{Answer, Pending, Serve, Timetable};
pub use queueing::{Queueing, QueueingModel, Service};
pub use ssd::{Ssd, SsdModel};
pub use state::StateHash;
