//! A simulated hard disk: results follow from its mechanics, caches and command queue.
#![allow(clippy::float_arithmetic)] // Closed-form solutions need floats.
#![allow(clippy::cast_precision_loss)] // Times and counts here are below 2^53.

mod cache;
mod drive;
mod random_io;
mod rig;
mod streams;
