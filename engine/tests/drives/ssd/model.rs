//! Validation of models.

use iosonde_engine::ring::Operation;
use iosonde_engine::sim::ssd::{PowerModel, ThermalModel};
use iosonde_engine::sim::{IoCommand, Pending, Simulation, Ssd, SsdModel, VirtualClock};

use super::rig::{DriveRig, MS, RANDOM_WRITE, SECOND, small};

fn refusal(change: impl FnOnce(&mut SsdModel)) -> String {
    let mut model = small();
    change(&mut model);
    model.check().expect_err("the model is impossible").message
}

#[test]
fn impossible_values_are_rejected_with_key_value_and_range() {
    assert_eq!(refusal(|model| model.capacity_scale = 0), "capacity_scale is 0; the range is 1 to 1048576");
    assert_eq!(refusal(|model| model.controller.cores = 0), "controller.cores is 0; the range is 1 to 1024");
    assert_eq!(refusal(|model| model.media.channels = 65), "media.channels is 65; the range is 1 to 64");
    assert_eq!(
        refusal(|model| model.media.page_bytes = 5000),
        "media.page_bytes is 5000; it must be a multiple of 4096"
    );
    assert_eq!(refusal(|model| model.media.program_ns = 0), "media.program_ns is 0; the range is 1 to 1000000000");
    assert_eq!(
        refusal(|model| model.media.over_provisioning_permille = 10),
        "media.over_provisioning_permille is 10; the range is 20 to 4000"
    );
    assert_eq!(
        refusal(|model| model.buffer.size_bytes = 4096),
        "buffer.size_bytes is 4096; the range is 65536 to 68719476736"
    );
}

#[test]
fn a_power_limit_leaves_some_power_for_the_media() {
    let power = PowerModel {
        idle_mw: 1000,
        read_mw: 60,
        program_mw: 100,
        erase_mw: 80,
        link_mw: 200,
        limit_mw: 1400,
        window_ns: 100_000_000,
    };
    assert_eq!(refusal(|model| model.power = Some(power)), "power.limit_mw is 1400; the range is 1401 to 2000000");
}

#[test]
fn drives_that_are_too_small_or_too_large_are_rejected() {
    let small = refusal(|model| model.capacity_scale = 64);
    assert!(small.starts_with("capacity_scale is 64; a die then has "), "{small}");
    let large = refusal(|model| model.capacity_bytes = 1 << 46);
    assert!(large.starts_with("capacity_bytes with all spare space is "), "{large}");
}

#[test]
fn media_so_slow_that_times_could_overflow_are_rejected() {
    let tail = |model: &mut SsdModel| {
        let (media, sigma_permille) = (&mut model.media, 2000);
        (media.read_ns, media.read_sigma_permille, media.read_slow_factor) = (SECOND, sigma_permille, 10_000);
    };
    let (hot, starved) = (
        ThermalModel {
            ambient_celsius: 40,
            busy_rise_celsius: 40,
            time_constant_ns: SECOND,
            limit_celsius: 70,
            stretch_permille: 100_000,
        },
        PowerModel {
            idle_mw: 0,
            read_mw: 10_000,
            program_mw: 10_000,
            erase_mw: 10_000,
            link_mw: 0,
            limit_mw: 1,
            window_ns: MS,
        },
    );
    let messages = [
        refusal(tail),
        refusal(|model| (model.media.erase_ns, model.thermal) = (10 * SECOND + 1, Some(hot.clone()))),
        refusal(|model| (model.media.erase_ns, model.power) = (10 * SECOND, Some(starved.clone()))),
    ];
    assert!(messages[0].starts_with("a media operation could take 29810000000000000 ns"), "{}", messages[0]);
    assert!(messages[1].starts_with("media.erase_ns"), "{}", messages[1]);
    assert!(messages[2].ends_with("the maximum is 1099511627776"), "{}", messages[2]);
}

#[test]
fn the_slowest_possible_media_do_not_overflow() {
    let mut model = small();
    (model.media.channels, model.media.dies_per_channel, model.media.pages_per_block) = (1, 1, 512);
    (model.media.read_ns, model.media.program_ns, model.media.erase_ns) = (SECOND, SECOND, 10 * SECOND);
    (model.media.read_slow_ppm, model.media.read_slow_factor) = (1_000_000, 1000);
    model.check().expect("the slowest drive there can be");
    let mut drive = Pending::new(Ssd::new(&model, 1));
    let request = |operation| IoCommand { operation, offset_bytes: 0, length_bytes: 64 << 20 };
    // Each read takes 2048 times 1000 s.
    for number in 0..20_000 {
        drive.submit(number, number, &request(if number == 0 { Operation::Write } else { Operation::Read }));
    }
    let back = std::iter::from_fn(|| drive.take_completion(u64::MAX - 1)).count();
    assert!((500..600).contains(&back), "{back} completed");
}

#[test]
fn a_drive_with_many_dies_may_be_idle_until_the_end_of_time() {
    let mut model = small();
    (model.media.channels, model.media.dies_per_channel) = (64, 64);
    (model.media.planes_per_die, model.media.page_bytes, model.media.pages_per_block) = (1, 4096, 16);
    model.capacity_bytes = 1 << 35;
    model.thermal = Some(ThermalModel {
        ambient_celsius: 40,
        busy_rise_celsius: 40,
        time_constant_ns: SECOND,
        limit_celsius: 70,
        stretch_permille: 2000,
    });
    let mut rig = DriveRig::new(&model);
    rig.run(RANDOM_WRITE, 10);
    rig.now_ns = VirtualClock::END_NS;
    rig.run(RANDOM_WRITE, 10);
    assert_eq!(rig.drive.health().temperature_celsius, 40);
}
