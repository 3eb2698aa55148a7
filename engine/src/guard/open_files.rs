//! Processes that have a device or file open or mapped, also through another node of a device. Not all of them take a
//! device exclusively: virtual machines and databases on raw devices do not.

use std::collections::BTreeSet;
use std::fs::read_dir;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, makedev, statx};
use rustix::io::Errno;

use super::check::Found;
use super::mounts::{gone_is_none, processes};
use super::node::{Node, Number, number_from};
use super::stack::process_name;

/// The processes that have any of these devices open or mapped, apart from this one.
pub fn open(nodes: &[Node]) -> Found {
    let blocks: BTreeSet<Number> = nodes.iter().map(|node| node.number).collect();
    let mut generic = BTreeSet::new();
    for node in nodes {
        generic.extend(generic_nodes(node)?);
    }
    users("the device", &|facts| {
        let number = makedev(facts.stx_rdev_major, facts.stx_rdev_minor);
        match FileType::from_raw_mode(facts.stx_mode.into()) {
            FileType::BlockDevice => blocks.contains(&number),
            FileType::CharacterDevice => generic.contains(&number),
            _ => false,
        }
    })
}

/// The processes that have a file open or mapped, apart from this one.
pub fn file_open(path: &str, device: Number, inode: u64) -> Found {
    users(path, &|facts| facts.stx_ino == inode && makedev(facts.stx_dev_major, facts.stx_dev_minor) == device)
}

// A process that may not be read counts as a user.
fn users(what: &str, is_it: &dyn Fn(&Statx) -> bool) -> Found {
    let own = PathBuf::from(format!("/proc/{}", std::process::id()));
    let mut found = Vec::new();
    for process in processes()?.into_iter().filter(|process| *process != own) {
        match has(&process, is_it) {
            Ok(true) => found.push(format!("{} has {what} open", process_name(&process))),
            Ok(false) => {}
            Err(error) => found.push(format!("{} may have {what} open: {error}", process_name(&process))),
        }
    }
    Ok(found)
}

fn has(process: &Path, is_it: &dyn Fn(&Statx) -> bool) -> io::Result<bool> {
    for folder in ["fd", "map_files"] {
        let Some(entries) = gone_is_none(read_dir(process.join(folder)), &process.join(folder))? else { continue };
        for entry in entries {
            let Some(entry) = gone_is_none(entry, process)? else { continue };
            // What is cached suffices: a file system that does not respond is never asked.
            let wanted = StatxFlags::TYPE | StatxFlags::INO;
            match statx(CWD, entry.path(), AtFlags::STATX_DONT_SYNC, wanted) {
                Ok(facts) if is_it(&facts) => return Ok(true),
                Err(error @ (Errno::ACCESS | Errno::PERM)) => return Err(error.into()),
                // Closed by now, or on a file system that has failed, which no device is on.
                Ok(_) | Err(_) => {}
            }
        }
    }
    Ok(false)
}

// The character devices that lead to the same drive: /dev/sg0 and /dev/bsg of SCSI, /dev/ng0n1 of NVMe.
fn generic_nodes(node: &Node) -> io::Result<BTreeSet<Number>> {
    let whole = node.whole()?;
    let mut found = BTreeSet::new();
    for class in ["device/scsi_generic", "device/bsg"] {
        if let Some(entries) = gone_is_none(read_dir(whole.folder.join(class)), &whole.folder)? {
            for entry in entries {
                found.extend(number_at(&entry?.path()));
            }
        }
    }
    // The generic node of nvme0n1 is ng0n1, and a sibling of it in sysfs.
    if let (Some(parent), Some(name)) = (whole.folder.parent(), whole.name().strip_prefix("nvme")) {
        found.extend(number_at(&parent.join(format!("ng{name}"))));
    }
    Ok(found)
}

fn number_at(folder: &Path) -> Option<Number> {
    number_from(&std::fs::read_to_string(folder.join("dev")).ok()?)
}
