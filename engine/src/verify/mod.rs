//! Verification that a target holds what was written to it. In: the start and end of writes, and later the target's
//! content. Out: a header in every sector, a ledger of what each step should hold, and the damage found.

mod check;
mod ledger;
mod ledger_file;
mod sector;

pub use check::{Damage, DamageKind, check_step};
pub use ledger::{IN_FLIGHT_MAX, Ledger, LedgerHead, STEP_BYTES_MAX, STEPS_MAX};
pub use sector::{Found, HEADER_BYTES, SECTOR_BYTES, SectorHeader, read_sector, write_header};
