//! Plays the fuzzer's inputs to a session whose only files are in a scratch directory. `make fuzz` runs it.
#![no_main]

#[path = "../../engine/tests/common/front.rs"]
mod front;
mod mutation;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Memory limit of the process. Anything that needs more is unbounded, or does not check what is available.
const MEMORY_BYTES_MAX: u64 = 1 << 30;

fn limit_memory() {
    let limit = Rlimit { current: Some(MEMORY_BYTES_MAX), ..getrlimit(Resource::Data) };
    setrlimit(Resource::Data, limit).expect("a limit may always be lowered");
}

fuzz_target!(init: limit_memory(), |data: &[u8]| drop(front::play(data)));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutation::mutate(data, size, max_size, seed)
});
