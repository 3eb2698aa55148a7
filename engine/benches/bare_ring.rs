//! The cost of the path to the kernel without an engine: no-ops, submitted a whole queue at a time, as the engine does
//! where each batch completes at once, with the same ring flags. No offsets are drawn, and nothing is timestamped or
//! recorded except the count.
//!
//! `bare_ring SECONDS DEPTH` prints operations and nanoseconds as JSON.

use std::time::{Duration, Instant};

use io_uring::{IoUring, opcode};
use iosonde_engine::ring::{Poll, build_ring};
use iosonde_engine::worker::BatchSize;

/// Rounds between two clock reads.
const ROUNDS: u32 = 1024;

fn number(position: usize, otherwise: u32) -> u32 {
    std::env::args().filter(|word| !word.starts_with('-')).nth(position).map_or(otherwise, |word| {
        word.parse().unwrap_or_else(|error| panic!("argument {position} is a number: {error}"))
    })
}

fn main() {
    let (seconds, depth) = (number(1, 1), number(2, 128));
    let batch = BatchSize::of(depth).most();
    let (mut ring, _): (IoUring, _) = build_ring(depth, Poll::Interrupt).expect("this host has io_uring");
    let since = Instant::now();
    let end = Duration::from_secs(seconds.into());
    let (mut done, mut in_flight) = (0_u64, 0_u32);
    while since.elapsed() < end {
        for _ in 0..ROUNDS {
            let mut queue = ring.submission();
            for slot in 0..batch.min(depth - in_flight) {
                let entry = opcode::Nop::new().build().user_data(slot.into());
                // SAFETY: a no-op accesses no memory.
                unsafe { queue.push(&entry) }.expect("there is room for the whole depth");
                in_flight += 1;
            }
            drop(queue);
            ring.submitter().submit_and_wait(1).expect("no-ops are accepted");
            for entry in ring.completion().take(batch as usize) {
                assert!(entry.result() >= 0, "a no-op failed");
                in_flight -= 1;
                done += 1;
            }
        }
    }
    #[allow(clippy::print_stdout)] // Its output.
    {
        println!("{{\"count\": {done}, \"elapsed_ns\": {}}}", since.elapsed().as_nanos());
    }
}
