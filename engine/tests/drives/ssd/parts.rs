//! The components of the drive.

use iosonde_engine::ring::Operation;
use iosonde_engine::sim::ssd::{BufferModel, Duplex, SlcFull, SlcModel, ThermalModel};
use iosonde_engine::sim::{Simulation, SsdModel};

use super::rig::{
    DriveRig, FILL, LARGE_READ, Load, MIB, MS, RANDOM_READ, RANDOM_WRITE, SECOND, US, percentile, small, with_slc,
};

#[test]
fn unwritten_pages_are_read_without_media_access() {
    let mut rig = DriveRig::new(&small());
    assert!(rig.one(Operation::Read, 0, 4096) < 5 * US);
    rig.fill();
    assert!(rig.one(Operation::Read, 0, 4096) > 50 * US);
}

#[test]
fn recently_written_data_is_read_from_the_write_buffer() {
    let mut rig = DriveRig::filled(&small());
    rig.one(Operation::Write, 4096, 4096);
    assert!(rig.one(Operation::Read, 4096, 4096) < 5 * US);
}

#[test]
fn writes_are_acknowledged_from_the_buffer_until_it_is_full() {
    let mut rig = DriveRig::filled(&small());
    let room = 8 * MIB / 4096;
    let within = rig.run(Load { depth: 8, ..RANDOM_WRITE }, room).write_ns;
    let beyond = rig.run(Load { depth: 8, ..RANDOM_WRITE }, 4 * room).write_ns;
    assert!(*within.iter().max().unwrap() < 20 * US);
    assert!(percentile(&beyond, 999) > 100 * US, "held back");
}

fn durable(power_loss_protection: bool) -> SsdModel {
    let mut model = small();
    model.buffer.power_loss_protection = power_loss_protection;
    model
}

#[test]
fn a_flush_waits_for_the_media_without_power_loss_protection() {
    for (protected, waits) in [(false, true), (true, false)] {
        let mut rig = DriveRig::filled(&durable(protected));
        rig.one(Operation::Write, 0, 4096);
        assert_eq!(rig.one(Operation::Flush, 0, 0) > 400 * US, waits);
        assert!(rig.one(Operation::Flush, 0, 0) < 10 * US, "there is nothing left to wait for");
        assert_eq!(rig.one(Operation::WriteDsync, 4096, 4096) > 400 * US, waits);
    }
}

#[test]
fn durable_small_writes_program_whole_units() {
    let mut rig = DriveRig::filled(&durable(false));
    let units = rig.amplification(|rig| {
        for number in 0..100 {
            rig.one(Operation::WriteDsync, number * 4096, 4096);
        }
    });
    assert!((units - 8.0).abs() < 0.1, "two planes of 16 KiB for 4 KiB each: {units}");
}

#[test]
fn a_write_of_less_than_a_page_causes_a_read_modify_write() {
    let mut rig = DriveRig::filled(&small());
    rig.one(Operation::Write, 512, 512);
    // The read occupies the page's die: a read of a neighbouring page waits for it.
    assert!(rig.one(Operation::Read, 4096, 4096) > 90 * US);
}

#[test]
fn a_half_duplex_link_carries_one_direction_at_a_time() {
    let rate = |duplex| {
        let mut model = small();
        model.link.duplex = duplex;
        model.link.bytes_per_s = 200_000_000;
        DriveRig::filled(&model).run(Load { read_percent: 50, ..LARGE_READ }, 4_000).iops() * 131_072.0
    };
    let (half, full) = (rate(Duplex::Half), rate(Duplex::Full));
    assert!((half / 200e6 - 1.0).abs() < 0.05, "{half}");
    assert!(full > 1.6 * half, "{full} and {half}");
}

#[test]
fn controller_cores_process_commands_in_parallel() {
    let mut model = small();
    model.controller.cores = 2;
    model.controller.command_ns = 20 * US;
    let iops = DriveRig::filled(&model).run(Load { depth: 64, ..RANDOM_READ }, 50_000).iops();
    assert!((iops / 100_000.0 - 1.0).abs() < 0.02, "{iops}");
}

#[test]
fn reads_of_the_media_are_log_normal_with_a_rare_slow_mode() {
    let mut model = small();
    model.media.read_sigma_permille = 100;
    model.media.read_slow_ppm = 5_000;
    model.media.read_slow_factor = 20;
    let reads = DriveRig::filled(&model).run(RANDOM_READ, 100_000).read_ns;
    let way_ns = 8 * US;
    let median_ns = percentile(&reads, 500);
    assert!(median_ns.abs_diff(50 * US + way_ns) < 2 * US, "{median_ns}");
    let upper_ns = percentile(&reads, 841) - median_ns;
    assert!(upper_ns.abs_diff(5_300) < 500, "one deviation above: {upper_ns}");
    let slow = reads.iter().filter(|&&read| read > 500 * US).count();
    assert!(slow.abs_diff(500) < 100, "5 of 1000 are slow: {slow}");
}

fn hot() -> SsdModel {
    let mut model = small();
    model.thermal = Some(ThermalModel {
        ambient_celsius: 30,
        busy_rise_celsius: 60,
        time_constant_ns: 200 * MS,
        limit_celsius: 70,
        stretch_permille: 3000,
    });
    model
}

#[test]
fn a_busy_drive_heats_up_and_throttles() {
    let mut rig = DriveRig::new(&hot());
    let cold = rig.run(FILL, 256).iops();
    assert_eq!(rig.health().throttled_ns, 0);
    rig.run(FILL, 8_000);
    let warm = rig.run(FILL, 4_000).iops();
    let health = rig.health();
    assert!(warm < 0.8 * cold, "{warm} warm, {cold} cold");
    assert!(health.throttled_ns > 0);
    assert!((60..=75).contains(&health.temperature_celsius), "{}", health.temperature_celsius);
}

fn hot_with_a_fast_link() -> SsdModel {
    let mut model = hot();
    model.link.bytes_per_s = 30_000_000_000;
    model.media.channel_bytes_per_s = 10_000_000_000;
    model
}

#[test]
fn a_deep_queue_does_not_delay_throttling() {
    let rates = |depth| {
        let mut rig = DriveRig::filled(&hot_with_a_fast_link());
        rig.run(Load { depth, ..LARGE_READ }, 8_000);
        let before_ns = rig.health().throttled_ns;
        let seen = rig.run(Load { depth, ..LARGE_READ }, 100_000);
        let throttled_ns = rig.health().throttled_ns - before_ns;
        (seen.iops(), throttled_ns as f64 / seen.elapsed_ns as f64)
    };
    let ((shallow, shallow_share), (deep, deep_share)) = (rates(32), rates(1024));
    assert!((deep / shallow - 1.0).abs() < 0.02, "{deep} deep, {shallow} shallow");
    assert!((deep_share - shallow_share).abs() < 0.02, "{deep_share} deep, {shallow_share} shallow");
    assert!((0.3..0.6).contains(&deep_share), "{deep_share}");
}

#[test]
fn an_idle_drive_is_throttled_only_until_it_is_cool() {
    let mut rig = DriveRig::filled(&hot());
    rig.run(FILL, 8_000);
    let before_ns = rig.health().throttled_ns;
    rig.now_ns += 10 * SECOND;
    rig.one(Operation::Read, 0, 4096);
    rig.now_ns += SECOND;
    rig.one(Operation::Read, 0, 4096);
    let more_ns = rig.health().throttled_ns - before_ns;
    assert!(more_ns < 40 * MS, "3 of 40 degrees at a time constant of 200 ms, and the queue: {more_ns}");
}

#[test]
fn a_hot_drive_cools_with_its_time_constant() {
    let mut rig = DriveRig::new(&hot());
    rig.run(FILL, 8_000);
    let hot = f64::from(rig.health().temperature_celsius);
    rig.now_ns += 200 * MS;
    rig.one(Operation::Read, 0, 4096);
    let cooler = f64::from(rig.health().temperature_celsius);
    assert!(((cooler - 30.0) / (hot - 30.0) - 0.37).abs() < 0.12, "{hot}, then {cooler}");
    rig.now_ns += 10 * SECOND;
    rig.one(Operation::Read, 0, 4096);
    assert_eq!(rig.health().temperature_celsius, 30);
}

#[test]
fn format_restores_the_factory_state_but_keeps_the_counters() {
    let mut rig = DriveRig::new(&small());
    let write = Load { depth: 32, ..RANDOM_WRITE };
    let fresh = rig.run(write, 50_000).iops();
    rig.overwrite(3);
    let worn = rig.run(write, 50_000).iops();
    rig.now_ns += SECOND;
    let before = rig.health();
    rig.drive.format(rig.now_ns);
    assert_eq!(rig.health(), before);
    assert!(rig.one(Operation::Read, 0, 4096) < 5 * US, "nothing is written");
    let again = rig.run(write, 50_000).iops();
    assert!(worn < fresh / 2.0 && (again / fresh - 1.0).abs() < 0.01, "{fresh}, {worn}, {again}");
}

#[test]
fn the_same_seed_yields_the_same_state_and_times() {
    let run = |seed| {
        let mut model = hot();
        model.media.read_sigma_permille = 100;
        let mut rig = DriveRig::with_seed(&model, seed);
        rig.fill();
        let seen = rig.run(Load { read_percent: 50, depth: 16, ..RANDOM_READ }, 100_000);
        (rig.drive.state_hash(), seen.read_ns, seen.write_ns)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
}

#[test]
fn the_counters_are_consistent() {
    let mut rig = DriveRig::filled(&small());
    rig.overwrite(2);
    rig.run(RANDOM_READ, 1_000);
    let health = rig.health();
    assert_eq!(health.host_read_bytes, 1_000 * 4096);
    assert_eq!(health.host_written_bytes, 3 * rig.drive.size_bytes());
    assert!(health.media_written_bytes > health.host_written_bytes);
    // A block of two planes has 32 pages of 16 KiB each. Everything written beyond the physical space required an
    // erase.
    let block_bytes = 2 * 32 * 16_384;
    let erased = health.erases * block_bytes;
    assert!(erased < health.media_written_bytes && erased > health.media_written_bytes / 2);
}

#[test]
fn requests_beyond_the_end_are_refused() {
    let mut rig = DriveRig::new(&small());
    let offset_bytes = rig.drive.size_bytes();
    let io = iosonde_engine::sim::IoCommand { operation: Operation::Read, offset_bytes, length_bytes: 4096 };
    rig.drive.submit(0, 0, &io);
    assert_eq!(rig.drive.take_completion(0), Some((0, -22)));
}

#[test]
fn the_tables_need_less_than_twelve_bytes_per_page() {
    let mut model = small();
    model.media.pages_per_block = 64;
    let (bytes, pages) = iosonde_engine::sim::Ssd::new(&model, 1).memory_bytes();
    println!("{:.2} bytes per page", bytes as f64 / pages as f64);
    assert!(bytes < 12 * pages, "{bytes} bytes for {pages} pages");
}

#[test]
fn padding_of_slc_units_does_not_occupy_the_write_buffer() {
    let when_full = SlcFull::Bypass;
    let slc = SlcModel { size_bytes: 128 * MIB, read_ns: 25 * US, program_ns: 100 * US, when_full };
    // Without power-loss protection a flush has to wait, and pads.
    let buffer = BufferModel { size_bytes: 8 * MIB, power_loss_protection: false };
    let mut rig = DriveRig::new(&SsdModel { buffer, ..with_slc(slc) });
    // Each flush pads a unit. If the padding were deducted from the write buffer, the buffer would appear full for
    // ever.
    for _ in 0..2_000 {
        rig.one(Operation::Write, 0, 4096);
        rig.one(Operation::Flush, 0, 0);
    }
    let write_ns = rig.one(Operation::Write, 0, 4096);
    assert!(write_ns < 50 * US, "an empty buffer takes a page at once, and not after {write_ns} ns");
}
