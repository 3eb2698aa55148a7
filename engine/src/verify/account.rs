//! The file that a ledger lies in. A run directory may come from anybody, so that neither the file nor the folder that it
//! lies in may be a link, and what is written is a file of this user's own under one name.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::failure::{Failure, FailureKind};

/// Opens the file for writing, and makes it where there is none; true for one that was made.
pub fn open(path: &Path) -> Result<(File, bool), Failure> {
    let folder = folder_of(path)?;
    let name = path.file_name().ok_or_else(|| refused(path, "it has no name"))?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(&folder, name, flags, Mode::from_raw_mode(0o644)) {
        Ok(file) => return Ok((File::from(file), true)),
        Err(Errno::EXIST) => (),
        Err(error) => return Err(unusable(path, &error.into())),
    }
    let (seen, facts) = look(path, &folder)?;
    if facts.st_uid != geteuid().as_raw() {
        return Err(refused(path, "it belongs to another user"));
    }
    if facts.st_nlink != 1 {
        return Err(refused(path, "it has other names (hard links)"));
    }
    Ok((reopen(path, &seen, true)?, false))
}

/// Opens the file for reading.
pub fn read(path: &Path) -> Result<File, Failure> {
    let (seen, _) = look(path, &folder_of(path)?)?;
    reopen(path, &seen, false)
}

// What the kernel says of the file itself, which is touched by nothing until it is known to be a plain one.
fn look(path: &Path, folder: &File) -> Result<(File, Stat), Failure> {
    let name = path.file_name().ok_or_else(|| refused(path, "it has no name"))?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let seen = openat(folder, name, flags, Mode::empty()).map_err(|error| unusable(path, &error.into()))?;
    let facts = fstat(&seen).map_err(|error| unusable(path, &error.into()))?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(refused(path, "it is no plain file"));
    }
    Ok((File::from(seen), facts))
}

fn folder_of(path: &Path) -> Result<File, Failure> {
    let folder = path.parent().ok_or_else(|| refused(path, "it lies in no folder"))?;
    let (above, name) =
        folder.parent().zip(folder.file_name()).ok_or_else(|| refused(path, "it lies in no folder of a run"))?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let run = openat(CWD, above, flags, Mode::empty()).map_err(|error| unusable(path, &error.into()))?;
    let found = openat(&run, name, flags | OFlags::NOFOLLOW, Mode::empty());
    found.map(File::from).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => refused(path, "the folder that it lies in is no plain folder"),
        other => unusable(path, &other.into()),
    })
}

fn reopen(path: &Path, seen: &File, write: bool) -> Result<File, Failure> {
    let very_file = format!("/proc/self/fd/{}", seen.as_raw_fd());
    OpenOptions::new().read(true).write(write).open(very_file).map_err(|error| unusable(path, &error))
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::new(FailureKind::Ledger, format!("{}: {why}", path.display()))
}

/// Why the file can't be used, by the kernel's answer.
pub fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::from_io(FailureKind::Ledger, &path.display().to_string(), error)
}
