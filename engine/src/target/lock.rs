//! Exclusive locks on files and shared locks on devices, so that measurements do not overlap. The kernel releases them
//! when the engine exits, even after a crash.

use std::fs::{File, read_to_string};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock, fstat, major, minor};
use rustix::io::Errno;

use crate::failure::{Failure, FailureKind};

/// Time limit of the wait for the lock of a process that has exited. The kernel destroys the rings of the process, and
/// releases the lock, in a kernel thread after the exit.
const GIVEN_UP_MAX: Duration = Duration::from_secs(5);
/// Time limit of the wait for any other holder, which may be about to exit.
const HELD_MAX: Duration = Duration::from_millis(500);
/// Interval between attempts.
const RETRY_EVERY: Duration = Duration::from_millis(5);

/// Takes the lock exclusively. Succeeds without a lock if the file system does not support locks.
pub fn take(path: &Path, file: &File) -> Result<(), Failure> {
    wait_for(path, file, FlockOperation::NonBlockingLockExclusive)
}

/// Takes the lock shared with other readers, such as udev when it probes a device. Programs that partition or format a
/// device take it exclusively, so they and measurements exclude each other.
pub fn share(path: &Path, file: &File) -> Result<(), Failure> {
    wait_for(path, file, FlockOperation::NonBlockingLockShared)
}

fn wait_for(path: &Path, file: &File, options: FlockOperation) -> Result<(), Failure> {
    let since = Instant::now();
    while flock(file, options) == Err(Errno::WOULDBLOCK) {
        let holder = holder(file);
        let limit = if holder.is_some_and(has_ended) { GIVEN_UP_MAX } else { HELD_MAX };
        if since.elapsed() < limit {
            sleep(RETRY_EVERY);
            continue;
        }
        let who = holder.map_or_else(|| "a process in another PID namespace".to_owned(), errno_text);
        return Err(Failure::new(FailureKind::Held, format!("{} is in use by {who}", path.display())));
    }
    Ok(())
}

fn has_ended(process: u32) -> bool {
    !Path::new(&format!("/proc/{process}")).exists()
}

// The process that holds the lock, from the kernel's table: `1: FLOCK  ADVISORY  WRITE 1234 fe:00:131 0 EOF`. The entry
// of a device contains the file system and inode of its device node.
fn holder(file: &File) -> Option<u32> {
    let facts = fstat(file).ok()?;
    let place = format!("{:02x}:{:02x}:{}", major(facts.st_dev), minor(facts.st_dev), facts.st_ino);
    holder_in(&read_to_string("/proc/locks").ok()?, &place)
}

fn holder_in(table: &str, place: &str) -> Option<u32> {
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields[..] {
            [_, "FLOCK", _, _, process, found, ..] if found == place => process.parse().ok().filter(|id| *id > 0),
            _ => None,
        }
    })
}

// `process 1234 (iosonde-engine), started by process 1200 (iosonde run /data)`.
fn errno_text(process: u32) -> String {
    let own = format!("process {process} ({})", name(process));
    match parent(process).filter(|parent| *parent > 1) {
        Some(parent) => format!("{own}, started by process {parent} ({})", command(parent)),
        None => own,
    }
}

fn name(process: u32) -> String {
    read_to_string(format!("/proc/{process}/comm")).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

fn command(process: u32) -> String {
    let words = read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words: Vec<&str> = words.split('\0').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { name(process) } else { words.join(" ") }
}

fn parent(process: u32) -> Option<u32> {
    let facts = read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in brackets may contain any characters, so parsing starts after the last bracket: state, then parent.
    facts.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::holder_in;

    const TABLE: &str = "1: POSIX  ADVISORY  WRITE 7 fe:00:131 0 EOF\n\
                         2: FLOCK  ADVISORY  WRITE 1234 fe:00:131 0 EOF\n\
                         3: FLOCK  ADVISORY  WRITE 0 fe:00:132 0 EOF\n";

    #[test]
    fn the_holder_is_found_by_device_and_inode() {
        assert_eq!(holder_in(TABLE, "fe:00:131"), Some(1234));
        assert_eq!(holder_in(TABLE, "fe:00:13"), None);
    }

    #[test]
    fn a_holder_in_another_pid_namespace_is_unknown() {
        assert_eq!(holder_in(TABLE, "fe:00:132"), None);
    }
}
