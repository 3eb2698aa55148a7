//! The lifetime of a ring's buffers and file: until no operation can access them any more, or for ever.

use std::fs::{File, read_to_string};
use std::io::Write;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iosonde_engine::ring::{Buffers, IoPath, Operation, Poll, PsyncRing, Request, Ring, UringRing, uring_refused};

/// Sizes of the buffers.
const KEPT_BYTES: usize = 0x0030_5000;
const GIVEN_BACK_BYTES: usize = 0x0030_7000;
const BLOCK: u32 = 4096;

/// Whether all addresses of the range are mapped. The kernel may have merged it with its neighbours into one mapping.
fn is_mapped(range: &Range<usize>) -> bool {
    let maps = read_to_string("/proc/self/maps").expect("the process's own mappings");
    let mut spans = maps.lines().filter_map(|line| line.split(' ').next()?.split_once('-'));
    let hex = |text| usize::from_str_radix(text, 16).expect("an address");
    spans.any(|(start, end)| hex(start) <= range.start && range.end <= hex(end))
}

/// A ring on the reading end of a pipe with a read in flight; the addresses of its buffers, the file, and the writing
/// end.
fn reading(length: usize) -> (UringRing, Range<usize>, Arc<File>, File) {
    let (read, write) = std::io::pipe().expect("a pipe");
    let [file, write] = [OwnedFd::from(read), OwnedFd::from(write)].map(File::from);
    let file = Arc::new(file);
    let way = IoPath { file: Arc::clone(&file), direct: false, poll: Poll::Interrupt, io_wq: Arc::default() };
    let mut buffers = Buffers::new(length).expect("memory");
    let start = buffers.bytes().as_ptr().addr();
    let mut ring = UringRing::new(1, &way, buffers).expect("a ring");
    ring.push(Request { operation: Operation::Read, slot: 0, offset_bytes: 0, buffer_at: 0, length_bytes: BLOCK });
    ring.submit(0, 0).expect("the kernel takes a read");
    (ring, start..start + length, file, write)
}

#[test]
fn buffers_of_operations_in_flight_are_never_freed() {
    if uring_refused().is_some() {
        return;
    }
    let (ring, buffers, file, mut write) = reading(KEPT_BYTES);
    assert!(is_mapped(&buffers));
    drop((ring, file));
    assert!(is_mapped(&buffers), "a read is in flight, but its memory is unmapped");
    // The file is still open as well: the pipe is intact, and the read can complete.
    write.write_all(&[7; BLOCK as usize]).expect("somebody still reads");
}

#[test]
fn unused_buffers_are_freed() {
    if uring_refused().is_some() {
        return;
    }
    let (mut ring, buffers, file, mut write) = reading(GIVEN_BACK_BYTES);
    write.write_all(&[7; BLOCK as usize]).expect("the ring reads");
    let (mut done, since) = (Vec::with_capacity(1), Instant::now());
    while done.is_empty() && since.elapsed() < Duration::from_secs(10) {
        ring.submit(1, 100_000_000).ok();
        ring.reap(&mut done);
    }
    let mut block = [0; BLOCK as usize];
    ring.buffers().read(0, &mut block);
    assert_eq!((done.len(), block), (1, [7; BLOCK as usize]));
    assert!(is_mapped(&buffers));
    drop((ring, file));
    assert!(!is_mapped(&buffers));
    assert!(write.write_all(&[7; BLOCK as usize]).is_err(), "nobody reads any more");
}

#[test]
#[should_panic(expected = "a range within the ring's buffers")]
fn a_request_beyond_the_buffers_never_reaches_the_kernel() {
    let file = Arc::new(tempfile::tempfile().expect("a file"));
    let mut ring = PsyncRing::new(file, Buffers::new(4096).expect("memory"));
    ring.push(Request { operation: Operation::Read, slot: 0, offset_bytes: 0, buffer_at: 1, length_bytes: BLOCK });
    let _ = ring.submit(0, 0);
}
