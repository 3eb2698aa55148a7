//! Random I/O: positioning time and command queue.

use super::rig::{SECOND, count, even, iops, latency_ns_sum, model, random_reads, run, seek_ns_mean};
use crate::common::MS;
use iosonde_engine::job::Job;
use iosonde_engine::record::Class;
use iosonde_engine::sim::DiskModel;

#[test]
fn a_random_read_at_depth_1_takes_the_mean_seek_half_a_revolution_and_the_command() {
    let (model, job) = (even(), Job { measure_ns: 1_000 * SECOND, ..random_reads() });
    let (intervals, _) = run(&job, &model);
    let seen_ns = latency_ns_sum(&intervals, Class::Read) as f64 / count(&intervals, Class::Read) as f64;
    let half_a_revolution_ns = 30e9 / f64::from(model.rotation_rpm);
    let expected_ns = seek_ns_mean(&model) + half_a_revolution_ns + model.command_ns as f64;
    assert!((seen_ns / expected_ns - 1.0).abs() < 0.01, "{seen_ns} ns, and {expected_ns} by the closed form");
}

#[test]
fn a_data_centre_disk_delivers_75_to_85_random_read_iops_at_depth_1_and_about_twice_that_at_32() {
    let alone = iops(&random_reads(), &model(), Class::Read);
    let many = iops(&Job { queue_depth: 32, ..random_reads() }, &model(), Class::Read);
    assert!((75.0..85.0).contains(&alone), "{alone} a second at depth 1");
    assert!((165.0..205.0).contains(&many), "{many} a second at depth 32");
}

#[test]
fn the_elevator_raises_throughput_with_depth_until_the_queue_is_full() {
    let depths = [1, 2, 4, 8, 16, 32];
    // With two commands, one waits while the other is served. Reordering needs at least three.
    let seen = depths.map(|depth| iops(&Job { queue_depth: depth, ..random_reads() }, &model(), Class::Read));
    assert!(seen.windows(2).skip(1).all(|pair| pair[1] > pair[0] * 1.1), "{seen:?}");
    let beyond = iops(&Job { queue_depth: 128, ..random_reads() }, &model(), Class::Read);
    assert!((beyond / seen[5] - 1.0).abs() < 0.03, "{beyond} at depth 128, {} at 32", seen[5]);
}

#[test]
fn a_queue_of_one_command_gains_nothing_from_depth() {
    let model = DiskModel { queue_depth: 1, ..model() };
    let alone = iops(&random_reads(), &model, Class::Read);
    let many = iops(&Job { queue_depth: 32, ..random_reads() }, &model, Class::Read);
    assert!((many / alone - 1.0).abs() < 0.02, "{alone} and {many}");
}

#[test]
fn no_command_starves() {
    let job = Job { queue_depth: 32, ..random_reads() };
    let slowest = |age| {
        let (intervals, _) = run(&job, &DiskModel { queue_age_ns_max: age, ..model() });
        intervals.iter().map(|interval| interval.operations[&Class::Read].latency_ns_max).max().expect("there are some")
    };
    let (patient, hasty) = (slowest(60 * SECOND), slowest(300 * MS));
    // 31 others may be overdue as well, at a seek and a revolution each.
    assert!(hasty < 1_000 * MS && hasty < patient, "{hasty} ns with a bound, {patient} ns without");
}
