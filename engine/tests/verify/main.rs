//! Verification of real files, written by the real I/O loop and then damaged from outside.

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod ledger;
mod rig;
mod sound;
