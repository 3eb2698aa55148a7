//! Known performance characteristics of solid-state drives.

use iosonde_engine::sim::Simulation;
use iosonde_engine::sim::ssd::{IdleModel, SlcFull, SlcModel};

use super::rig::{
    DriveRig, FILL, LARGE_READ, Load, MIB, MS, RANDOM_READ, RANDOM_WRITE, SECOND, US, mean, percentile, small, with_slc,
};

const DEEP_WRITE: Load = Load { depth: 32, ..RANDOM_WRITE };
const MIX: Load = Load { read_percent: 70, depth: 8, ..RANDOM_READ };

#[test]
fn a_fresh_drive_writes_much_faster_than_one_in_steady_state() {
    let mut rig = DriveRig::new(&small());
    let pages = rig.drive.size_bytes() / 4096;
    let fresh: Vec<f64> = (0..4).map(|_| rig.run(DEEP_WRITE, pages / 4).iops()).collect();
    rig.overwrite(3);
    let later = rig.run(DEEP_WRITE, pages / 4).iops();
    assert!(fresh.iter().all(|rate| (rate / fresh[0] - 1.0).abs() < 0.05), "one fill meets no collection: {fresh:?}");
    assert!(fresh[3] > 3.0 * later, "{fresh:?}, then {later}");
}

#[test]
fn random_writes_fall_to_a_steady_state_within_four_fills() {
    let mut rig = DriveRig::filled(&small());
    let pages = rig.drive.size_bytes() / 4096;
    let rates: Vec<f64> = (0..16).map(|_| rig.run(DEEP_WRITE, pages / 4).iops()).collect();
    assert!(rates[0] > 1.5 * rates[15], "a transition: {rates:?}");
    assert!(rates[12..].iter().all(|rate| (rate / rates[15] - 1.0).abs() < 0.03), "steady: {rates:?}");
}

#[test]
fn a_write_cliff_follows_the_slc_cache() {
    for when_full in [SlcFull::Bypass, SlcFull::Fold] {
        let slc = SlcModel { size_bytes: 128 * MIB, read_ns: 25 * US, program_ns: 100 * US, when_full };
        let mut rig = DriveRig::new(&with_slc(slc));
        let rates: Vec<f64> = (0..16).map(|_| rig.run(FILL, 16 * MIB / 131_072).iops()).collect();
        assert!(rates[..7].iter().all(|rate| *rate > 2.0 * rates[15]), "{when_full:?}: {rates:?}");
        assert!(rates[10..].iter().all(|rate| (rate / rates[15] - 1.0).abs() < 0.2), "{when_full:?}: {rates:?}");
    }
}

#[test]
fn folding_costs_more_than_bypassing_the_cache() {
    let rate = |when_full| {
        let slc = SlcModel { size_bytes: 64 * MIB, read_ns: 25 * US, program_ns: 100 * US, when_full };
        let mut rig = DriveRig::new(&with_slc(slc));
        rig.run(FILL, 128 * MIB / 131_072);
        rig.run(FILL, 128 * MIB / 131_072).iops()
    };
    assert!(rate(SlcFull::Fold) < 0.9 * rate(SlcFull::Bypass));
}

#[test]
fn read_latency_grows_with_the_share_of_writes() {
    let mut means = Vec::new();
    for read_percent in [100, 90, 70, 40] {
        let mut rig = DriveRig::filled(&small());
        rig.overwrite(2);
        rig.now_ns += SECOND;
        means.push(mean(&rig.run(Load { read_percent, ..MIX }, 100_000).read_ns));
    }
    assert!(means.windows(2).all(|pair| pair[0] < pair[1]), "{means:?}");
    assert!(means[2] > 1.5 * means[0], "{means:?}");
}

#[test]
fn programs_and_erases_cause_a_tail_of_read_latency() {
    let mut rig = DriveRig::filled(&small());
    rig.overwrite(2);
    rig.now_ns += SECOND;
    let alone = rig.run(Load { read_percent: 100, ..MIX }, 50_000).read_ns;
    let mixed = rig.run(Load { depth: 4, ..MIX }, 200_000).read_ns;
    assert!(percentile(&alone, 999) < 400 * US, "no program is in the way: {}", percentile(&alone, 999));
    assert!(percentile(&mixed, 500) < 400 * US, "most meet none: {}", percentile(&mixed, 500));
    assert!(percentile(&mixed, 950) > 250 * US, "some wait for a program: {}", percentile(&mixed, 950));
    let longest = *mixed.iter().max().unwrap();
    assert!(longest > 2 * MS, "a few wait for an erase: {longest}");
}

#[test]
fn an_idle_drive_recovers() {
    let mut model = small();
    model.idle = Some(IdleModel { delay_ns: 100 * MS, spare_permille: 100 });
    let mut rig = DriveRig::filled(&model);
    rig.overwrite(3);
    let pages = rig.drive.size_bytes() / 4096;
    let steady = rig.run(DEEP_WRITE, pages / 4).iops();
    rig.now_ns += 60 * SECOND;
    let burst = rig.run(DEEP_WRITE, pages / 40).iops();
    rig.run(DEEP_WRITE, pages);
    let later = rig.run(DEEP_WRITE, pages / 4).iops();
    assert!(burst > 1.5 * steady, "{burst} after idle, {steady} before");
    assert!((later / steady - 1.0).abs() < 0.05, "{later} later, {steady} before");
}

#[test]
fn an_idle_drive_empties_its_slc_cache() {
    let slc = SlcModel { size_bytes: 128 * MIB, read_ns: 25 * US, program_ns: 100 * US, when_full: SlcFull::Bypass };
    let mut model = with_slc(slc);
    model.idle = Some(IdleModel { delay_ns: 100 * MS, spare_permille: 50 });
    let mut rig = DriveRig::new(&model);
    let fresh = rig.run(FILL, 96 * MIB / 131_072).iops();
    rig.run(FILL, 64 * MIB / 131_072);
    let full = rig.run(FILL, 32 * MIB / 131_072).iops();
    rig.now_ns += 60 * SECOND;
    let again = rig.run(FILL, 96 * MIB / 131_072).iops();
    assert!(full < fresh / 2.0 && again > 0.9 * fresh, "{fresh}, {full}, {again}");
}

#[test]
fn random_reads_saturate_at_the_dies() {
    let mut rig = DriveRig::filled(&small());
    let one = rig.run(RANDOM_READ, 20_000).iops();
    let many = rig.run(Load { depth: 256, ..RANDOM_READ }, 200_000).iops();
    let dies = 16.0 * 1e9 / 50_000.0;
    assert!((one * 58.3e-6 - 1.0).abs() < 0.05, "50 µs of the die, 8 µs of overhead: {one}");
    assert!(many > 0.9 * dies && many <= dies, "{many} of {dies}");
}

#[test]
fn large_reads_are_limited_by_the_link() {
    let mut model = small();
    model.link.bytes_per_s = 1_000_000_000;
    let bytes_per_s = DriveRig::filled(&model).run(LARGE_READ, 20_000).iops() * 131_072.0;
    assert!((bytes_per_s / 1e9 - 1.0).abs() < 0.02, "{bytes_per_s}");
}

#[test]
fn a_scaled_drive_has_the_same_shape_in_drive_fills() {
    let curve = |scale: u32| {
        let mut model = small();
        model.capacity_bytes = 4 << 30;
        model.capacity_scale = scale;
        let mut rig = DriveRig::new(&model);
        let pages = rig.drive.size_bytes() / 4096;
        (0..16).map(|_| rig.run(DEEP_WRITE, pages / 4).iops()).collect::<Vec<f64>>()
    };
    let (whole, scaled) = (curve(1), curve(8));
    for (number, (whole, scaled)) in whole.iter().zip(&scaled).enumerate() {
        assert!((whole / scaled - 1.0).abs() < 0.1, "quarter {number}: {whole} and {scaled}");
    }
}
