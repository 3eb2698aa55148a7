//! How the write cache of a drive is set: by an NVMe feature, or by an attribute of the kernel's driver, which sends
//! MODE SELECT to SCSI and SATA drives.

use std::fs::{File, read_dir, read_to_string, write};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access, stat};

use super::CacheState;
use crate::guard::{Node, namespace_nodes};
use crate::nvme::{has_volatile_cache, namespace_id, set_write_cache, write_cache};

/// The values of `cache_type` of the SCSI driver, in the order of its bits: RCD (no read cache) and WCE. virtio has the
/// first and the third.
const TYPES: [&str; 4] = ["write through", "none", "write back", "write back, no read (daft)"];
const WRITE_BACK: usize = 2;
/// The kernel's view, below the folder of a disk.
const VIEW: &str = "queue/write_cache";

/// How the write cache of a drive is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// The feature Volatile Write Cache.
    Nvme,
    /// An attribute `cache_type` in sysfs.
    Attribute(PathBuf),
}

impl Control {
    /// The control of a device, or why it has none.
    pub fn of(node: &Node, file: &File) -> Result<Self, String> {
        if node.partition.is_some() {
            return Err("it is a partition, and the write cache is that of the whole drive".into());
        }
        if kernel_view(node).is_none() {
            return Err(format!("the kernel does not report whether it flushes it ({VIEW})"));
        }
        if namespace_id(file).is_ok() {
            return of_namespace(node, file);
        }
        attribute(&node.folder).map(Self::Attribute).ok_or_else(|| {
            "it is not an NVMe, SCSI, SATA or virtio drive, or its driver does not report one".to_owned()
        })
    }

    /// What the drive reports now, if this process may change it; else why not.
    pub fn permitted(&self, file: &File) -> Result<CacheState, String> {
        if let Self::Attribute(path) = self {
            let mode = stat(path).map_err(|error| error.to_string())?.st_mode;
            if mode & 0o222 == 0 {
                return Err("the drive does not permit it (cache_type is read-only)".into());
            }
            access(path, Access::WRITE_OK).map_err(|error| format!("{error}; run as root"))?;
        }
        self.read(file).map_err(|error| match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => format!("{error}; run as root"),
            _ => format!("the drive does not report it: {error}"),
        })
    }

    /// What the drive reports.
    pub fn read(&self, file: &File) -> io::Result<CacheState> {
        match self {
            Self::Nvme => write_cache(file).map(|is_on| if is_on { CacheState::On } else { CacheState::Off }),
            Self::Attribute(path) => {
                let place = place_of(&read_to_string(path)?)?;
                Ok(if place & WRITE_BACK == 0 { CacheState::Off } else { CacheState::On })
            }
        }
    }

    /// Sets the cache of the drive. The read cache stays as it is.
    pub fn write(&self, file: &File, state: CacheState) -> io::Result<()> {
        match self {
            Self::Nvme => set_write_cache(file, state == CacheState::On),
            Self::Attribute(path) => {
                let reads = place_of(&read_to_string(path)?)? & !WRITE_BACK;
                let place = if state == CacheState::On { reads | WRITE_BACK } else { reads };
                write(path, TYPES[place])
            }
        }
    }
}

/// What the kernel takes the cache for; None if it does not report it.
pub fn kernel_view(node: &Node) -> Option<String> {
    node.text(VIEW)
}

/// Sets what the kernel takes the cache for.
pub fn set_kernel_view(node: &Node, view: &str) -> io::Result<()> {
    write(node.folder.join(VIEW), view)
}

fn of_namespace(node: &Node, file: &File) -> Result<Control, String> {
    let unasked = |error: io::Error| match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => format!("{error}; run as root"),
        _ => format!("the drive did not answer: {error}"),
    };
    let nodes = namespace_nodes(file).map_err(unasked)?;
    if nodes.len() > 1 {
        return Err(format!("it is the write cache of {} namespaces of the drive", nodes.len()));
    }
    let paths = controllers(&node.folder.join("device"));
    if paths > 1 {
        return Err(format!("the drive has {paths} controllers here, each with its own setting"));
    }
    if !has_volatile_cache(file).map_err(unasked)? {
        return Err("the drive has no volatile write cache".into());
    }
    Ok(Control::Nvme)
}

// The controllers of an NVMe subsystem; 0 in the folder of a controller.
fn controllers(folder: &Path) -> usize {
    let is_controller = |name: &str| {
        name.strip_prefix("nvme")
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|each| each.is_ascii_digit()))
    };
    let entries = read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|each| is_controller(&each.file_name().to_string_lossy())).count()
}

// The attribute of a SCSI disk, else of virtio.
fn attribute(folder: &Path) -> Option<PathBuf> {
    let disks = read_dir(folder.join("device/scsi_disk")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = disks.map(|each| each.path().join("cache_type")).collect();
    found.push(folder.join("cache_type"));
    found.into_iter().find(|path| path.exists())
}

fn place_of(text: &str) -> io::Result<usize> {
    let text = text.trim();
    let unknown = || io::Error::other(format!("cache_type is {text:?}"));
    TYPES.iter().position(|each| *each == text).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const SCSI: &str = "device/scsi_disk/0:0:0:0/cache_type";

    fn disk(folder: &Path, files: &[(&str, &str)]) -> Node {
        for (name, text) in files {
            let path = folder.join(name);
            create_dir_all(path.parent().expect("a folder")).expect("it is new");
            write(path, text).expect("it is ours");
        }
        Node { number: 1, folder: folder.to_owned(), start_bytes: 0, size_bytes: 1 << 20, partition: None }
    }

    fn refused(files: &[(&str, &str)], partition: Option<u32>) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let node = Node { partition, ..disk(folder.path(), files) };
        let file = tempfile::tempfile().expect("a file");
        Control::of(&node, &file).and_then(|control| control.permitted(&file)).expect_err("it is refused")
    }

    #[test]
    fn the_cache_is_set_and_the_read_cache_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = tempfile::tempfile().expect("a file");
        let node = disk(folder.path(), &[(SCSI, "write back\n"), (VIEW, "write back\n")]);
        let control = Control::of(&node, &file).expect("an attribute");
        for (text, off) in [("write back\n", "write through"), ("write back, no read (daft)\n", "none")] {
            write(folder.path().join(SCSI), text).expect("it is ours");
            assert_eq!(control.permitted(&file), Ok(CacheState::On));
            control.write(&file, CacheState::Off).expect("it is ours");
            assert_eq!(read_to_string(folder.path().join(SCSI)).expect("text"), off);
            assert_eq!(control.read(&file).expect("a state"), CacheState::Off);
            control.write(&file, CacheState::On).expect("it is ours");
            assert_eq!(read_to_string(folder.path().join(SCSI)).expect("text"), text.trim());
        }
    }

    #[test]
    fn devices_without_a_cache_of_their_own_are_refused() {
        let view = (VIEW, "write back\n");
        assert!(refused(&[view, ("cache_type", "write back\n")], Some(1)).contains("it is a partition"));
        assert!(refused(&[view], None).contains("not an NVMe, SCSI, SATA or virtio drive"));
        assert!(refused(&[("cache_type", "write back\n")], None).contains("does not report whether it flushes"));
        assert!(refused(&[view, ("cache_type", "writeback\n")], None).contains("cache_type is \"writeback\""));
    }

    #[test]
    fn an_attribute_that_is_read_only_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = tempfile::tempfile().expect("a file");
        let node = disk(folder.path(), &[("cache_type", "write back\n"), (VIEW, "write back\n")]);
        set_permissions(folder.path().join("cache_type"), PermissionsExt::from_mode(0o444)).expect("it is ours");
        let control = Control::of(&node, &file).expect("an attribute");
        assert!(control.permitted(&file).expect_err("it is refused").contains("read-only"));
    }

    #[test]
    fn the_controllers_of_a_subsystem_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["nvme0", "nvme12", "nvme0n1", "nvme", "power"] {
            create_dir_all(folder.path().join(name)).expect("it is new");
        }
        assert_eq!(controllers(folder.path()), 2);
    }
}
