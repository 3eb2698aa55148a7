//! What needs real devices or real time: targets that do not respond, and devices opened read-only.

#[path = "../common/mod.rs"]
mod common;

mod devices;
mod hangs;
