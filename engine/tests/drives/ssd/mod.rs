//! The simulated solid-state drive: known behaviours emerge from its components.
#![allow(clippy::float_arithmetic, clippy::cast_precision_loss)] // Shares and rates.
#![allow(clippy::print_stdout)] // Prints measurements with --nocapture.

mod amplification;
mod drives;
mod golden;
mod loop_speed;
mod model;
mod parts;
mod power;
mod read_cache;
mod rig;
mod shapes;
