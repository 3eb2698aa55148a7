//! Sessions: the protocol with the front, input that no front would send, and the lifetime of the program.

#[path = "../common/mod.rs"]
mod common;

mod hostile;
mod lifetimes;
mod protocol;
