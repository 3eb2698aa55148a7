//! Access patterns: each generator on its own, then the streams of whole jobs.

#[path = "../common/mod.rs"]
mod common;

mod bursts;
mod duty;
mod fast_random;
mod permutation;
mod shuffled_deck;
mod skew;
mod streams;
mod stride;
mod trims;
