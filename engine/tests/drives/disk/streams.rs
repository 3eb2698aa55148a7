//! Sequential I/O and read-ahead.

use super::rig::{GB, MIB, SECOND, even, iops, mb_per_s, model, run, sequential_reads};
use iosonde_engine::job::Job;
use iosonde_engine::record::Class;
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{DiskModel, Drive, IoCommand, Model};

#[test]
fn sequential_reads_reach_the_media_rate() {
    let model = DiskModel { heads: 1, head_switch_ns: 0, ..even() };
    let revolution_s = 60.0 / f64::from(model.rotation_rpm);
    let skew_s = (model.seek_track_ns + model.write_settle_ns) as f64 / 1e9;
    let expected = model.track_outer_bytes as f64 / (revolution_s + skew_s) / 1e6;
    for (block_size_bytes, queue_depth) in [(4096, 32), (65_536, 1), (131_072, 32), (1 << 20, 4)] {
        let job = Job { block_size_bytes, queue_depth, ..sequential_reads() };
        let seen = mb_per_s(&job, &model, Class::Read);
        assert!(
            (seen / expected - 1.0).abs() < 0.02,
            "{seen} MB/s of {expected} with {block_size_bytes} at {queue_depth}"
        );
    }
}

#[test]
fn the_outer_zone_is_faster_than_the_inner() {
    let outer = mb_per_s(&sequential_reads(), &model(), Class::Read);
    // All tracks as short as in the innermost zone, because a job's test region starts at the outer diameter.
    let hub = DiskModel { track_outer_bytes: model().track_inner_bytes, ..model() };
    let inner = mb_per_s(&sequential_reads(), &hub, Class::Read);
    assert!((256.0..266.0).contains(&outer), "{outer} MB/s at the edge");
    assert!((110.0..120.0).contains(&inner), "{inner} MB/s at the hub");
}

#[test]
fn bandwidth_falls_from_the_outer_to_the_inner_diameter() {
    let model = DiskModel { size_bytes: 8 * GB / 4096 * 4096, ..model() };
    let job = Job {
        span_bytes: model.size_bytes,
        amount_bytes: Some(model.size_bytes),
        block_size_bytes: 1 << 20,
        interval_ns: 2 * SECOND,
        ..sequential_reads()
    };
    let (intervals, _) = run(&job, &model);
    let whole = &intervals[..intervals.len() - 1];
    let rates: Vec<u64> = whole.iter().map(|interval| interval.operations[&Class::Read].bytes / 2_000_000).collect();
    let (fastest, slowest) = (rates.iter().max().expect("some"), rates.iter().min().expect("some"));
    assert!((250..=266).contains(fastest) && (110..=130).contains(slowest), "{rates:?}");
    // The job starts somewhere and wraps from the inner to the outer diameter, where throughput rises once.
    let rises = rates.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
    assert!(rises <= 2, "{rates:?}");
}

#[test]
fn without_read_ahead_a_small_sequential_read_waits_for_a_revolution() {
    let model = DiskModel { read_ahead_bytes: 0, ..model() };
    let job = Job { block_size_bytes: 4096, ..sequential_reads() };
    let seen = iops(&job, &model, Class::Read);
    assert!((115.0..=121.0).contains(&seen), "{seen} a second, at 120 revolutions a second");
}

#[test]
fn several_streams_share_the_bandwidth_of_one() {
    let together = |streams: u32, model: &DiskModel| {
        let (queue_depth, jobs) = (1, streams);
        mb_per_s(&Job { queue_depth, jobs, ..sequential_reads() }, model, Class::Read)
    };
    let (alone, four, eight) = (together(1, &model()), together(4, &model()), together(8, &model()));
    assert!((0.4..0.9).contains(&(four / alone)), "{four} MB/s by four, {alone} by one");
    assert!((0.4..0.9).contains(&(eight / alone)), "{eight} MB/s by eight, {alone} by one");
    let single = DiskModel { read_ahead_segments: 1, ..model() };
    assert!(together(4, &single) < alone / 10.0, "one segment is never there any more when its stream comes back");
    let hasty = DiskModel { read_ahead_bytes_min: 0, ..model() };
    assert!(together(4, &hasty) < alone / 10.0, "a head that leaves for whoever waits reads nothing ahead");
    for other in [single, hasty] {
        assert!((together(1, &other) / alone - 1.0).abs() < 1e-9, "a stream alone has no use for them");
    }
}

#[test]
fn a_random_read_waits_at_most_for_the_minimum_read_ahead_of_a_stream() {
    let reads_beside_a_stream = |read_ahead_bytes_min| {
        let mut drive = Drive::new(&Model::Disk(DiskModel { read_ahead_bytes_min, ..model() }), 1);
        let drive = drive.simulation();
        let read = |offset_bytes| IoCommand { operation: Operation::Read, offset_bytes, length_bytes: 131_072 };
        let (mut now_ns, mut longest_ns, mut next, mut far) = (0, 0, 0, 8_000 * GB / 4096 * 4096);
        drive.submit(0, 0, &read(next));
        drive.submit(0, 1, &read(far));
        let mut asked_ns = 0;
        while now_ns < 20 * SECOND {
            now_ns = drive.next_ns();
            while let Some((tag, _)) = drive.take_completion(now_ns) {
                if tag == 1 {
                    (longest_ns, asked_ns, far) = ((now_ns - asked_ns).max(longest_ns), now_ns, far + GB / 4096 * 4096);
                    drive.submit(now_ns, 1, &read(far));
                } else {
                    next += 131_072;
                    drive.submit(now_ns, 0, &read(next));
                }
            }
        }
        longest_ns
    };
    let (without_ns, with_ns) = (reads_beside_a_stream(0), reads_beside_a_stream(4 * MIB));
    let held_ns = 4 * MIB * 1_000 / 250;
    assert!(with_ns > without_ns && with_ns < without_ns + held_ns * 3 / 2, "{without_ns} and {with_ns} ns");
}
