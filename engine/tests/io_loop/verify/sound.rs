//! No false alarms: undamaged targets pass verification.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iosonde_engine::job::{Job, Pattern, SizeShare};

use super::rig::{BLOCK, SIZE, VerifyRig, engines, fill, found, random_writes};
use crate::common::MS;

fn is_sound_after(step_bytes: u64, jobs: &[Job]) {
    let rig = VerifyRig::new(step_bytes);
    for job in jobs {
        rig.run(job);
        let verification = rig.verify();
        assert_eq!(found(&verification), [], "after {job:?}");
    }
}

#[test]
fn overlapping_writes_to_few_blocks_raise_no_alarm() {
    for engine in engines() {
        // 32 in flight on 8 blocks: nearly every write overlaps another one.
        let crowded = Job { queue_depth: 32, span_bytes: 8 * BLOCK, measure_ns: 100 * MS, ..random_writes(engine) };
        is_sound_after(BLOCK, &[fill(engine), crowded]);
    }
}

#[test]
fn several_jobs_on_one_target_raise_no_alarm() {
    for engine in engines() {
        let several = Job { queue_depth: 4, jobs: 4, span_bytes: 64 * BLOCK, ..random_writes(engine) };
        is_sound_after(BLOCK, &[fill(engine), several]);
    }
}

#[test]
fn mixed_block_sizes_raise_no_alarm() {
    for engine in engines() {
        let sizes = [(4096, 3), (8192, 2), (65536, 1)];
        let block_sizes = sizes.map(|(size_bytes, weight)| SizeShare { size_bytes, weight }).to_vec();
        let mixed = Job { block_sizes, block_size_bytes: 65536, queue_depth: 32, ..random_writes(engine) };
        is_sound_after(BLOCK, &[fill(engine), mixed.clone(), Job { pattern: Pattern::Sequential, ..mixed }]);
    }
}

#[test]
fn reads_among_writes_and_data_that_compresses_raise_no_alarm() {
    for engine in engines() {
        let mixed = Job { read_percent: 50, compressible_percent: 90, ..random_writes(engine) };
        is_sound_after(512, &[fill(engine), mixed]);
    }
}

#[test]
fn trimmed_blocks_may_hold_anything_until_they_are_written_again() {
    for engine in engines() {
        let rig = VerifyRig::new(BLOCK);
        rig.run(&fill(engine));
        rig.run(&Job { trim_percent: 50, queue_depth: 32, span_bytes: SIZE / 4, ..random_writes(engine) });
        let verification = rig.verify();
        assert_eq!(found(&verification), []);
        assert!(verification.steps_free > 0 && verification.steps_checked > 768, "{verification:?}");
        rig.run(&fill(engine));
        assert_eq!(rig.verify().steps_checked, 1024);
    }
}

#[test]
fn a_stopped_job_raises_no_alarm() {
    for engine in engines() {
        let rig = VerifyRig::new(BLOCK);
        rig.run(&fill(engine));
        let stop = Arc::new(AtomicBool::new(false));
        let stopper = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            stopper.store(true, Ordering::Relaxed);
        });
        rig.run_until(&Job { queue_depth: 32, measure_ns: 10_000 * MS, ..random_writes(engine) }, &stop);
        thread.join().expect("a thread that only waits");
        assert_eq!(found(&rig.verify()), []);
    }
}
