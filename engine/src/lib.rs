//! The engine of iosonde: the only code that does I/O on a target.
//!
//! The rooms, in the order of dependence (each uses only those before it):
//! `record` (what is written down), `failure`, `clock`, `random` (numbers that are the same everywhere), `host` (CPU time and the machine's clocks), `memory` (what comes from the kernel),
//! `watchdog` (a thread for what may never come back),
//! `verify` (what a target should hold, and whether it does), `target` (the open
//! file and what may be done to it), `job` (a checked workload), `pattern` (where operations go and what they carry),
//! `ring` (the way to the kernel), `sim` (simulated drives in virtual time), `worker` (the closed loop), `cell` (threads around workers, one job at a time),
//! `protocol` (the wall), `session` (commands in, events out). `parent` stands by itself (whose end is the engine's).

pub mod cell;
pub mod clock;
pub mod failure;
pub mod host;
pub mod job;
pub mod memory;
pub mod parent;
pub mod pattern;
pub mod protocol;
pub mod random;
pub mod record;
pub mod ring;
pub mod session;
pub mod sim;
pub mod target;
pub mod verify;
pub mod watchdog;
pub mod worker;
