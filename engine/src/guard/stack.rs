//! What is built on a device, what it is built on, and other paths to the same drive.

use std::fs::{File, read_to_string};
use std::io;
use std::path::{Path, PathBuf};

use super::check::Found;
use super::loops::{Backing, other_loops};
use super::mounts::Mount;
use super::node::{Node, whole_disks};
use super::open_files::file_open;

/// Device mapper on md on a partition of a loop device: more levels than anybody builds.
const LEVELS_MAX: usize = 16;
const SYSTEM_POINTS: [&str; 6] = ["/", "/boot", "/boot/efi", "/efi", "/usr", "/var"];
/// The type of an EFI system partition in a GPT, and in a table of MS-DOS.
const EFI_TYPES: [&str; 2] = ["c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0xef"];

/// The devices that are built on any of these.
pub fn held(nodes: &[Node]) -> Found {
    let mut found = Vec::new();
    for node in nodes {
        for holder in node.linked("holders")? {
            let title = holder.text("dm/name").or_else(|| holder.text("md/level"));
            let title = title.map(|title| format!(" ({title})")).unwrap_or_default();
            found.push(format!("{} is part of {}{title}", node.name(), holder.name()));
        }
    }
    Ok(found)
}

/// Other users of what the device is built on: of the devices below it, or of the file of a loop device.
pub fn below(node: &Node) -> Found {
    let whole = node.whole()?;
    let mut found = Vec::new();
    for slave in whole.linked("slaves")? {
        for holder in slave.linked("holders")?.iter().filter(|each| each.number != whole.number) {
            found.push(format!("{}, which it is built on, is also part of {}", slave.name(), holder.name()));
        }
    }
    if let Some(backing) = Backing::of(&whole)? {
        found.extend(users_of_file(&whole, &backing)?);
    }
    Ok(found)
}

/// The devices that a device is built on, by their names; none for a drive, its partitions, and a loop device.
///
/// Device mapper passes commands for a drive on to the one below it, also from a mapping of a part of that.
pub fn built_on(file: &File) -> io::Result<Vec<String>> {
    let below = Node::of(file)?.whole()?.linked("slaves")?;
    Ok(below.iter().map(Node::name).collect())
}

// The file of a loop device must be at its path, and nobody else may use it.
fn users_of_file(whole: &Node, backing: &Backing) -> Found {
    let name = backing.path.display();
    let mut found = Vec::new();
    if !backing.is_at_its_path() {
        found.push(format!("the backing file of {} is no longer at {name}", whole.name()));
    }
    for (other, theirs) in other_loops(whole.number)? {
        if (theirs.device, theirs.inode) == (backing.device, backing.inode) {
            found.push(format!("{name}, its backing file, is also that of {}", other.name()));
        }
    }
    found.extend(file_open(&format!("{name}, its backing file,"), backing.device, backing.inode)?);
    Ok(found)
}

/// Refuses a loop device over a block device: the uses of the lower device are not checked.
pub fn over_device(node: &Node) -> Found {
    let whole = node.whole()?;
    let over = Backing::of(&whole)?.and_then(|backing| backing.over);
    Ok(over
        .map(|_| format!("{} is a loop device over a block device; name that device", whole.name()))
        .into_iter()
        .collect())
}

/// Other disks that lead to the same drive, and whether the drive hides behind a multipath head.
pub fn paths(node: &Node) -> Found {
    let whole = node.whole()?;
    let Some(own) = whole.wide_name() else { return Ok(Vec::new()) };
    let others = whole_disks()?;
    let same = others.iter().filter(|each| each.number != whole.number && each.wide_name().as_ref() == Some(&own));
    Ok(same.map(|each| format!("{} has the same world-wide name, {own}", each.name())).collect())
}

/// Whether a device, or one that is built on it, is below a file system that this machine runs from.
pub fn system(node: &Node, mounts: &[Mount], kind: io::Result<Option<String>>) -> Found {
    let mut found = Vec::new();
    for mount in mounts.iter().filter(|mount| SYSTEM_POINTS.contains(&mount.point.as_str())) {
        for number in [Some(mount.number), mount.source].into_iter().flatten() {
            let Ok(top) = Node::numbered(number) else { continue };
            for part in with_all_below(&top)? {
                let is_same = part.number == node.number;
                if is_same || (node.partition.is_none() && part.whole()?.number == node.number) {
                    found.push(format!("{} is below the file system at {}", part.name(), mount.point));
                }
            }
        }
    }
    if node.partition.is_some() && kind?.is_some_and(|kind| EFI_TYPES.contains(&kind.to_lowercase().as_str())) {
        found.push(format!("{} is an EFI system partition", node.name()));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

// A device with all that it is built on.
fn with_all_below(top: &Node) -> io::Result<Vec<Node>> {
    let mut found = vec![top.clone()];
    let mut level = vec![top.clone()];
    for _ in 0..LEVELS_MAX {
        let mut next = Vec::new();
        for node in &level {
            next.extend(node.linked("slaves")?);
            next.extend(node.whole()?.linked("slaves")?);
        }
        next.retain(|each| !found.contains(each));
        found.extend(next.iter().cloned());
        level = next;
    }
    Ok(found)
}

/// A process as a text, `process 12 (qemu-system-x86)`.
pub fn process_name(process: &Path) -> String {
    let name = read_to_string(process.join("comm")).unwrap_or_default();
    let number: PathBuf = process.file_name().unwrap_or_default().into();
    format!("process {} ({})", number.display(), name.trim())
}
