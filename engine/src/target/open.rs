//! Opens files: inspects the path first, then opens exactly what was inspected.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{
    AtFlags, FallocateFlags, FileType, OFlags, SeekFrom, Stat, StatxFlags, fallocate, fcntl_getfl, fcntl_setfl, fstat,
    ftruncate, major, minor, seek, statx,
};

use super::create::{CreatedFile, create};
use super::{Alignment, Identity, Target, TargetKind, lock};
use crate::failure::{Failure, FailureKind};
use crate::guard::reopened;
use crate::watchdog::{ProgressSource, waiting_for};

/// How to open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOptions {
    /// With write access.
    pub write: bool,
    /// Create it with this size; it must not exist.
    pub create_bytes: Option<u64>,
    /// Use direct I/O, which bypasses the page cache.
    pub direct: bool,
}

impl Target {
    /// Opens or creates a regular file, and never opens anything else. It first inspects the path through an `O_PATH`
    /// handle, and then opens exactly that file.
    pub fn open(path: &Path, options: FileOptions) -> Result<Self, Failure> {
        if options.create_bytes.is_some() {
            return Self::open_created(path, create(path, None)?, options);
        }
        let handle = inspect_file(path, options.write)?.0;
        let file = reopen(&handle, options.write).map_err(|error| open_failure(path, &error))?;
        finish(path, file, options, None)
    }

    /// Allocates and opens a file that was created. On an error, the file remains, and the front end removes it.
    pub fn open_created(path: &Path, created: CreatedFile, options: FileOptions) -> Result<Self, Failure> {
        finish(path, created.file, options, options.create_bytes)
    }
}

/// The identity of the regular file at a path.
pub fn identity_of_path(path: &Path) -> Result<Identity, Failure> {
    let (_, facts) = inspect_file(path, false)?;
    Ok(identity(&facts))
}

/// The identity of an open file.
pub fn identity_of_file(file: &File) -> Result<Identity, Failure> {
    let facts = fstat(file).map_err(|error| Failure::from_io(FailureKind::Io, "fstat", &error.into()))?;
    Ok(identity(&facts))
}

pub(super) fn identity(facts: &Stat) -> Identity {
    Identity {
        device_major: major(facts.st_dev),
        device_minor: minor(facts.st_dev),
        inode: facts.st_ino,
        size_bytes: u64::try_from(facts.st_size).unwrap_or(0),
        born_ns: None,
    }
}

pub(super) fn birth_ns(file: &File) -> Option<u64> {
    let facts = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).ok()?;
    let known = StatxFlags::from_bits_retain(facts.stx_mask).contains(StatxFlags::BTIME);
    if known { nanoseconds(facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec) } else { None }
}

// File systems may report any time. Times before 1970 and after 2554 are treated as unknown.
fn nanoseconds(seconds: i64, nanoseconds: u32) -> Option<u64> {
    u64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds.into())
}

/// The failure for an error when opening a path.
pub fn open_failure(path: &Path, error: &io::Error) -> Failure {
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

/// An `O_PATH` handle of a path, and its attributes. Opening with `O_PATH` has no side effects: it does not wake a
/// device, and does not wait for the other end of a pipe.
pub fn inspect(path: &Path) -> Result<(File, Stat), Failure> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_PATH | libc::O_CLOEXEC);
    let handle = options.open(path).map_err(|error| open_failure(path, &error))?;
    let facts = fstat(&handle).map_err(|error| open_failure(path, &error.into()))?;
    Ok((handle, facts))
}

/// Opens the file of an `O_PATH` handle, even if its path refers to another file by now.
pub fn reopen(handle: &File, write: bool) -> io::Result<File> {
    reopened(handle, OpenOptions::new().read(true).write(write))
}

/// The type of a file, for messages.
pub fn file_type_text(facts: &Stat) -> &'static str {
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::BlockDevice => "a block device",
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "not a regular file",
    }
}

fn inspect_file(path: &Path, write: bool) -> Result<(File, Stat), Failure> {
    let (handle, facts) = inspect(path)?;
    let (kind, shown) = (FileType::from_raw_mode(facts.st_mode), path.display());
    if kind == FileType::RegularFile {
        return Ok((handle, facts));
    }
    if kind == FileType::BlockDevice && write {
        return Err(Failure::new(
            FailureKind::DeviceWrite,
            format!("{shown} is a block device; iosonde never writes to block devices"),
        ));
    }
    Err(Failure::new(FailureKind::NotRegular, format!("{shown} is {}", file_type_text(&facts))))
}

fn finish(path: &Path, file: File, options: FileOptions, size_bytes: Option<u64>) -> Result<Target, Failure> {
    lock::take(path, &file)?;
    if let Some(size_bytes) = size_bytes {
        let facts = fstat(&file).map_err(|error| open_failure(path, &error.into()))?;
        let source = ProgressSource::of(major(facts.st_dev), minor(facts.st_dev), Some(file.as_raw_fd()));
        waiting_for(format!("allocating {}", path.display()), source);
        allocate(&file, size_bytes).map_err(|error| open_failure(path, &error))?;
    }
    waiting_for(format!("checking {}", path.display()), ProgressSource::None);
    let facts = fstat(&file).map_err(|error| open_failure(path, &error.into()))?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(Failure::new(FailureKind::NotRegular, format!("{} is not a regular file", path.display())));
    }
    let identity = Identity { born_ns: birth_ns(&file), ..identity(&facts) };
    let alignment = if options.direct { enable_direct_io(&file, identity)? } else { Alignment::none() };
    let holes = has_holes(&file, identity.size_bytes);
    Ok(Target {
        kind: TargetKind::File,
        writable: options.write,
        direct: options.direct,
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
        grant: None,
    })
}

// Allocates space now, so that a full file system does not end a run later. If the file system does not support
// allocation, only the size is set.
fn allocate(file: &File, size_bytes: u64) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(ftruncate(file, size_bytes)?),
        other => Ok(other?),
    }
}

/// Switches an open target to direct I/O, and returns the alignment that this requires.
pub fn enable_direct_io(file: &File, identity: Identity) -> Result<Alignment, Failure> {
    let refused =
        |error: rustix::io::Errno| Failure::from_io(FailureKind::DirectRefused, "direct I/O refused", &error.into());
    let flags = fcntl_getfl(file).map_err(refused)?;
    fcntl_setfl(file, flags | OFlags::DIRECT).map_err(refused)?;
    Alignment::of(file, identity)
}

// Allocated but unwritten ranges count as holes. A file system without this information reports no holes.
pub fn has_holes(file: &File, size_bytes: u64) -> bool {
    size_bytes > 0 && seek(file, SeekFrom::Hole(0)).is_ok_and(|hole| hole < size_bytes)
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn unrepresentable_creation_times_are_unknown() {
        assert_eq!(nanoseconds(1_700_000_000, 7), Some(1_700_000_000_000_000_007));
        for seconds in [-1, i64::MIN, i64::MAX, 18_446_744_074] {
            assert_eq!(nanoseconds(seconds, 0), None, "{seconds}");
        }
        assert_eq!(nanoseconds(18_446_744_073, u32::MAX), None);
    }
}
