//! A simulated hard disk: what is measured on it follows from its arm, its platters and its memory.
#![allow(clippy::float_arithmetic)] // Closed forms are made of real numbers.
#![allow(clippy::cast_precision_loss)] // Times and counts here are below 2^53.

#[path = "../common/mod.rs"]
mod common;

mod arm;
mod cache;
mod rig;
mod streams;
mod whole;
