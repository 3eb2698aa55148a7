//! Signs that the kernel is at work while a call does not come back: a sync of a full page cache takes minutes on a slow
//! disk. Reading them never waits for a device.

use std::fs::read_to_string;
use std::os::fd::RawFd;

/// What is waited for moves when so much less waits to be written.
const DIRTY_KIB_STEP: u64 = 1024;
/// Requests that a block device has completed, in its `stat`: reads, writes, discards, flushes. The last two are not there
/// before Linux 4.18 and 5.5.
const COMPLETED: [usize; 4] = [0, 4, 11, 15];

/// Where to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// Nowhere: the call moves no data.
    #[default]
    None,
    /// At the requests that a block device completes. Those of others count as well.
    Device(u32, u32),
    /// At the pages of an open file that have still to be written: fewer than ever since the call began. For file systems
    /// without a block device; needs Linux 6.5.
    File(RawFd),
    /// At what the kernel has still to write, to whatever device: less than ever since the call began. Where the target does
    /// not answer, what waits for it stays, so that this comes to an end; but what others write counts as well.
    Memory,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Completed(u64),
    DirtyKib(u64),
    DirtyPages(u64),
}

impl Signs {
    /// Those of what lies on a device of that number, and is open as `file`, if it is; a file system without a device has a
    /// number that leads to none.
    #[must_use]
    pub fn of(major: u32, minor: u32, file: Option<RawFd>) -> Self {
        let known = [Some(Self::Device(major, minor)), file.map(Self::File)];
        known.into_iter().flatten().find(|signs| signs.look().is_some()).unwrap_or(Self::Memory)
    }

    /// What is to be seen now; None where there is nothing.
    #[must_use]
    pub fn look(&self) -> Option<Sign> {
        match self {
            Self::None => None,
            Self::Device(major, minor) => {
                let text = read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
                Some(Sign::Completed(completed(&text)))
            }
            Self::File(file) => dirty_pages(*file).map(Sign::DirtyPages),
            Self::Memory => Some(Sign::DirtyKib(dirty_kib(&read_to_string("/proc/meminfo").ok()?))),
        }
    }
}

impl Sign {
    /// Whether this is a step on from what was seen last.
    pub fn is_beyond(self, last: Self) -> bool {
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

/// `cachestat`, under the same number wherever the engine runs, and its structures (linux/mman.h).
const CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct Range {
    offset_bytes: u64,
    // 0 for all behind the offset.
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
    // SAFETY: both pointers are to live structures of the kernel's layout, which the call fills or only reads. A handle that
    // was closed meanwhile is refused, or another file's, of which no more than this is read.
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
    fn a_device_moves_with_each_request_that_it_completes_and_not_with_what_is_in_flight() {
        let line = "  10 0 0 0 20 0 0 0 {} 0 0 3 0 0 0 4 0";
        assert_eq!(completed(&line.replace("{}", "1")), 37);
        assert_eq!(completed(&line.replace("{}", "9")), 37);
        // As before Linux 4.18.
        assert_eq!(completed("10 0 0 0 20 0 0 0 0 0 0"), 30);
        assert!(Sign::Completed(38).is_beyond(Sign::Completed(37)));
        assert!(!Sign::Completed(37).is_beyond(Sign::Completed(37)));
    }

    #[test]
    fn what_is_to_be_written_moves_only_when_it_is_less_than_ever() {
        let facts = "MemFree: 9 kB\nDirty:    5000 kB\nWriteback:  3000 kB\nNFS_Unstable: 0 kB\n";
        assert_eq!(dirty_kib(facts), 8000);
        assert!(!Sign::DirtyKib(9000).is_beyond(Sign::DirtyKib(8000)));
        assert!(!Sign::DirtyKib(7900).is_beyond(Sign::DirtyKib(8000)));
        assert!(Sign::DirtyKib(6900).is_beyond(Sign::DirtyKib(8000)));
    }

    #[test]
    fn what_lies_on_no_device_is_seen_in_memory() {
        assert!(matches!(Signs::Memory.look(), Some(Sign::DirtyKib(_))));
        assert_eq!(Signs::of(0, 0, None), Signs::Memory);
    }

    #[test]
    fn what_is_written_to_a_file_is_seen_until_it_is_on_its_disk() {
        use std::io::Write;
        use std::os::fd::AsRawFd;

        let mut file = tempfile::tempfile_in(".").expect("a file on a disk");
        let signs = Signs::File(file.as_raw_fd());
        file.write_all(&vec![7; 1 << 20]).expect("room for a MiB");
        let Some(before) = signs.look() else { return };
        file.sync_all().expect("a disk that works");
        let after = signs.look().expect("it was seen before");
        assert_eq!(after, Sign::DirtyPages(0));
        assert!(after.is_beyond(before) && !before.is_beyond(after));
    }
}
