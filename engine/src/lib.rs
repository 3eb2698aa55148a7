//! The engine of iosonde: the only code that does I/O on a target.
//!
//! The modules, in dependency order (each uses only those before it):
//! `record` (what is recorded), `failure`, `clock`, `random` (reproducible random numbers), `host` (CPU time and
//! clocks), `memory` (mappings), `watchdog` (deadlines of calls that may block for ever), `verify` (what a target
//! should hold, and checks of it), `guard` (decides whether a device may be written), `nvme` (admin commands), `target`
//! (the open file or device), `purge` (erases a device and reads it back), `write_cache` (sets
//! the volatile write cache of a device), `job` (a checked workload), `pattern`
//! (offsets, operations and data), `ring` (the I/O engines), `sim` (simulated drives in virtual time), `health` (what
//! drives report about themselves), `worker` (the I/O loop),
//! `cell` (runs one job with its worker threads), `protocol` (commands and events), `session` (executes commands).
//! `parent` stands alone: it ends the engine with its parent process.

pub mod cell;
pub mod clock;
pub mod failure;
pub mod guard;
pub mod health;
pub mod host;
pub mod job;
pub mod memory;
pub mod nvme;
pub mod parent;
pub mod pattern;
pub mod protocol;
pub mod purge;
pub mod random;
pub mod record;
pub mod ring;
pub mod session;
pub mod sim;
pub mod target;
pub mod verify;
pub mod watchdog;
pub mod worker;
pub mod write_cache;
