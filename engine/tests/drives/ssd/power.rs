//! The power limit and its effect.

use iosonde_engine::sim::ssd::{IdleModel, PowerModel};
use iosonde_engine::sim::{Simulation, SsdModel};

use super::rig::{
    DriveRig, FILL, LARGE_READ, Load, LoadResult, MIB, MS, RANDOM_READ, RANDOM_WRITE, SECOND, mean, percentile, small,
};

// Sixteen dies that together need 1.6 W to program, and half of that available.
const POWER: PowerModel = PowerModel {
    idle_mw: 1000,
    read_mw: 60,
    program_mw: 100,
    erase_mw: 80,
    link_mw: 200,
    limit_mw: 1800,
    window_ns: 100 * MS,
};
const UNIT_BYTES: f64 = 32_768.0;
const PROGRAM_S: f64 = 400e-6;

fn limited(power: PowerModel) -> SsdModel {
    let mut model = small();
    model.buffer.size_bytes = MIB;
    model.power = Some(power);
    model
}

fn with_limit(limit_mw: u64) -> SsdModel {
    limited(PowerModel { limit_mw, ..POWER })
}

fn bytes_per_s(seen: &LoadResult) -> f64 {
    seen.iops() * f64::from(FILL.block_bytes)
}

// Energy per written byte over link and media, in millijoules.
fn written_mj() -> f64 {
    0.1e3 * PROGRAM_S / UNIT_BYTES + 0.2e3 / 4e9
}

#[test]
fn write_throughput_follows_from_the_power_limit() {
    for limit_mw in [1450, 1800, 2200] {
        let mut rig = DriveRig::new(&with_limit(limit_mw));
        rig.run(FILL, 2_000);
        let rate = bytes_per_s(&rig.run(FILL, 4_000));
        let expected = (limit_mw - POWER.idle_mw) as f64 / written_mj();
        assert!((rate / expected - 1.0).abs() < 0.03, "{rate} under {limit_mw} mW, {expected} expected");
    }
}

#[test]
fn the_mean_power_of_every_window_is_within_the_limit_and_one_bucket() {
    let mut rig = DriveRig::new(&with_limit(POWER.limit_mw));
    let mut seen = vec![(0, 0.0)];
    for turn in 1..400_u32 {
        rig.run(FILL, 10);
        rig.now_ns += if turn % 100 == 0 { SECOND } else { 0 };
        seen.push((rig.now_ns, f64::from(turn) * 10.0 * f64::from(FILL.block_bytes) * written_mj()));
    }
    let flow_mw = (POWER.limit_mw - POWER.idle_mw) as f64;
    let bucket_mj = flow_mw * 0.1;
    for (number, (from_ns, before_mj)) in seen.iter().enumerate() {
        for (until_ns, after_mj) in &seen[number..] {
            let most_mj = flow_mw * (until_ns - from_ns) as f64 / 1e9 + bucket_mj;
            assert!(after_mj - before_mj <= most_mj, "{from_ns} to {until_ns} ns: {}", after_mj - before_mj);
        }
    }
}

#[test]
fn a_burst_uses_energy_saved_while_idle() {
    let mut rig = DriveRig::new(&with_limit(POWER.limit_mw));
    let burst = rig.run(FILL, 200).iops();
    rig.run(FILL, 2_000);
    let steady = rig.run(FILL, 200).iops();
    rig.now_ns += SECOND;
    let again = rig.run(FILL, 200).iops();
    assert!(burst > 1.5 * steady && again > 1.5 * steady, "{burst}, {steady}, {again}");
}

#[test]
fn reads_are_hardly_affected_while_writes_are_throttled() {
    let mix = |power| {
        let mut model = small();
        model.power = power;
        let mut rig = DriveRig::filled(&model);
        rig.run(FILL, 2_000);
        rig.run(Load { read_percent: 50, depth: 16, is_sequential: false, ..FILL }, 4_000)
    };
    let limit = PowerModel { limit_mw: 1500, ..POWER };
    let (free, held) = (mix(None), mix(Some(limit)));
    assert!(percentile(&held.read_ns, 990) <= percentile(&free.read_ns, 990));
    assert!(mean(&held.read_ns) < mean(&free.read_ns), "fewer programs are in their way");
    assert!(mean(&held.write_ns) > 2.0 * mean(&free.write_ns), "{} us", mean(&held.write_ns) / 1e3);
}

#[test]
fn reads_alone_obey_the_limit_too() {
    let mut rig = DriveRig::filled(&with_limit(1500));
    let load = Load { depth: 64, ..RANDOM_READ };
    rig.run(load, 50_000);
    let iops = rig.run(load, 100_000).iops();
    let read_mj = 60.0 * 50e-6 + 200.0 * 4096.0 / 4e9;
    assert!((iops * read_mj / 500.0 - 1.0).abs() < 0.03, "{iops} reads a second of {read_mj} mJ, 500 mW for them");
}

#[test]
fn throttling_by_power_is_counted() {
    let mut rig = DriveRig::new(&with_limit(POWER.limit_mw));
    rig.run(LARGE_READ, 1_000);
    assert_eq!(rig.health().throttled_ns, 0, "nothing is on the media");
    rig.run(FILL, 2_000);
    let before = rig.health().throttled_ns;
    let elapsed_ns = rig.run(FILL, 2_000).elapsed_ns;
    let throttled_ns = rig.health().throttled_ns - before;
    assert!(throttled_ns <= elapsed_ns && throttled_ns > elapsed_ns * 9 / 10, "{throttled_ns} of {elapsed_ns} ns");
}

#[test]
fn background_work_stays_below_the_limit() {
    let mut model = limited(PowerModel { link_mw: 0, limit_mw: 1100, ..POWER });
    model.idle = Some(IdleModel { delay_ns: 100 * MS, spare_permille: 100 });
    let mut rig = DriveRig::filled(&model);
    rig.overwrite(1);
    rig.run(RANDOM_READ, 1);
    let before = rig.health();
    rig.now_ns += 2 * SECOND;
    rig.run(RANDOM_READ, 1);
    let after = rig.health();
    let programs = (after.media_written_bytes - before.media_written_bytes) as f64 / UNIT_BYTES;
    let taken_mj = programs * 100.0 * PROGRAM_S + (after.erases - before.erases) as f64 * 80.0 * 3e-3;
    assert!(taken_mj > 60.0 && taken_mj < 200.0, "{taken_mj} mJ for programs and erases, 200 mJ to have");
}

#[test]
fn format_does_not_refill_the_bucket() {
    let mut rig = DriveRig::new(&with_limit(POWER.limit_mw));
    rig.run(FILL, 4_000);
    let throttled_ns = rig.health().throttled_ns;
    rig.drive.format(rig.now_ns);
    assert_eq!(rig.health().throttled_ns, throttled_ns);
    let seen = rig.run(Load { depth: 32, ..RANDOM_WRITE }, 20_000);
    assert!(seen.iops() * 4096.0 * written_mj() < 840.0, "no more than the 800 mW that come in");
}
