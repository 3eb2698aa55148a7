//! Verification of real files, written by the real I/O loop and then damaged from outside.

mod damage;
mod ledger;
mod rig;
mod sound;
