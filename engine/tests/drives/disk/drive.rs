//! The disk as a simulated drive: seed, state and model.

use super::rig::{MIB, SECOND, bay, latency_ns_sum, model, random_reads, run};
use crate::common::MS;
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::Job;
use iosonde_engine::record::Class;
use iosonde_engine::sim::{DiskModel, Drive, Model};

#[test]
fn the_same_seed_yields_the_same_records_and_another_seed_another_angle() {
    let job = Job { queue_depth: 8, read_percent: 70, measure_ns: 30 * SECOND, ..random_reads() };
    let (first, second) = (run(&job, &model()), run(&job, &model()));
    assert_eq!(first, second);
    let mut other = bay(&model());
    other.drives = vec![Drive::new(&Model::Disk(model()), 2)];
    assert_ne!(other.run(&job).1.drives, first.1.drives);
}

#[test]
fn littles_law_holds_exactly() {
    for (queue_depth, read_percent) in [(1, 100), (2, 100), (1, 50), (2, 0)] {
        let job = Job { queue_depth, read_percent, measure_ns: 20 * SECOND, ..random_reads() };
        let (intervals, result) = run(&job, &model());
        let in_flight_ns: u64 = intervals.iter().map(|interval| interval.in_flight_ns).sum();
        let latency_ns = latency_ns_sum(&intervals, Class::Read) + latency_ns_sum(&intervals, Class::Write);
        // With two in flight at the end, the smallest and largest age are all ages.
        let ages_ns = [0, result.censored.age_ns_min, result.censored.age_ns_min + result.censored.age_ns_max]
            [usize::try_from(result.censored.count).expect("at most two")];
        assert_eq!(in_flight_ns, latency_ns + ages_ns);
        assert_eq!(in_flight_ns, u64::from(queue_depth) * job.measure_ns);
    }
}

#[test]
fn the_disk_keeps_its_state_from_job_to_job() {
    let mut bay = bay(&model());
    let job = Job { queue_depth: 4, read_percent: 50, measure_ns: 10 * SECOND, ..random_reads() };
    let (first, second) = (bay.run(&job), bay.run(&job));
    assert_ne!(first.1.drives, second.1.drives);
    assert!(second.1.drives[0].health.host_read_bytes > first.1.drives[0].health.host_read_bytes);
}

#[test]
fn an_impossible_disk_is_rejected_with_key_value_and_range() {
    let refused = |model: DiskModel| {
        let failure = model.check().expect_err("it can't be simulated");
        assert_eq!(failure.kind, FailureKind::BadModel);
        failure.message
    };
    assert_eq!(model().check(), Ok(()));
    assert_eq!(refused(DiskModel { heads: 0, ..model() }), "heads is 0; the range is 1 to 64");
    assert_eq!(refused(DiskModel { size_bytes: 5000, ..model() }), "size_bytes is 5000; it must be a multiple of 4096");
    assert_eq!(refused(DiskModel { rotation_rpm: 10, ..model() }), "rotation_rpm is 10; the range is 1000 to 100000");
    let message = refused(DiskModel { track_inner_bytes: 4 * MIB, ..model() });
    assert_eq!(message, "track_inner_bytes is 4194304; the range is 4096 to 2437120");
    let message = refused(DiskModel { seek_full_ns: MS, ..model() });
    assert_eq!(message, "seek_full_ns is 1000000; the range is 7800000 to 1000000000");
    assert_eq!(refused(DiskModel { queue_depth: 257, ..model() }), "queue_depth is 257; the range is 1 to 256");
}
