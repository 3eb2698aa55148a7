//! Simulated drives: queues, disks, solid-state drives and volumes, and their faults.

#[path = "../common/mod.rs"]
mod common;

mod disk;
mod drive_faults;
mod simulated;
mod ssd;
mod volume;
