//! Opens the file of a ledger. A run directory may come from anyone: neither the file nor its directory may be a
//! symbolic link, and a file that is written must belong to this user and have a single hard link.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::failure::{Failure, FailureKind};
use crate::target::reopen;

/// Opens the file for writing, and creates it if it does not exist; true if it was created.
pub fn open(path: &Path) -> Result<(File, bool), Failure> {
    let folder = folder_of(path)?;
    let name = path.file_name().ok_or_else(|| refused(path, "it has no name"))?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(&folder, name, flags, Mode::from_raw_mode(0o644)) {
        Ok(file) => return Ok((File::from(file), true)),
        Err(Errno::EXIST) => (),
        Err(error) => return Err(unusable(path, &error.into())),
    }
    let (seen, facts) = inspect(path, &folder)?;
    if facts.st_uid != geteuid().as_raw() {
        return Err(refused(path, "it belongs to another user"));
    }
    if facts.st_nlink != 1 {
        return Err(refused(path, "it has other hard links"));
    }
    let file = reopen(&seen, true).map_err(|error| unusable(path, &error))?;
    Ok((file, false))
}

/// Opens the file for reading.
pub fn read(path: &Path) -> Result<File, Failure> {
    let (seen, _) = inspect(path, &folder_of(path)?)?;
    reopen(&seen, false).map_err(|error| unusable(path, &error))
}

// An `O_PATH` handle of the file, if it is a regular file.
fn inspect(path: &Path, folder: &File) -> Result<(File, Stat), Failure> {
    let name = path.file_name().ok_or_else(|| refused(path, "it has no name"))?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let seen = openat(folder, name, flags, Mode::empty()).map_err(|error| unusable(path, &error.into()))?;
    let facts = fstat(&seen).map_err(|error| unusable(path, &error.into()))?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(refused(path, "it is not a regular file"));
    }
    Ok((File::from(seen), facts))
}

fn folder_of(path: &Path) -> Result<File, Failure> {
    let folder = path.parent().ok_or_else(|| refused(path, "it has no directory"))?;
    let (above, name) =
        folder.parent().zip(folder.file_name()).ok_or_else(|| refused(path, "it is not in a run directory"))?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let run = openat(CWD, above, flags, Mode::empty()).map_err(|error| unusable(path, &error.into()))?;
    let found = openat(&run, name, flags | OFlags::NOFOLLOW, Mode::empty());
    found.map(File::from).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => refused(path, "its directory is a symbolic link or not a directory"),
        other => unusable(path, &other.into()),
    })
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::new(FailureKind::Ledger, format!("{}: {why}", path.display()))
}

/// The failure for an error on the file.
pub fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::from_io(FailureKind::Ledger, &path.display().to_string(), error)
}
