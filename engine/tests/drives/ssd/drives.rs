//! Models based on real drives, as the front sends them, and their performance.

use iosonde_engine::ring::Operation;
use iosonde_engine::sim::{CompletionModel, IoCommand, Model, Ssd, SsdModel};

use super::rig::{DriveRig, Load, RANDOM_READ, RANDOM_WRITE, SECOND, mean, percentile, small};

// Data sheets are quoted from memory. Program times and command overheads of link and controller were chosen so that
// the drives match the rates and latencies below, so that agreement is no evidence for the mechanisms.
//
// Based on an Intel D3-S4510 of 960 GB (document 004). Measured there: 524 and 495 MB/s sequential at 1 MiB, mean
// latency at queue depth 1 of 111 µs (read) and 41 µs (write) at 4 KiB. From the public data sheet: 97k and about 30k
// random 4 KiB IOPS, 560 and 510 MB/s, power-loss protection, 64-layer TLC. Own estimates: media times, geometry,
// over-provisioning (960 GB of 1 TiB).
const SATA_DATA_CENTRE: &str = r#"{
    "kind": "ssd", "capacity_bytes": 960197124096, "capacity_scale": 128,
    "link": {"bytes_per_s": 560000000, "command_ns": 2900, "duplex": "half"},
    "controller": {"cores": 4, "command_ns": 25000},
    "buffer": {"size_bytes": 33554432, "power_loss_protection": true},
    "media": {
        "channels": 8, "dies_per_channel": 2, "planes_per_die": 2, "page_bytes": 16384, "pages_per_block": 1152,
        "channel_bytes_per_s": 400000000, "read_ns": 62000, "read_sigma_permille": 80, "read_slow_ppm": 200,
        "read_slow_factor": 8, "program_ns": 900000, "erase_ns": 5000000, "over_provisioning_permille": 145,
        "rated_erases": 5000
    },
    "slc": null, "idle": {"delay_ns": 1000000000, "spare_permille": 20}, "thermal": null
}"#;

// Based on a Samsung PM9A1 of 512 GB (document 000, MZVL2512HCJQ). Measured there: p50 of 31 µs for 4 KiB reads at
// queue depth 1 from a freshly written file (so from SLC), 6.2 GB/s at 128 KiB. From the public data sheet: 6900 and
// 5000 MB/s. Own estimates: everything else. A die represents a group of planes with independent reads, so there are
// twice as many.
const CLIENT_NVME: &str = r#"{
    "kind": "ssd", "capacity_bytes": 512110190592, "capacity_scale": 64,
    "link": {"bytes_per_s": 6900000000, "command_ns": 100, "duplex": "full"},
    "controller": {"cores": 6, "command_ns": 7000},
    "buffer": {"size_bytes": 16777216, "power_loss_protection": false},
    "media": {
        "channels": 8, "dies_per_channel": 4, "planes_per_die": 2, "page_bytes": 16384, "pages_per_block": 1024,
        "channel_bytes_per_s": 1200000000, "read_ns": 45000, "read_sigma_permille": 80, "read_slow_ppm": 300,
        "read_slow_factor": 10, "program_ns": 700000, "erase_ns": 4000000, "over_provisioning_permille": 70,
        "rated_erases": 1500
    },
    "slc": {"size_bytes": 40000000000, "read_ns": 21000, "program_ns": 200000, "when_full": "bypass"},
    "idle": {"delay_ns": 500000000, "spare_permille": 30},
    "thermal": {
        "ambient_celsius": 40, "busy_rise_celsius": 55, "time_constant_ns": 60000000000, "limit_celsius": 82,
        "stretch_permille": 2500
    }
}"#;

// A PCIe 4 drive of 3.84 TB, from public data sheets of that class (such as the Samsung PM9A3: about 1M read and 200k
// write random 4 KiB IOPS, 6.9 and 4.1 GB/s). Own estimates: times and geometry.
const ENTERPRISE_NVME: &str = r#"{
    "kind": "ssd", "capacity_bytes": 3840755982336, "capacity_scale": 512,
    "link": {"bytes_per_s": 6900000000, "command_ns": 50, "duplex": "full"},
    "controller": {"cores": 12, "command_ns": 8000},
    "buffer": {"size_bytes": 67108864, "power_loss_protection": true},
    "media": {
        "channels": 16, "dies_per_channel": 4, "planes_per_die": 4, "page_bytes": 16384, "pages_per_block": 1152,
        "channel_bytes_per_s": 1200000000, "read_ns": 52000, "read_sigma_permille": 80, "read_slow_ppm": 100,
        "read_slow_factor": 8, "program_ns": 1100000, "erase_ns": 5000000, "over_provisioning_permille": 145,
        "rated_erases": 7000
    },
    "slc": null, "idle": {"delay_ns": 1000000000, "spare_permille": 20}, "thermal": null
}"#;

const DRIVES: [(&str, &str); 3] =
    [("SATA data centre", SATA_DATA_CENTRE), ("client NVMe", CLIENT_NVME), ("enterprise NVMe", ENTERPRISE_NVME)];

fn parse(json: &str) -> SsdModel {
    let Model::Ssd(model) = serde_json::from_str(json).expect("the JSON is a model") else {
        panic!("it is of another kind");
    };
    *model
}

#[test]
fn models_parse_from_json_and_can_be_simulated() {
    for (name, json) in DRIVES {
        parse(json).check().unwrap_or_else(|failure| panic!("{name}: {}", failure.message));
    }
}

#[test]
fn an_unknown_key_is_rejected() {
    let json = SATA_DATA_CENTRE.replace("\"cores\": 4", "\"cores\": 4, \"cache\": 1");
    let error = serde_json::from_str::<Model>(&json).expect_err("there is no such key").to_string();
    assert!(error.starts_with("unknown field `cache`"), "{error}");
}

fn print(name: &str, rig: &mut DriveRig, load: Load) {
    let count = (16 * load.depth).max(40_000) * 4096 / u64::from(load.block_bytes).min(32_768);
    let seen = rig.run(load, count);
    let latencies = if load.read_percent > 0 { &seen.read_ns } else { &seen.write_ns };
    println!(
        "{name:22} depth {:3}: {:9.0} IOPS, {:7.1} MB/s, mean {:7.1} µs, p99.9 {:8.1} µs",
        load.depth,
        seen.iops(),
        seen.iops() * f64::from(load.block_bytes) / 1e6,
        mean(latencies) / 1e3,
        percentile(latencies, 999) as f64 / 1e3
    );
}

#[test]
#[ignore = "prints the performance of the drives; run with --ignored --nocapture"]
fn performance_of_the_drives() {
    let large = Load { block_bytes: 131_072, is_sequential: true, ..RANDOM_READ };
    for (name, json) in DRIVES {
        println!("{name}");
        let model = parse(json);
        let mut rig = DriveRig::new(&model);
        for depth in [1, 32, 256] {
            print("fresh random write", &mut rig, Load { depth, ..RANDOM_WRITE });
        }
        let mut rig = DriveRig::new(&model);
        print("fresh 128 KiB write", &mut rig, Load { depth: 32, read_percent: 0, ..large });
        rig.fill();
        for depth in [1, 32, 256] {
            print("filled random read", &mut rig, Load { depth, ..RANDOM_READ });
            print("filled 128 KiB read", &mut rig, Load { depth, ..large });
        }
        rig.overwrite(3);
        for depth in [32, 256] {
            print("steady random write", &mut rig, Load { depth, ..RANDOM_WRITE });
        }
        let amplification = rig.amplification(|rig| rig.overwrite(1));
        println!("steady amplification {amplification:.2}");
        for depth in [1, 32, 256] {
            print("steady 70/30", &mut rig, Load { depth, read_percent: 70, ..RANDOM_READ });
        }
        rig.now_ns += 60 * SECOND;
        for depth in [1, 32, 256] {
            print("steady random read", &mut rig, Load { depth, ..RANDOM_READ });
        }
        print("depth 1, after idle", &mut rig, RANDOM_WRITE);
        println!("{:?}", rig.health());
    }
}

// CPU time of this thread, which other load does not affect.
pub fn cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap()
}

// Simulates random requests at a rate that the drive can just sustain. Returns the speed of the simulation.
fn speed(ssd: &mut Ssd, operation: Operation, count: u64) -> f64 {
    let mut random = iosonde_engine::random::Random::new(5);
    let pages = ssd.size_bytes() / 4096;
    let mut in_flight: std::collections::VecDeque<u64> = std::iter::repeat_n(0, 32).collect();
    let mut now_ns = 3600 * SECOND;
    let start_ns = cpu_ns();
    for _ in 0..count {
        now_ns = now_ns.max(in_flight.pop_front().unwrap());
        let offset_bytes = random.below(pages) * 4096;
        in_flight.push_back(ssd.complete(now_ns, &IoCommand { operation, offset_bytes, length_bytes: 4096 }).done_ns);
    }
    count as f64 * 1e9 / (cpu_ns() - start_ns) as f64
}

#[test]
#[ignore = "measures this machine and needs an idle one; run with --release --ignored --nocapture"]
fn three_million_requests_a_second_are_simulated() {
    let mut model = small();
    model.capacity_bytes = 4 << 30;
    model.media.over_provisioning_permille = 280;
    let mut ssd = Ssd::new(&model, 1);
    let pages = ssd.size_bytes() / 4096;
    println!("fresh writes: {:.2} million per second", speed(&mut ssd, Operation::Write, pages) / 1e6);
    speed(&mut ssd, Operation::Write, 3 * pages);
    let writes = speed(&mut ssd, Operation::Write, 10_000_000);
    let reads = speed(&mut ssd, Operation::Read, 10_000_000);
    println!("steady writes: {:.2}, reads: {:.2} million per second", writes / 1e6, reads / 1e6);
    assert!(writes > 3e6 && reads > 3e6, "with nothing else on this core");
}
