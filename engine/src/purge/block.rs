//! Calls of the kernel's block layer: discards, and reading the partition table again.

use std::io;
use std::os::fd::AsRawFd;

use crate::guard::WriteGrant;

const BLKDISCARD: libc::c_ulong = 0x1277;
const BLKRRPART: libc::c_ulong = 0x125F;
/// Discards in steps tell their progress, and can be stopped between them.
const STEPS: u64 = 100;
const STEP_BYTES_MIN: u64 = 1 << 30;

/// The ranges of the steps of a device: start and length.
pub fn steps(size_bytes: u64) -> impl Iterator<Item = [u64; 2]> {
    let step = size_bytes.div_ceil(STEPS).max(STEP_BYTES_MIN).next_multiple_of(STEP_BYTES_MIN);
    (0..size_bytes.div_ceil(step)).map(move |number| [number * step, step.min(size_bytes - number * step)])
}

/// Discards a range of the device of a grant.
pub fn discard(grant: &WriteGrant, range: [u64; 2]) -> io::Result<()> {
    // SAFETY: the handle is open, and the call reads the two numbers of `range`, which outlives it.
    let answer = unsafe { libc::ioctl(grant.file().as_raw_fd(), BLKDISCARD, range.as_ptr()) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lets the kernel read the partition table of the disk of a grant again: it does not notice that a purge has erased it.
/// Without effect on a partition, and on a device without partitions.
pub fn reread_partitions(grant: &WriteGrant) {
    // SAFETY: the handle is open, and this call takes no pointer.
    let _ = unsafe { libc::ioctl(grant.file().as_raw_fd(), BLKRRPART) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_cover_a_device_without_gaps() {
        const GIB: u64 = 1 << 30;
        for size in [512, GIB, GIB + 512, 960 * GIB + 4096] {
            let ranges: Vec<[u64; 2]> = steps(size).collect();
            assert!(ranges.len() <= 101);
            assert_eq!(ranges[0][0], 0);
            assert!(ranges.windows(2).all(|pair| pair[0][0] + pair[0][1] == pair[1][0]));
            assert_eq!(ranges.iter().map(|range| range[1]).sum::<u64>(), size);
        }
    }
}
