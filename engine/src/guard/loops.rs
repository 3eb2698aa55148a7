//! What a loop device is set up over, as its driver says: a path in sysfs may lead to another file, or nowhere.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::ioctl;
use super::node::{Node, Number, number_text};
use super::others::ask_others;

/// The backing of a loop device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backing {
    /// The path in sysfs, which may lead elsewhere by now.
    pub path: PathBuf,
    /// The number of the file system that its file is on.
    pub device: Number,
    /// The inode of its file.
    pub inode: u64,
    /// The number of the block device that it is over; None over a file.
    pub over: Option<Number>,
    /// Where it begins in its file.
    pub offset_bytes: u64,
    /// Where it ends, from its beginning; 0 for the end of the file.
    pub limit_bytes: u64,
}

impl Backing {
    /// The backing of a device; None if it is no loop device that is set up.
    pub fn of(node: &Node) -> io::Result<Option<Self>> {
        let Some(mut bytes) = node.bytes("loop/backing_file") else { return Ok(None) };
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        let status = ioctl::loop_status(&node.open()?)?;
        let path = PathBuf::from(OsString::from_vec(bytes));
        let over = (status.rdevice != status.device && status.rdevice != 0).then_some(status.rdevice);
        Ok(Some(Self {
            path,
            device: status.device,
            inode: status.inode,
            over,
            offset_bytes: status.offset,
            limit_bytes: status.sizelimit,
        }))
    }

    /// Whether its path leads to its file.
    pub fn is_at_its_path(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|facts| (facts.dev(), facts.ino()) == (self.device, self.inode))
    }

    /// Its file and its place in it, which two loop devices of one path can differ in.
    pub fn place(&self) -> String {
        format!("{}/{}@{}+{}", number_text(self.device), self.inode, self.offset_bytes, self.limit_bytes)
    }
}

/// All other loop devices that are set up, with their backings. One whose driver cannot be asked is an error.
pub fn other_loops(own: Number) -> io::Result<Vec<(Node, Backing)>> {
    let found = ask_others(own, |disk| Ok(Backing::of(disk)?.map(|backing| (disk.clone(), backing))))?;
    Ok(found.into_iter().flatten().collect())
}
