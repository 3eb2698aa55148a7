//! Opening: look first, then open what was looked at.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{
    AtFlags, FallocateFlags, FileType, OFlags, SeekFrom, Stat, StatxFlags, XattrFlags, fallocate, fcntl_getfl,
    fcntl_setfl, fsetxattr, fstat, ftruncate, major, minor, seek, statx,
};

use super::{Alignment, Identity, Target, TargetKind, lock};
use crate::failure::{Failure, FailureKind};
use crate::watchdog::{Signs, waits_for};

/// What is wanted of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Open it for writing as well.
    pub write: bool,
    /// Make it, with this size; it must not exist.
    pub create_bytes: Option<u64>,
    /// Go past the page cache.
    pub direct: bool,
}

/// A file that was created just now, and is empty.
#[derive(Debug)]
pub struct Made {
    /// Which file it is.
    pub identity: Identity,
    /// Whether its mark could be set.
    pub marked: bool,
    file: File,
}

/// The extended attribute by which iosonde recognises the files that it created.
const MARK: &str = "user.iosonde.made";

impl Target {
    /// Opens a regular file, or makes one. Nothing that is not a regular file is opened here, for reading or writing:
    /// the path is first opened without access to its data, looked at, and only that very file is opened then.
    pub fn open(path: &Path, wanted: Wanted) -> Result<Self, Failure> {
        if wanted.create_bytes.is_some() {
            return Self::open_made(path, Self::make(path, None)?, wanted);
        }
        let handle = look_at_file(path, wanted.write)?.0;
        let file = reopen(&handle, wanted.write).map_err(|error| refusal(path, &error))?;
        finish(path, file, wanted, None)
    }

    /// Creates a file, which must not exist, and sets the mark on it if its file system has extended attributes.
    pub fn make(path: &Path, mark: Option<&str>) -> Result<Made, Failure> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(path).map_err(|error| refusal(path, &error))?;
        let marked = mark.is_some_and(|mark| fsetxattr(&file, MARK, mark.as_bytes(), XattrFlags::CREATE).is_ok());
        let facts = fstat(&file).map_err(|error| refusal(path, &error.into()))?;
        let identity = Identity { born_ns: birth_ns(&file), ..identity(&facts) };
        Ok(Made { identity, marked, file })
    }

    /// Opens a file that was created, and allocates it. On an error the file stays: the front knows it and removes it.
    pub fn open_made(path: &Path, made: Made, wanted: Wanted) -> Result<Self, Failure> {
        finish(path, made.file, wanted, wanted.create_bytes)
    }
}

/// The identity of whatever regular file a path leads to.
pub fn identity_of_path(path: &Path) -> Result<Identity, Failure> {
    let (_, facts) = look_at_file(path, false)?;
    Ok(identity(&facts))
}

/// The identity of an open file.
pub fn identity_of_file(file: &File) -> Result<Identity, Failure> {
    let facts = fstat(file).map_err(|error| Failure::from_io(FailureKind::Io, "fstat", &error.into()))?;
    Ok(identity(&facts))
}

fn identity(facts: &Stat) -> Identity {
    Identity {
        device_major: major(facts.st_dev),
        device_minor: minor(facts.st_dev),
        inode: facts.st_ino,
        size_bytes: u64::try_from(facts.st_size).unwrap_or(0),
        born_ns: None,
    }
}

fn birth_ns(file: &File) -> Option<u64> {
    let facts = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).ok()?;
    let known = StatxFlags::from_bits_retain(facts.stx_mask).contains(StatxFlags::BTIME);
    if known { nanoseconds(facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec) } else { None }
}

// A file system may say anything, times before 1970 and behind 2554 among it: nobody knows those.
fn nanoseconds(seconds: i64, nanoseconds: u32) -> Option<u64> {
    u64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds.into())
}

/// Why a path can't be opened, by the kernel's answer.
pub fn refusal(path: &Path, error: &io::Error) -> Failure {
    let kind = match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => FailureKind::TargetMissing,
        Some(libc::EEXIST) => FailureKind::TargetExists,
        Some(libc::EACCES | libc::EPERM | libc::EROFS) => FailureKind::NoRights,
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => FailureKind::NoSpace,
        Some(libc::EISDIR) => FailureKind::NotRegular,
        _ => FailureKind::TargetOpen,
    };
    Failure::from_io(kind, &path.display().to_string(), error)
}

/// A handle of whatever a path leads to, and what that is. `O_PATH` reaches it without touching it: no device is woken, no
/// pipe waits for its other end.
pub fn look(path: &Path) -> Result<(File, Stat), Failure> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_PATH | libc::O_CLOEXEC);
    let handle = options.open(path).map_err(|error| refusal(path, &error))?;
    let facts = fstat(&handle).map_err(|error| refusal(path, &error.into()))?;
    Ok((handle, facts))
}

/// Opens the file that an `O_PATH` handle refers to, whatever its path leads to by now.
pub fn reopen(handle: &File, write: bool) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", handle.as_raw_fd());
    OpenOptions::new().read(true).write(write).open(path)
}

/// What kind of thing it is, in words.
pub fn kind_of(facts: &Stat) -> &'static str {
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::BlockDevice => "a block device",
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "no regular file",
    }
}

fn look_at_file(path: &Path, write: bool) -> Result<(File, Stat), Failure> {
    let (handle, facts) = look(path)?;
    let (kind, shown) = (FileType::from_raw_mode(facts.st_mode), path.display());
    if kind == FileType::RegularFile {
        return Ok((handle, facts));
    }
    if kind == FileType::BlockDevice && write {
        return Err(Failure::new(
            FailureKind::DeviceWrite,
            format!("{shown} is a block device, which is never written"),
        ));
    }
    Err(Failure::new(FailureKind::NotRegular, format!("{shown} is {}", kind_of(&facts))))
}

fn finish(path: &Path, file: File, wanted: Wanted, size_bytes: Option<u64>) -> Result<Target, Failure> {
    lock::take(path, &file)?;
    if let Some(size_bytes) = size_bytes {
        let facts = fstat(&file).map_err(|error| refusal(path, &error.into()))?;
        let signs = Signs::of(major(facts.st_dev), minor(facts.st_dev), Some(file.as_raw_fd()));
        waits_for(format!("allocating {}", path.display()), signs);
        allocate(&file, size_bytes).map_err(|error| refusal(path, &error))?;
    }
    waits_for(format!("looking at {}", path.display()), Signs::None);
    let facts = fstat(&file).map_err(|error| refusal(path, &error.into()))?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(Failure::new(FailureKind::NotRegular, format!("{} is no regular file", path.display())));
    }
    let identity = Identity { born_ns: birth_ns(&file), ..identity(&facts) };
    let alignment = if wanted.direct { go_direct(&file, identity)? } else { Alignment::none() };
    let holes = has_holes(&file, identity.size_bytes);
    Ok(Target {
        kind: TargetKind::File,
        writable: wanted.write,
        direct: wanted.direct,
        created: size_bytes.is_some(),
        size_bytes: identity.size_bytes,
        identity: Some(identity),
        alignment,
        holes,
        cpus_near: Vec::new(),
        ledger: None,
        namespace: None,
        path: path.to_owned(),
        file: Some(Arc::new(file)),
    })
}

// Space that can't be had is found out here and not in the middle of a run; a file system that can't allocate ahead
// gives the size only.
fn allocate(file: &File, size_bytes: u64) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(ftruncate(file, size_bytes)?),
        other => Ok(other?),
    }
}

/// Has I/O on an open target go past the page cache, and says what that asks of addresses.
pub fn go_direct(file: &File, identity: Identity) -> Result<Alignment, Failure> {
    let refused =
        |error: rustix::io::Errno| Failure::from_io(FailureKind::DirectRefused, "direct I/O is refused", &error.into());
    let flags = fcntl_getfl(file).map_err(refused)?;
    fcntl_setfl(file, flags | OFlags::DIRECT).map_err(refused)?;
    Alignment::of(file, identity)
}

// A stretch that was allocated and never written counts as a hole. A file system that can't tell says that there is
// none, which is what its own reads are like.
pub fn has_holes(file: &File, size_bytes: u64) -> bool {
    size_bytes > 0 && seek(file, SeekFrom::Hole(0)).is_ok_and(|hole| hole < size_bytes)
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn times_of_birth_that_can_not_be_counted_are_not_known() {
        assert_eq!(nanoseconds(1_700_000_000, 7), Some(1_700_000_000_000_000_007));
        for seconds in [-1, i64::MIN, i64::MAX, 18_446_744_074] {
            assert_eq!(nanoseconds(seconds, 0), None, "{seconds}");
        }
        assert_eq!(nanoseconds(18_446_744_073, u32::MAX), None);
    }
}
