//! The simulated solid-state drive: what is known of such drives follows from its parts.
#![allow(clippy::float_arithmetic, clippy::cast_precision_loss)] // Shares and rates.
#![allow(clippy::print_stdout)] // Figures for whoever asks with --nocapture.

mod amplification;
mod bench;
mod drives;
mod golden;
mod loop_speed;
mod model;
mod parts;
mod power;
mod shapes;
