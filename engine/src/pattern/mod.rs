//! Offsets, classes and data of operations. In: a job and its seed. Out: a stream of accesses, which the seed
//! determines. No I/O and no clock.

mod accesses;
mod arrivals;
mod bursts;
mod duty;
mod fast_random;
mod offsets;
mod payload;
mod permutation;
mod shuffled_deck;
mod sizes;
mod skew;
mod stride;

pub use accesses::{Access, Accesses, Shared};
pub use arrivals::{ArrivalKind, Arrivals, OpenLoop};
pub use bursts::{Burst, Bursts};
pub use duty::{Duty, DutyCycle};
pub use fast_random::{FastRandom, REGIONS, flash_blocks, write_amplification};
pub use payload::{Direction, Payload};
pub use permutation::Permutation;
pub use shuffled_deck::ShuffledDeck;
pub use skew::{Pareto, Zipf, Zones};
pub use stride::Stride;
