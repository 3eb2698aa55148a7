//! Speed of the whole simulation loop: worker, drive and recording.

use std::sync::Arc;

use iosonde_engine::cell::{SimulatedContext, run_simulated_job};
use iosonde_engine::job::{Data, Engine, FAILED_MAX, Job, Limits, Pattern, Sync};
use iosonde_engine::ring::Poll;
use iosonde_engine::sim::{Drive, Model, VirtualClock};
use iosonde_engine::target::Target;

use super::drives::cpu_ns;
use super::rig::{SECOND, small};

fn job(span_bytes: u64, read_percent: u8, operations: u64) -> Job {
    Job {
        engine: Engine::Simulation,
        pattern: Pattern::Random,
        read_percent,
        trim_percent: 0,
        block_size_bytes: 4096,
        block_sizes: Vec::new(),
        queue_depth: 32,
        jobs: 1,
        targets: 1,
        poll: Poll::Interrupt,
        sync: Sync::None,
        flush_every: 1,
        data: Data::Zeros,
        compressible_percent: 0,
        duplicates_percent: 0,
        verify: false,
        seed: 5,
        offset_bytes: 0,
        span_bytes,
        warmup_ns: 0,
        measure_ns: SECOND,
        interval_ns: SECOND,
        pace: None,
        burst: None,
        duty: None,
        failed_max: FAILED_MAX,
        write_cache: None,
        amount_bytes: Some(operations * 4096),
        limit_ns: None,
        decide_ns: None,
        done_bytes: 0,
    }
}

#[test]
#[ignore = "measures this machine and needs an idle one; run with --release --ignored --nocapture"]
fn three_million_requests_a_second_go_through_the_whole_loop() {
    let mut model = small();
    model.capacity_bytes = 4 << 30;
    model.media.over_provisioning_permille = 280;
    let mut drives = [Drive::new(&Model::Ssd(Box::new(model)), 1)];
    let size_bytes = drives[0].simulated().size_bytes();
    let targets = [Target::simulation(size_bytes)];
    let clock = VirtualClock::default();
    let mut context = SimulatedContext {
        targets: &targets,
        drives: &mut drives,
        clock: &clock,
        stop: Arc::default(),
        limits: Limits::default(),
    };
    let mut rate = |read_percent, operations: u64| {
        let start_ns = cpu_ns();
        let job = job(size_bytes, read_percent, operations);
        run_simulated_job(&job, &mut context, &mut |_| {}, &mut |_| {}, &mut |_| {}).expect("the job can be run");
        operations as f64 * 1e9 / (cpu_ns() - start_ns) as f64
    };
    rate(0, 4 * size_bytes / 4096);
    // Other load on the machine only makes it slower.
    let writes = (0..3).map(|_| rate(0, 3_000_000)).fold(0.0, f64::max);
    let reads = (0..3).map(|_| rate(100, 3_000_000)).fold(0.0, f64::max);
    println!("steady writes: {:.2}, reads: {:.2} million per second, whole loop", writes / 1e6, reads / 1e6);
    assert!(writes > 3e6 && reads > 3e6, "with nothing else on this core");
}
