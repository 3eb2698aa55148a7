//! Where the next operation goes and what it carries. In: a job's shape and a seed. Out: a stream of accesses, the same
//! for the same seed. Pure: no I/O, no clock.

mod accesses;
mod arrivals;
mod payload;

pub use accesses::{Access, Accesses, Shared};
pub use arrivals::{ArrivalKind, Arrivals, Pace};
pub use payload::{Direction, Payload, Region};
