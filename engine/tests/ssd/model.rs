//! What a model may say.

use iosonde_engine::sim::SsdModel;
use iosonde_engine::sim::ssd::PowerModel;

use crate::bench::small;

fn refusal(change: impl FnOnce(&mut SsdModel)) -> String {
    let mut model = small();
    change(&mut model);
    model.check().expect_err("the model is impossible").message
}

#[test]
fn impossible_values_are_refused_with_key_value_and_range() {
    assert_eq!(refusal(|model| model.capacity_scale = 0), "capacity_scale is 0; it goes from 1 to 1048576");
    assert_eq!(refusal(|model| model.controller.cores = 0), "controller.cores is 0; it goes from 1 to 1024");
    assert_eq!(refusal(|model| model.media.channels = 65), "media.channels is 65; it goes from 1 to 64");
    assert_eq!(refusal(|model| model.media.page_bytes = 5000), "media.page_bytes is 5000; it is a multiple of 4096");
    assert_eq!(refusal(|model| model.media.program_ns = 0), "media.program_ns is 0; it goes from 1 to 1000000000");
    assert_eq!(
        refusal(|model| model.media.over_provisioning_permille = 10),
        "media.over_provisioning_permille is 10; it goes from 20 to 4000"
    );
    assert_eq!(
        refusal(|model| model.buffer.size_bytes = 4096),
        "buffer.size_bytes is 4096; it goes from 65536 to 68719476736"
    );
}

#[test]
fn a_limit_to_power_leaves_something_for_the_media() {
    let power = PowerModel {
        idle_mw: 1000,
        read_mw: 60,
        program_mw: 100,
        erase_mw: 80,
        link_mw: 200,
        limit_mw: 1400,
        window_ns: 100_000_000,
    };
    assert_eq!(refusal(|model| model.power = Some(power)), "power.limit_mw is 1400; it goes from 1401 to 2000000");
}

#[test]
fn drives_that_are_too_small_or_too_large_are_refused() {
    let small = refusal(|model| model.capacity_scale = 64);
    assert!(small.starts_with("capacity_scale is 64; with it a die has "), "{small}");
    let large = refusal(|model| model.capacity_bytes = 1 << 46);
    assert!(large.starts_with("capacity_bytes with all spare space is "), "{large}");
}
