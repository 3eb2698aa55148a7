//! Progress of the kernel during a blocking call: fdatasync of a large page cache takes minutes on a slow disk. Reading
//! the progress never blocks on a device.

use std::fs::read_to_string;
use std::os::fd::RawFd;

/// The minimum decrease of dirty memory that counts as progress.
const DIRTY_KIB_STEP: u64 = 1024;
/// The fields of a block device's `stat` that count completed requests: reads, writes, discards, flushes. The last two
/// exist since Linux 4.18 and 5.5.
const COMPLETED: [usize; 4] = [0, 4, 11, 15];

/// The source of progress information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProgressSource {
    /// No source, because the call moves no data.
    #[default]
    None,
    /// Completed requests of a block device, including other processes' I/O.
    Device(u32, u32),
    /// Dirty pages of an open file. A new minimum since the start of the call is progress. For file systems without a
    /// block device; requires Linux 6.5.
    File(RawFd),
    /// All dirty memory of the host. A new minimum since the start of the call is progress. The data of an unresponsive
    /// target stays dirty, so there are only finitely many minima. Other processes' writes influence it.
    Memory,
}

/// A reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Completed(u64),
    DirtyKib(u64),
    DirtyPages(u64),
}

impl ProgressSource {
    /// The source for a file or device with this device number, and its handle if it is open. There is no block device
    /// with the number of a file system without a device.
    #[must_use]
    pub fn of(major: u32, minor: u32, file: Option<RawFd>) -> Self {
        let known = [Some(Self::Device(major, minor)), file.map(Self::File)];
        known.into_iter().flatten().find(|source| source.read().is_some()).unwrap_or(Self::Memory)
    }

    /// The current reading; None if unavailable.
    #[must_use]
    pub fn read(&self) -> Option<Progress> {
        match self {
            Self::None => None,
            Self::Device(major, minor) => {
                let text = read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
                Some(Progress::Completed(completed(&text)))
            }
            Self::File(file) => dirty_pages(*file).map(Progress::DirtyPages),
            Self::Memory => Some(Progress::DirtyKib(dirty_kib(&read_to_string("/proc/meminfo").ok()?))),
        }
    }
}

impl Progress {
    /// Whether this is progress since the last reading.
    pub fn is_progress_since(self, last: Self) -> bool {
        match (self, last) {
            (Self::Completed(now), Self::Completed(last)) => now != last,
            (Self::DirtyPages(now), Self::DirtyPages(last)) => now < last,
            (Self::DirtyKib(now), Self::DirtyKib(last)) => now + DIRTY_KIB_STEP <= last,
            _ => true,
        }
    }
}

fn completed(text: &str) -> u64 {
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    COMPLETED.iter().filter_map(|at| numbers.get(*at)).sum()
}

/// The system call number of `cachestat`, which is the same on all architectures, and its structures (linux/mman.h).
const CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct Range {
    offset_bytes: u64,
    // 0 means up to the end.
    length_bytes: u64,
}

#[repr(C)]
#[derive(Default)]
struct Cached {
    pages: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    evicted_recently: u64,
}

fn dirty_pages(file: RawFd) -> Option<u64> {
    let (whole, mut cached) = (Range { offset_bytes: 0, length_bytes: 0 }, Cached::default());
    // SAFETY: both pointers are to live structures of the kernel's layout, which the call reads or fills. If the handle
    // was closed, the call fails or reads the counters of another file, which is harmless.
    let result = unsafe { libc::syscall(CACHESTAT, file, &raw const whole, &raw mut cached, 0) };
    (result == 0).then_some(cached.dirty + cached.writeback)
}

fn dirty_kib(facts: &str) -> u64 {
    let of = |name: &str| {
        let line = facts.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    ["Dirty:", "Writeback:", "NFS_Unstable:"].into_iter().filter_map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completed_requests_of_a_device_are_progress() {
        let line = "  10 0 0 0 20 0 0 0 {} 0 0 3 0 0 0 4 0";
        assert_eq!(completed(&line.replace("{}", "1")), 37);
        assert_eq!(completed(&line.replace("{}", "9")), 37);
        // The format before Linux 4.18.
        assert_eq!(completed("10 0 0 0 20 0 0 0 0 0 0"), 30);
        assert!(Progress::Completed(38).is_progress_since(Progress::Completed(37)));
        assert!(!Progress::Completed(37).is_progress_since(Progress::Completed(37)));
    }

    #[test]
    fn dirty_memory_is_progress_only_at_a_new_minimum() {
        let facts = "MemFree: 9 kB\nDirty:    5000 kB\nWriteback:  3000 kB\nNFS_Unstable: 0 kB\n";
        assert_eq!(dirty_kib(facts), 8000);
        assert!(!Progress::DirtyKib(9000).is_progress_since(Progress::DirtyKib(8000)));
        assert!(!Progress::DirtyKib(7900).is_progress_since(Progress::DirtyKib(8000)));
        assert!(Progress::DirtyKib(6900).is_progress_since(Progress::DirtyKib(8000)));
    }

    #[test]
    fn without_a_device_the_source_is_dirty_memory() {
        assert!(matches!(ProgressSource::Memory.read(), Some(Progress::DirtyKib(_))));
        assert_eq!(ProgressSource::of(0, 0, None), ProgressSource::Memory);
    }

    #[test]
    fn dirty_pages_of_a_file_fall_to_zero_with_its_sync() {
        use std::io::Write;
        use std::os::fd::AsRawFd;

        let mut file = tempfile::tempfile_in(".").expect("a file on a disk");
        let source = ProgressSource::File(file.as_raw_fd());
        file.write_all(&vec![7; 1 << 20]).expect("room for a MiB");
        let Some(before) = source.read() else { return };
        file.sync_all().expect("a disk that works");
        let after = source.read().expect("it was available before");
        assert_eq!(after, Progress::DirtyPages(0));
        assert!(after.is_progress_since(before) && !before.is_progress_since(after));
    }
}
