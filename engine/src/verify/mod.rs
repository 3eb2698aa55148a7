//! Verification that a target holds what was written to it. In: the start and end of writes, and later the target's
//! content. Out: a header in every sector, a ledger of what each step should hold, and the damage found.

mod account;
mod ledger;
mod sector;
mod verdict;

pub use ledger::{IN_FLIGHT_MAX, Ledger, LedgerHead, STEP_BYTES_MAX, STEPS_MAX};
pub use sector::{Found, SEAL_BYTES, SECTOR_BYTES, Seal, read_sector, seal_sector};
pub use verdict::{Damage, DamageKind, judge};
