//! Asks about the other disks of this host, which may come and go while they are asked.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use super::node::{Node, Number, whole_disks};

/// How often a disk is asked. A kernel takes a disk or a partition away in several steps, and between two of them it is
/// listed and cannot be opened.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// The answers of all disks but the one with this number, in order. A disk that cannot answer is looked up and asked
/// again: one that is gone by then, or has no medium, has no answer. One that still cannot is an error.
pub fn ask_others<T>(own: Number, ask: impl Fn(&Node) -> io::Result<T>) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    for disk in whole_disks()?.iter().filter(|each| each.number != own && each.size_bytes > 0) {
        found.extend(patiently(disk, &ask)?);
    }
    Ok(found)
}

fn patiently<T>(disk: &Node, ask: impl Fn(&Node) -> io::Result<T>) -> io::Result<Option<T>> {
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
