//! The same faults around rings on a file.

use std::fs::File;
use std::sync::Arc;

use iosonde_engine::failure::FailureKind;
use iosonde_engine::job::{Engine, Job, Sync};
use iosonde_engine::pattern::Payload;
use iosonde_engine::ring::{IoPath, Poll, PsyncRing, UringRing, uring_refused};

use super::rig::{SECOND, run_on};
use crate::common::faulty_ring::Fault;
use crate::common::{MS, job};

/// The faults for each engine.
fn kernel_faults() -> Vec<(Vec<Fault>, Option<FailureKind>)> {
    vec![
        (vec![], None),
        (vec![Fault::Range { offset_bytes: 0, length_bytes: 64 << 10, errno: libc::EIO }], None),
        (vec![Fault::Short { permille: 100, moved_bytes: 512 }], None),
        (vec![Fault::Again { permille: 500, errno: libc::EAGAIN }], None),
        (vec![Fault::Submit { permille: 300, errno: libc::EINTR }], None),
        (vec![Fault::Delay { permille: 20, extra_ns: 3 * SECOND }], None),
        (vec![Fault::Lost { permille: 50 }], Some(FailureKind::Stuck)),
        (vec![Fault::Gone { at_ns: 10 * MS, errno: libc::ENXIO, loses_in_flight: false }], Some(FailureKind::Io)),
    ]
}

fn a_file() -> Arc<File> {
    let file = tempfile::tempfile().expect("a file");
    let bytes = vec![7; 1 << 20];
    std::os::unix::fs::FileExt::write_all_at(&file, &bytes, 0).expect("room for a megabyte");
    Arc::new(file)
}

#[test]
fn psync_rings_on_a_file_behave_the_same() {
    let file = a_file();
    for sync in [Sync::None, Sync::Fdatasync] {
        let way = Job { engine: Engine::Psync, queue_depth: 1, read_percent: 50, sync, ..job() };
        for (faults, failure) in kernel_faults() {
            let (payload, buffers) = Payload::new(&way, way.slots(), 0).expect("memory");
            let outcome = run_on(&way, PsyncRing::new(Arc::clone(&file), buffers), Some(payload), &faults, 3);
            outcome.assert_whole(&format!("{faults:?}"));
            assert_eq!(outcome.failure(), failure, "{faults:?}");
        }
    }
}

#[test]
fn io_uring_on_a_file_behaves_the_same() {
    if uring_refused().is_some() {
        return;
    }
    let file = a_file();
    for (depth, sync) in [(1, Sync::None), (16, Sync::None), (8, Sync::Fdatasync)] {
        let way = Job { engine: Engine::IoUring, queue_depth: depth, read_percent: 50, sync, ..job() };
        for (faults, failure) in kernel_faults() {
            let (payload, buffers) = Payload::new(&way, way.slots(), 0).expect("memory");
            let poll = Poll::Interrupt;
            let file_way = IoPath { file: Arc::clone(&file), direct: true, poll, io_wq: Arc::default() };
            let ring = UringRing::new(way.slots(), &file_way, buffers);
            let outcome = run_on(&way, ring.expect("a ring"), Some(payload), &faults, 3);
            outcome.assert_whole(&format!("{faults:?}"));
            assert_eq!(outcome.failure(), failure, "{faults:?}");
        }
    }
}
