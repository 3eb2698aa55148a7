//! Whether a target holds what was written to it. In: writes as they begin and end, and later what a target holds. Out:
//! seals on every sector, a ledger of what each part should hold, and what is wrong with a part.

mod account;
mod ledger;
mod sector;
mod verdict;

pub use ledger::{IN_FLIGHT_MAX, Ledger, LedgerHead, STEP_BYTES_MAX, STEPS_MAX};
pub use sector::{Found, SEAL_BYTES, SECTOR_BYTES, Seal, read_sector, seal_sector};
pub use verdict::{Damage, DamageKind, judge};
