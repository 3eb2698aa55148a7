//! Whether a target holds what was written: real files, written by the real loop, then damaged behind its back.

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod ledger;
mod sound;
mod workshop;
