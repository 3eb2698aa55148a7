//! Commands to a real NVMe namespace, if `IOSONDE_NVME=/dev/nvme0n1:/dev/ng0n1` names one, as in `make lab`.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{MS, job};
use iosonde_engine::cell::{JobContext, Outcome, run_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Engine, Job, Limits};
use iosonde_engine::ring::{
    Buffers, Operation, PassthroughRing, PassthroughTarget, Poll, PsyncRing, Request, Ring, passthrough_offered,
};
use iosonde_engine::target::{DeviceOptions, Target};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 1000;
/// Distance between reads: not a power of two, so that all bytes of offsets differ.
const STRIDE: u64 = 12_288;

fn namespace() -> Option<Target> {
    let named = std::env::var("IOSONDE_NVME").ok()?;
    let (block, generic) = named.split_once(':').expect("a block device and a generic one");
    let options = DeviceOptions { direct: true, generic: Some(PathBuf::from(generic)), claim: None };
    Some(Target::open_device(Path::new(block), &options).expect("a namespace"))
}

fn passthrough_target(target: &Target) -> PassthroughTarget {
    let namespace = target.namespace.as_ref().expect("it was opened as one");
    PassthroughTarget {
        generic: Arc::clone(namespace.generic()),
        block: Arc::clone(target.file().expect("a handle")),
        namespace: namespace.facts.number,
        block_bytes: namespace.facts.block_bytes,
    }
}

fn read(ring: &mut impl Ring, offset_bytes: u64) -> Vec<u8> {
    let mut block = vec![0xA5; BLOCK as usize];
    ring.buffers().write(0, &block);
    ring.push(Request { operation: Operation::Read, slot: 3, offset_bytes, buffer_at: 0, length_bytes: BLOCK });
    let mut done = Vec::with_capacity(1);
    while done.is_empty() {
        ring.submit(1, 100 * MS).ok();
        ring.reap(&mut done);
    }
    assert_eq!((done[0].slot, done[0].result), (3, BLOCK.cast_signed()), "at {offset_bytes}");
    ring.buffers().read(0, &mut block);
    block
}

#[test]
fn commands_read_the_same_data_as_the_block_device() {
    let Some(target) = namespace() else { return };
    let memory = || Buffers::new(1 << 16).expect("memory");
    let mut plain = PsyncRing::new(Arc::clone(target.file().expect("a handle")), memory());
    for poll in Poll::ALL {
        let mut commands = PassthroughRing::new(4, passthrough_target(&target), memory(), poll).expect("passthrough");
        for number in 0..BLOCKS {
            let offset = number * STRIDE % (target.size_bytes / 16);
            let offset = offset / u64::from(BLOCK) * u64::from(BLOCK);
            let (one, other) = (read(&mut plain, offset), read(&mut commands, offset));
            assert!(one == other, "{poll:?}: other bytes at {offset}");
        }
    }
}

#[test]
fn a_file_that_is_not_a_generic_nvme_device_is_refused() {
    let options = DeviceOptions { direct: true, generic: Some(PathBuf::from("/dev/null")), claim: None };
    let Some(target) = namespace() else { return };
    let refused = Target::open_device(target.path(), &options).expect_err("no generic device");
    assert_eq!(refused.kind, FailureKind::NoNamespace);
}

#[test]
fn a_passthrough_job_is_refused_if_it_writes_or_its_blocks_exceed_a_command() {
    let context =
        |targets| JobContext { targets, clock: Monotonic::start(), stop: Arc::default(), limits: Limits::default() };
    let plain = [Target::null(1 << 20)];
    let asked = Job { engine: Engine::Passthrough, ..job() };
    let refused = run_job(&asked, &context(&plain), &mut |_| {}, &mut |_| {}, &mut |_| {}, &mut |_| {})
        .expect_err("there is nothing to command");
    assert_eq!(refused.kind, FailureKind::BadJob);
    let Some(target) = namespace() else { return };
    assert!(passthrough_offered());
    let targets = [target];
    for wrong in [
        Job { read_percent: 50, ..asked.clone() },
        Job { block_size_bytes: 64 << 20, span_bytes: 64 << 20, ..asked.clone() },
    ] {
        let refused = run_job(&wrong, &context(&targets), &mut |_| {}, &mut |_| {}, &mut |_| {}, &mut |_| {})
            .expect_err("it can't be");
        assert_eq!(refused.kind, FailureKind::BadJob, "{}", refused.message);
    }
    let result =
        run_job(&asked, &context(&targets), &mut |_| {}, &mut |_| {}, &mut |_| {}, &mut |_| {}).expect("reads");
    assert_eq!((result.outcome, result.engine.engine), (Outcome::Finished, Engine::Passthrough));
}
