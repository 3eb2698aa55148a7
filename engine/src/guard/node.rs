//! A block device as the kernel describes it, found by the device number of an open handle and never by a name.

use std::fs::{File, OpenOptions, canonicalize, read, read_dir, read_to_string};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, fstat, major, makedev, minor};

use super::check::unreadable;

/// The unit of sizes and starts in sysfs.
const SECTOR_BYTES: u64 = 512;
const SYSFS: &str = "/sys/dev/block";

/// The number of a device.
pub type Number = u64;

/// A block device: a whole disk, or a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub number: Number,
    /// Its directory in sysfs.
    pub folder: PathBuf,
    /// Its start on the disk; 0 for a whole disk.
    pub start_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
    /// The number of a partition; None for a whole disk.
    pub partition: Option<u32>,
}

impl Node {
    /// The device of an open handle.
    pub fn of(file: &File) -> io::Result<Self> {
        let facts = fstat(file)?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::BlockDevice {
            return Err(io::Error::other("the handle is not of a block device"));
        }
        Self::numbered(facts.st_rdev)
    }

    /// The device with a number.
    pub fn numbered(number: Number) -> io::Result<Self> {
        Self::at(&PathBuf::from(format!("{SYSFS}/{}", number_text(number))))
    }

    /// The device with a directory in sysfs, or a link to it.
    pub fn at(link: &Path) -> io::Result<Self> {
        let folder = canonicalize(link).map_err(|error| unreadable(link.display(), &error))?;
        let number = number_from(&attribute(&folder, "dev")?)
            .ok_or_else(|| io::Error::other(format!("{} has no device number", folder.display())))?;
        let size_bytes = integer(&folder, "size")?.saturating_mul(SECTOR_BYTES);
        let is_partition = folder.join("partition").exists();
        let partition = if is_partition { u32::try_from(integer(&folder, "partition")?).ok() } else { None };
        let start_bytes = if is_partition { integer(&folder, "start")?.saturating_mul(SECTOR_BYTES) } else { 0 };
        Ok(Self { number, folder, start_bytes, size_bytes, partition })
    }

    /// Opens its usual node for reading. An error if that is missing, or the node of another device.
    pub fn open(&self) -> io::Result<File> {
        let path = format!("/dev/{}", self.name());
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
        let file = file.map_err(|error| unreadable(&path, &error))?;
        if Self::of(&file)?.number == self.number {
            Ok(file)
        } else {
            Err(io::Error::other(format!("{path} is not the node of {}", self.name())))
        }
    }

    /// Its world-wide name (WWN, EUI or NGUID); None if it has none.
    pub fn wide_name(&self) -> Option<String> {
        self.text("wwid").or_else(|| self.text("device/wwid"))
    }

    /// The kernel's name, such as `nvme0n1p2`.
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().replace('!', "/")
    }

    /// The whole disk that it is, or is a partition of.
    pub fn whole(&self) -> io::Result<Self> {
        match (self.partition, self.folder.parent()) {
            (Some(_), Some(parent)) => Self::at(parent),
            _ => Ok(self.clone()),
        }
    }

    /// The partitions of a whole disk.
    pub fn partitions(&self) -> io::Result<Vec<Self>> {
        let mut found = Vec::new();
        for entry in read_dir(&self.folder).map_err(|error| unreadable(self.folder.display(), &error))? {
            let path = entry?.path();
            if path.join("partition").exists() {
                found.push(Self::at(&path)?);
            }
        }
        found.sort_by_key(|each| each.number);
        Ok(found)
    }

    /// The devices whose use is a use of this one: itself, the disk of a partition or the partitions of a disk, and
    /// partitions that overlap it.
    pub fn relatives(&self) -> io::Result<Vec<Self>> {
        let whole = self.whole()?;
        let overlaps = |other: &Self| {
            self.partition.is_none()
                || (other.start_bytes < self.start_bytes.saturating_add(self.size_bytes)
                    && self.start_bytes < other.start_bytes.saturating_add(other.size_bytes))
        };
        let mut found: Vec<Self> = whole.partitions()?.into_iter().filter(overlaps).collect();
        if found.iter().all(|each| each.number != self.number) && self.partition.is_some() {
            found.push(self.clone());
        }
        found.insert(0, whole);
        Ok(found)
    }

    /// The devices in one of its directories of links, `holders` or `slaves`; none if it has no such directory.
    pub fn linked(&self, name: &str) -> io::Result<Vec<Self>> {
        let folder = self.folder.join(name);
        let entries = match read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(folder.display(), &error)),
        };
        entries.map(|entry| Self::at(&entry?.path())).collect()
    }

    /// A text attribute, trimmed; None if the device does not have it or if it is empty.
    pub fn text(&self, name: &str) -> Option<String> {
        let text = read_to_string(self.folder.join(name)).ok()?;
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A binary attribute; None if the device does not have it.
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        read(self.folder.join(name)).ok()
    }
}

/// All whole disks of this host.
pub fn whole_disks() -> io::Result<Vec<Node>> {
    let mut found = Vec::new();
    for entry in read_dir("/sys/block").map_err(|error| unreadable("/sys/block", &error))? {
        // A path below a multipath head is hidden and has no number, and a disk may be gone by now.
        found.extend(Node::at(&entry?.path()).ok());
    }
    if found.is_empty() {
        return Err(io::Error::other("/sys/block lists no disk"));
    }
    found.sort_by_key(|each| each.number);
    Ok(found)
}

/// A device number in the notation of the kernel, `259:1`.
pub fn number_text(number: Number) -> String {
    format!("{}:{}", major(number), minor(number))
}

/// The device number in a text such as `259:1`.
pub fn number_from(text: &str) -> Option<Number> {
    let (first, second) = text.trim().split_once(':')?;
    Some(makedev(first.parse().ok()?, second.parse().ok()?))
}

fn attribute(folder: &Path, name: &str) -> io::Result<String> {
    let path = folder.join(name);
    read_to_string(&path).map_err(|error| unreadable(path.display(), &error))
}

fn integer(folder: &Path, name: &str) -> io::Result<u64> {
    let text = attribute(folder, name)?;
    text.trim().parse().map_err(|_| io::Error::other(format!("{}/{name} is not a number", folder.display())))
}
