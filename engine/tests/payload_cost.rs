//! The cost of random write data in the I/O loop, on a null ring.

mod common;

use std::sync::Arc;

use common::{MS, job};
use iosonde_engine::cell::{Interval, JobContext, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::job::{Data, Job, Limits};
use iosonde_engine::record::{Class, Phase};
use iosonde_engine::target::Target;

const PAIRS: usize = 31;

// Time of a 4 KiB write at queue depth 128, in picoseconds.
fn cost_ps(asked: &Job) -> u64 {
    let targets = [Target::null(1 << 30)];
    let context =
        JobContext { targets: &targets, clock: Monotonic::start(), stop: Arc::default(), limits: Limits::default() };
    let mut writes = 0;
    let mut count = |interval: Interval| {
        if interval.phase == Phase::Measure {
            writes += interval.operations.get(&Class::Write).map_or(0, |totals| totals.count);
        }
    };
    let result = run_job(asked, &context, &mut |_| {}, &mut count, &mut |_| {}, &mut |_| {});
    result.expect("a job on the null target").measured_ns * 1000 / writes
}

fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values[values.len() / 2]
}

#[test]
#[ignore = "measures this machine and needs an idle one; run with --release --ignored --nocapture"]
#[allow(clippy::print_stdout)] // Prints its measurements.
fn incompressible_data_costs_less_than_a_twentieth_of_the_loop() {
    let bare = Job {
        read_percent: 0,
        queue_depth: 128,
        span_bytes: 1 << 30,
        data: Data::Zeros,
        measure_ns: 100 * MS,
        ..job()
    };
    let kinds = [
        ("random", Job { data: Data::Random, ..bare.clone() }),
        ("random, 50 % compressible", Job { data: Data::Random, compressible_percent: 50, ..bare.clone() }),
        ("random, 25 % duplicates", Job { data: Data::Random, duplicates_percent: 25, ..bare.clone() }),
    ];
    for (name, asked) in kinds {
        // The order alternates between pairs, so that drift affects both sides equally.
        let pairs: Vec<(u64, u64)> = (0..PAIRS)
            .map(|pair| {
                if pair % 2 == 0 {
                    let without = cost_ps(&bare);
                    (without, cost_ps(&asked))
                } else {
                    let with = cost_ps(&asked);
                    (cost_ps(&bare), with)
                }
            })
            .collect();
        let bare_ps = median(pairs.iter().map(|(without, _)| without.cast_signed()).collect());
        let more_ps = median(pairs.iter().map(|(without, with)| with.cast_signed() - without.cast_signed()).collect());
        println!(
            "{name}: {more_ps} ps more than the {bare_ps} ps of a write without stamps, {} permille",
            more_ps * 1000 / bare_ps
        );
        assert!(name != "random" || more_ps * 20 < bare_ps, "{name} costs more than a twentieth");
    }
}
