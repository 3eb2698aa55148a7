//! The write cache: early acknowledgement and destaging.

use super::rig::{
    GB, MIB, SECOND, bay, count, iops, latency_ns_sum, model, random_reads, random_writes, run, sequential_reads,
};
use crate::common::MS;
use iosonde_engine::cell::Interval;
use iosonde_engine::clock::Clock;
use iosonde_engine::job::{Job, Sync};
use iosonde_engine::record::Class;
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{DiskModel, Drive, IoCommand, Model, flush_all};

#[test]
fn the_write_cache_absorbs_a_burst_and_then_falls_to_the_rate_of_the_media() {
    let job = Job { read_percent: 0, block_size_bytes: 1 << 20, ..sequential_reads() };
    let job = Job { measure_ns: 4 * SECOND, interval_ns: 100 * MS, ..job };
    let (intervals, _) = run(&job, &model());
    let rate = |interval: &Interval| interval.operations[&Class::Write].bytes / 100_000;
    let (first, last) = (rate(&intervals[0]), rate(&intervals[39]));
    assert!((500..=551).contains(&first), "{first} MB/s initially: the interface's rate");
    let steady: u64 = intervals[20..].iter().map(rate).sum::<u64>() / 20;
    assert!((250..=266).contains(&steady), "{steady} MB/s in the end, {last} in the last interval");
}

#[test]
fn sorted_destaging_delivers_more_random_writes_than_reads() {
    let job = Job { queue_depth: 32, warmup_ns: 200 * SECOND, ..random_writes() };
    let model = model();
    let cached = {
        let intervals = run(&job, &model).0;
        count(&intervals[20..], Class::Write) as f64 / 200.0
    };
    let reads = iops(&Job { queue_depth: 32, ..random_reads() }, &model, Class::Read);
    assert!(cached > 1.3 * reads, "{cached} writes and {reads} reads a second");
}

#[test]
fn only_a_durable_write_waits_for_the_media() {
    let mean_ns = |sync, cache| {
        let job = Job { sync, measure_ns: 20 * SECOND, ..random_writes() };
        let (intervals, _) =
            run(&job, &DiskModel { write_cache_bytes: cache, write_cache_stretches: 1 << 20, ..model() });
        latency_ns_sum(&intervals, Class::Write) / count(&intervals, Class::Write)
    };
    let (cached, durable, without) =
        (mean_ns(Sync::None, 4096 * MIB), mean_ns(Sync::Dsync, 4096 * MIB), mean_ns(Sync::None, 0));
    assert!(cached < 100_000, "{cached} ns into the cache");
    assert!((11 * MS..14 * MS).contains(&durable), "{durable} ns onto the media");
    assert!(durable.abs_diff(without) < durable / 50, "{durable} ns, and {without} ns without a cache");
}

#[test]
fn a_flush_waits_until_the_cache_is_on_the_media() {
    let job = Job { sync: Sync::Fdatasync, measure_ns: 20 * SECOND, ..random_writes() };
    let (intervals, result) = run(&job, &model());
    let flushes = count(&intervals, Class::Flush);
    let (flush_ns, write_ns) =
        (latency_ns_sum(&intervals, Class::Flush) / flushes, latency_ns_sum(&intervals, Class::Write) / flushes);
    assert!((10 * MS..14 * MS).contains(&flush_ns), "{flush_ns} ns for a flush");
    assert!(write_ns < 100_000, "{write_ns} ns for a write");
    let health = &result.drives[0].health;
    let (sent, stored) = (health.host_written_bytes, health.media_written_bytes);
    let left = sent.zip(stored).map(|(sent, stored)| sent - stored);
    assert!(left.is_some_and(|left| left <= 4096), "one write may be left: {health:?}");
}

#[test]
fn a_flush_after_a_burst_takes_as_long_as_emptying_the_cache() {
    let mut drive = Drive::new(&Model::Disk(model()), 1);
    let drive = drive.simulation();
    let write = IoCommand { operation: Operation::Write, offset_bytes: 0, length_bytes: 1 << 20 };
    for number in 0..64 {
        drive.submit(0, number, &IoCommand { offset_bytes: number << 20, ..write });
    }
    let mut done = Vec::new();
    let mut now_ns = 0;
    while done.len() < 64 {
        now_ns = drive.next_ns();
        done.extend(drive.take_completion(now_ns));
    }
    drive.submit(now_ns, 64, &IoCommand { operation: Operation::Flush, offset_bytes: 0, length_bytes: 0 });
    let mut flushed = None;
    let mut then_ns = now_ns;
    while flushed.is_none() {
        then_ns = drive.next_ns();
        flushed = drive.take_completion(then_ns);
    }
    assert_eq!(flushed, Some((64, 0)));
    assert_eq!(drive.health().media_written_bytes, 64 * MIB);
    let whole_ns = 64 * MIB * 1_000 / 250;
    assert!(then_ns > whole_ns && then_ns - now_ns < whole_ns, "{then_ns} ns, of which {now_ns} for the burst");
}

#[test]
fn after_a_flush_all_written_data_is_on_the_media() {
    let mut bay = bay(&model());
    let amount_bytes = 256 * MIB;
    let fill = Job {
        read_percent: 0,
        block_size_bytes: 1 << 20,
        queue_depth: 8,
        span_bytes: amount_bytes,
        amount_bytes: Some(amount_bytes),
        ..sequential_reads()
    };
    let (_, result) = bay.run(&fill);
    let stored = result.drives[0].health.media_written_bytes;
    let cached_bytes = amount_bytes - stored.expect("a model has this counter");
    assert!(cached_bytes > model().write_cache_bytes / 2, "{cached_bytes} bytes are left in the cache");
    let begun_ns = bay.clock.now();
    assert_eq!(flush_all(&mut bay.drives, &bay.clock), Ok(()));
    let whole_ns = cached_bytes * 1_000 / 261;
    let took_ns = bay.clock.now() - begun_ns;
    assert!((whole_ns * 9 / 10..whole_ns * 11 / 10).contains(&took_ns), "{took_ns} ns for {cached_bytes} bytes");
    assert_eq!(bay.drives[0].simulated().health().media_written_bytes, amount_bytes);
}

#[test]
fn adjoining_writes_are_merged_into_one_extent() {
    let model = DiskModel { write_cache_stretches: 8, ..model() };
    let taken_at_once = |apart_bytes: u64| {
        let mut drive = Drive::new(&Model::Disk(model.clone()), 1);
        let drive = drive.simulation();
        for number in 0..32 {
            let offset_bytes = GB / 4096 * 4096 + number * apart_bytes;
            drive.submit(0, number, &IoCommand { operation: Operation::Write, offset_bytes, length_bytes: 4096 });
        }
        let mut taken = 0;
        while drive.next_ns() < MS {
            taken += drive.take_completion(drive.next_ns()).iter().len();
        }
        taken
    };
    assert_eq!((taken_at_once(4096), taken_at_once(MIB)), (32, 8));
}

#[test]
fn a_flush_after_random_writes_takes_a_few_seconds() {
    let mut bay = bay(&model());
    bay.run(&Job { queue_depth: 32, measure_ns: 20 * SECOND, ..random_writes() });
    let begun_ns = bay.clock.now();
    assert_eq!(flush_all(&mut bay.drives, &bay.clock), Ok(()));
    let took_ns = bay.clock.now() - begun_ns;
    assert!((SECOND..4 * SECOND).contains(&took_ns), "{took_ns} ns");
}

#[test]
fn formatting_empties_the_cache() {
    let mut drive = Drive::new(&Model::Disk(model()), 1);
    let drive = drive.simulation();
    drive.submit(0, 0, &IoCommand { operation: Operation::Write, offset_bytes: 0, length_bytes: 4096 });
    let now_ns = drive.next_ns();
    assert_eq!(drive.take_completion(now_ns), Some((0, 4096)));
    drive.format(now_ns);
    drive.submit(10 * SECOND, 1, &IoCommand { operation: Operation::Flush, offset_bytes: 0, length_bytes: 0 });
    let ready_ns = drive.next_ns();
    assert_eq!((ready_ns, drive.take_completion(ready_ns)), (10 * SECOND + model().command_ns, Some((1, 0))));
    assert_eq!(drive.health().media_written_bytes, 0);
}
