//! Results that must not change by a single bit without a stated reason.

use iosonde_engine::sim::ssd::{IdleModel, PowerModel, SlcFull, SlcModel, ThermalModel};
use iosonde_engine::sim::{Simulation, SsdModel, StateHash};

use super::rig::{DriveRig, FILL, LARGE_READ, Load, MIB, MS, RANDOM_READ, RANDOM_WRITE, SECOND, US, small};

// A hash of all latencies of a few loads, and of the resulting state.
fn trace(model: &SsdModel) -> (u64, u64) {
    let mut rig = DriveRig::new(model);
    let mut hash = StateHash::default();
    let deep = Load { depth: 32, ..RANDOM_WRITE };
    let mix = Load { read_percent: 70, depth: 16, ..RANDOM_READ };
    for (load, count) in [(FILL, 8192), (deep, 600_000), (mix, 100_000), (LARGE_READ, 5_000), (RANDOM_READ, 2_000)] {
        let seen = rig.run(load, count);
        seen.read_ns.iter().chain(&seen.write_ns).for_each(|latency_ns| hash.add(*latency_ns));
        rig.now_ns += SECOND;
    }
    (hash.value(), rig.drive.state_hash())
}

fn with_everything(when_full: SlcFull) -> SsdModel {
    let mut model = small();
    model.buffer.power_loss_protection = false;
    model.media.read_sigma_permille = 80;
    model.media.read_slow_ppm = 300;
    model.media.read_slow_factor = 10;
    model.slc = Some(SlcModel { size_bytes: 64 * MIB, read_ns: 25 * US, program_ns: 100 * US, when_full });
    model.idle = Some(IdleModel { delay_ns: 100 * MS, spare_permille: 50 });
    model.thermal = Some(ThermalModel {
        ambient_celsius: 30,
        busy_rise_celsius: 60,
        time_constant_ns: 200 * MS,
        limit_celsius: 70,
        stretch_permille: 2000,
    });
    model
}

#[test]
fn the_plain_model_is_bit_identical() {
    assert_eq!(trace(&small()), (0x9ca7_9870_1559_aebe, 0x2c54_92ef_b229_8dfa));
}

#[test]
fn the_model_with_every_mechanism_is_bit_identical() {
    assert_eq!(trace(&with_everything(SlcFull::Bypass)), (0x2f46_1829_54f4_07fe, 0x3d91_c9ad_bf6d_cdb6));
    assert_eq!(trace(&with_everything(SlcFull::Fold)), (0xd9fa_3111_67a0_bd78, 0x7c5b_d66a_ebfd_a2a0));
}

#[test]
fn a_power_limit_that_is_never_reached_changes_nothing() {
    for mut model in [small(), with_everything(SlcFull::Bypass)] {
        let (times, _) = trace(&model);
        model.power = Some(PowerModel {
            idle_mw: 1000,
            read_mw: 60,
            program_mw: 100,
            erase_mw: 80,
            link_mw: 200,
            limit_mw: 10_000,
            window_ns: 100 * MS,
        });
        assert_eq!(trace(&model).0, times);
    }
}
