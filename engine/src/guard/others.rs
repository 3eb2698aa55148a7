//! Reads from the other disks of this host, which may be added or removed while they are read.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use super::node::{Node, Number, whole_disks};

/// The number of attempts for each disk. The kernel removes a disk or a partition in several steps. Between two of them
/// it is still listed, but cannot be opened.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Calls a function for every disk except the one with this number, and returns the results in order. If a call fails,
/// it is retried with a new look at the disk. Disks that have been removed by then, or have no medium, are skipped.
/// Returns the last error if all attempts for a disk fail.
pub fn ask_others<T>(own: Number, ask: impl Fn(&Node) -> io::Result<T>) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    for disk in whole_disks()?.iter().filter(|each| each.number != own && each.size_bytes > 0) {
        found.extend(with_retries(disk, &ask)?);
    }
    Ok(found)
}

fn with_retries<T>(disk: &Node, ask: impl Fn(&Node) -> io::Result<T>) -> io::Result<Option<T>> {
    let mut disk = disk.clone();
    for _ in 1..TRIES {
        if let Ok(answer) = ask(&disk) {
            return Ok(Some(answer));
        }
        sleep(PAUSE);
        match Node::at(&disk.folder) {
            Ok(now) if now.size_bytes > 0 => disk = now,
            _ => return Ok(None),
        }
    }
    ask(&disk).map(Some)
}
