//! Mounts in every mount namespace, and swap space.

use std::collections::BTreeSet;
use std::fs::{metadata, read_dir, read_link, read_to_string};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::check::{Found, unreadable};
use super::node::{Node, Number, number_from};

const PROC: &str = "/proc";
const SWAPS: &str = "/proc/swaps";
const BTRFS: &str = "/sys/fs/btrfs";

/// A mount: its device number, its source, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The number of its file system, which is that of its device if it has only one.
    pub number: Number,
    /// The path that was mounted, as a block device in its namespace; None for anything else.
    pub source: Option<Number>,
    /// Its mount point.
    pub point: String,
}

/// The mounts of this mount namespace, and of every other one that may be read.
///
/// Those that may not be read hide no mount from the guard, only where it is: the kernel grants exclusive access to no
/// device that is mounted in any namespace.
pub fn all_mounts() -> io::Result<Vec<Mount>> {
    let own = PathBuf::from("/proc/self");
    let text = read_to_string(own.join("mountinfo")).map_err(|error| unreadable("/proc/self/mountinfo", &error))?;
    let mut found: Vec<Mount> = text.lines().filter_map(|line| mount_of(line, &own.join("root"))).collect();
    if found.is_empty() {
        return Err(io::Error::other("the kernel reports no mounts at all"));
    }
    let mut seen: BTreeSet<PathBuf> = read_link(own.join("ns/mnt")).into_iter().collect();
    for process in processes()? {
        let Ok(namespace) = read_link(process.join("ns/mnt")) else { continue };
        if !seen.insert(namespace) {
            continue;
        }
        let Ok(text) = read_to_string(process.join("mountinfo")) else { continue };
        found.extend(text.lines().filter_map(|line| mount_of(line, &process.join("root"))));
    }
    Ok(found)
}

/// The mounts of any of these devices, also as one of several devices of a file system.
pub fn mounted(nodes: &[Node], mounts: &[Mount]) -> Found {
    let mut found = Vec::new();
    for node in nodes {
        let points: BTreeSet<&str> = mounts
            .iter()
            .filter(|mount| mount.number == node.number || mount.source == Some(node.number))
            .map(|mount| mount.point.as_str())
            .collect();
        found.extend(points.into_iter().map(|point| format!("{} is mounted at {point}", node.name())));
    }
    found.extend(parts_of_btrfs(nodes)?);
    Ok(found)
}

// The devices of each mounted btrfs: /sys/fs/btrfs/UUID/devices/NAME.
fn parts_of_btrfs(nodes: &[Node]) -> Found {
    let mut found = Vec::new();
    let Some(systems) = gone_is_none(read_dir(BTRFS), Path::new(BTRFS))? else { return Ok(found) };
    for system in systems {
        let system = system?.path();
        let Some(devices) = gone_is_none(read_dir(system.join("devices")), &system)? else { continue };
        for device in devices {
            let Ok(part) = Node::at(&device?.path()) else { continue };
            if nodes.iter().any(|node| node.number == part.number) {
                let uuid = system.file_name().unwrap_or_default().to_string_lossy().into_owned();
                found.push(format!("{} is part of the mounted btrfs {uuid}", part.name()));
            }
        }
    }
    Ok(found)
}

/// Which of these devices are swap space.
pub fn swapped(nodes: &[Node]) -> Found {
    let table = match read_to_string(SWAPS) {
        Ok(table) => table,
        // A kernel without swap has no such file.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(SWAPS, &error)),
    };
    let mut found = Vec::new();
    for path in table.lines().skip(1).filter_map(|line| line.split_whitespace().next()) {
        let path = PathBuf::from(unescaped(path));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = block_number(&path);
        for node in nodes.iter().filter(|node| number == Some(node.number) || node.name() == name) {
            found.push(format!("{} is swap space", node.name()));
        }
    }
    Ok(found)
}

/// The directories of all processes.
pub fn processes() -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in read_dir(PROC).map_err(|error| unreadable(PROC, &error))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().bytes().all(|each| each.is_ascii_digit()) {
            found.push(entry.path());
        }
    }
    if !found.contains(&PathBuf::from(format!("{PROC}/{}", std::process::id()))) {
        return Err(io::Error::other("/proc does not list this process"));
    }
    Ok(found)
}

/// The value, or None for what has gone by now, such as a process that has exited. Any other error is one.
pub fn gone_is_none<T>(result: io::Result<T>, what: &Path) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        // The kernel answers EINVAL for the mounts of a process that is exiting.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH | libc::EINVAL)) => Ok(None),
        Err(error) => Err(unreadable(what.display(), &error)),
    }
}

/// The number of the block device at a path; None if there is none.
pub fn block_number(path: &Path) -> Option<Number> {
    let facts = metadata(path).ok()?;
    facts.file_type().is_block_device().then(|| facts.rdev())
}

// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
fn mount_of(line: &str, root: &Path) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let fields: Vec<&str> = before.split(' ').collect();
    let source = unescaped(after.split(' ').nth(1)?);
    let inside = source.strip_prefix('/').map(|path| root.join(path));
    Some(Mount {
        number: number_from(fields.get(2)?)?,
        source: inside.and_then(|path| block_number(&path)),
        point: unescaped(fields.get(4)?),
    })
}

/// A path in a table of the kernel, which writes blanks and backslashes as `\040`.
pub fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'\\').then(|| after.get(..3)).flatten();
        let code =
            code.and_then(|code| std::str::from_utf8(code).ok()).and_then(|code| u8::from_str_radix(code, 8).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernels_table_is_understood() {
        let line = "36 35 98:0 / /mnt\\040two rw,noatime shared:1 master:1 - ext3 none rw,errors=continue";
        let mount = mount_of(line, Path::new("/proc/1/root")).expect("a mount");
        assert_eq!((mount.number, mount.source, mount.point.as_str()), (rustix::fs::makedev(98, 0), None, "/mnt two"));
        assert_eq!(mount_of("36 35 98:0 / /mnt rw", Path::new("/")), None);
    }

    #[test]
    fn escapes_of_the_kernel_are_undone() {
        assert_eq!(unescaped("a\\040b\\134c"), "a b\\c");
        assert_eq!(unescaped("end\\04"), "end\\04");
        assert_eq!(unescaped("\\999"), "\\999");
    }

    #[test]
    fn the_mounts_of_this_machine_include_its_root() {
        let mounts = all_mounts().expect("mounts");
        assert!(mounts.iter().any(|mount| mount.point == "/"));
    }
}
