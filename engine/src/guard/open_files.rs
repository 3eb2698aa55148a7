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

/// Processes that have any of these devices open or mapped, except this one.
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

/// Processes that have a file open or mapped, except this one.
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

// Each thread may have a table of open files of its own, and the one of a main thread that has exited is empty.
fn has(process: &Path, is_it: &dyn Fn(&Statx) -> bool) -> io::Result<bool> {
    let tasks = process.join("task");
    let Some(threads) = gone_is_none(read_dir(&tasks), &tasks)? else { return Ok(false) };
    for thread in threads {
        let Some(thread) = gone_is_none(thread, &tasks)? else { continue };
        if has_among(&thread.path().join("fd"), is_it)? || has_registered(&thread.path(), is_it) {
            return Ok(true);
        }
    }
    has_among(&process.join("map_files"), is_it)
}

fn has_among(folder: &Path, is_it: &dyn Fn(&Statx) -> bool) -> io::Result<bool> {
    let Some(entries) = gone_is_none(read_dir(folder), folder)? else { return Ok(false) };
    for entry in entries {
        let Some(entry) = gone_is_none(entry, folder)? else { continue };
        if facts_of(&entry.path())?.is_some_and(|facts| is_it(&facts)) {
            return Ok(true);
        }
    }
    Ok(false)
}

// What is cached suffices: a file system that does not respond is never asked. None for what is closed by now, or on a
// file system that has failed, which no device is on.
fn facts_of(path: &Path) -> io::Result<Option<Statx>> {
    match statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE | StatxFlags::INO) {
        Ok(facts) => Ok(Some(facts)),
        Err(error @ (Errno::ACCESS | Errno::PERM)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

// Files that are registered with a ring of io_uring may have no handle of their own. The kernel lists their names.
fn has_registered(thread: &Path, is_it: &dyn Fn(&Statx) -> bool) -> bool {
    let rings =
        read_dir(thread.join("fd")).into_iter().flatten().flatten().filter(|entry| {
            std::fs::read_link(entry.path()).is_ok_and(|link| link.as_os_str() == "anon_inode:[io_uring]")
        });
    rings.into_iter().any(|ring| {
        let table = std::fs::read_to_string(thread.join("fdinfo").join(ring.file_name())).unwrap_or_default();
        let listed = table.lines().skip_while(|line| !line.starts_with("UserFiles")).skip(1);
        let names = listed.take_while(|line| line.starts_with(' ')).filter_map(|line| line.split_once(": "));
        names.into_iter().any(|(_, name)| {
            registered_paths(name)
                .any(|path| facts_of(&path).is_ok_and(|facts| facts.is_some_and(|facts| is_it(&facts))))
        })
    })
}

// The kernel lists a path, or only the last name of it.
fn registered_paths(name: &str) -> impl Iterator<Item = PathBuf> {
    let name = name.trim();
    let last = Path::new(name).file_name().unwrap_or_default();
    [PathBuf::from(name), Path::new("/dev").join(last)].into_iter().filter(|path| path.is_absolute())
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
