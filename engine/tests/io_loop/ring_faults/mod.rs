//! Ring faults, planned and random: each job ends in a defined state within its deadline, and each operation is counted
//! once.

mod kernel;
mod plans;
mod random;
mod rig;
