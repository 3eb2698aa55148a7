//! Access patterns: each generator on its own, then the streams of whole jobs.

mod bursts;
mod duty;
mod fast_random;
mod permutation;
mod shuffled_deck;
mod skew;
mod streams;
mod stride;
mod trims;
