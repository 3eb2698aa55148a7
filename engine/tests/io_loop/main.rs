//! The I/O loop and its parts: access patterns, rings, targets, histograms and verification.

#[path = "../common/mod.rs"]
mod common;

mod decisions;
mod files;
mod histogram;
mod later_start;
mod open_loop;
mod pattern;
mod patterns;
mod ring_faults;
mod rings;
mod targets;
mod verify;
mod worker;
