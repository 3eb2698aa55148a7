//! Block devices. They are opened for reading, or for writing with a grant of the guard, which has the only handle that
//! can write.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, OFlags, SeekFrom, Stat, fcntl_getfl, fstat, major, minor, seek};

use super::open::{enable_direct_io, file_type_text, inspect, open_failure, reopen};
use super::{Alignment, Identity, Namespace, Target, TargetKind, lock};
use crate::failure::{Failure, FailureKind};
use crate::guard::{Claim, Inspection, WriteGrant, inspect as inspect_device};

/// How to open a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Use direct I/O, which bypasses the page cache.
    pub direct: bool,
    /// The generic character device of the same NVMe namespace, for passthrough commands.
    pub generic: Option<PathBuf>,
    /// What the user named in order to write to it; None to read only.
    pub claim: Option<Claim>,
}

/// Inspects the block device at a path: its identity, and what speaks against writing to it.
pub fn inspect_path(path: &Path) -> Result<Inspection, Failure> {
    let (handle, facts) = inspect(path)?;
    check_block(path, &facts)?;
    inspect_device(&handle)
}

impl Target {
    /// Opens a block device, read-only unless the guard grants a claim. The path is first inspected through an `O_PATH`
    /// handle; then exactly that device is opened.
    pub fn open_device(path: &Path, options: &DeviceOptions) -> Result<Self, Failure> {
        let (handle, facts) = inspect(path)?;
        check_block(path, &facts)?;
        let grant = options.claim.as_ref().map(|claim| WriteGrant::obtain(&handle, claim)).transpose()?;
        let file = match &grant {
            Some(grant) => Arc::clone(grant.file()),
            None => Arc::new(read_only(path, &handle)?),
        };
        let opened = fstat(&file).map_err(|error| open_failure(path, &error.into()))?;
        check_block(path, &opened)?;
        match &grant {
            Some(_) => lock::take(path, &file)?,
            None => lock::share(path, &file)?,
        }
        if let Some(disk) = grant.as_ref().and_then(WriteGrant::disk) {
            lock::share(path, disk)?;
        }
        let identity = Identity { size_bytes: size_bytes(&file)?, ..numbers(&opened) };
        if identity.size_bytes == 0 {
            let message = format!("{} has size 0: no medium, or no backing device", path.display());
            return Err(Failure::new(FailureKind::TargetOpen, message));
        }
        let namespace = options.generic.as_ref().map(|generic| Namespace::open(generic, &file)).transpose()?;
        let alignment = if options.direct { enable_direct_io(&file, identity)? } else { Alignment::none() };
        Ok(Self {
            kind: TargetKind::Device,
            writable: grant.is_some(),
            direct: options.direct,
            created: false,
            size_bytes: identity.size_bytes,
            identity: Some(identity),
            alignment,
            holes: false,
            cpus_near: Vec::new(),
            ledger: None,
            namespace,
            path: path.to_owned(),
            file: Some(file),
            grant,
        })
    }
}

/// The identity of the block device at a path, without its size.
pub fn identity_of_path(path: &Path) -> Result<Identity, Failure> {
    let (_, facts) = inspect(path)?;
    check_block(path, &facts)?;
    Ok(numbers(&facts))
}

/// The identity of an open device.
pub fn identity_of_file(file: &File) -> Result<Identity, Failure> {
    let facts = fstat(file).map_err(|error| Failure::from_io(FailureKind::Io, "fstat", &error.into()))?;
    Ok(Identity { size_bytes: size_bytes(file)?, ..numbers(&facts) })
}

// A device is identified by its own number, regardless of the node used to open it.
fn numbers(facts: &Stat) -> Identity {
    Identity {
        device_major: major(facts.st_rdev),
        device_minor: minor(facts.st_rdev),
        inode: 0,
        size_bytes: 0,
        born_ns: None,
    }
}

pub(super) fn check_block(path: &Path, facts: &Stat) -> Result<(), Failure> {
    if FileType::from_raw_mode(facts.st_mode) == FileType::BlockDevice {
        return Ok(());
    }
    let message = format!("{} is {}, not a block device", path.display(), file_type_text(facts));
    Err(Failure::new(FailureKind::NotDevice, message))
}

// Checks the flags that the kernel reports, not the requested ones: without a grant, no handle of a device can write.
pub(super) fn read_only(path: &Path, handle: &File) -> Result<File, Failure> {
    let file = reopen(handle, false).map_err(|error| open_failure(path, &error))?;
    let flags = fcntl_getfl(&file).map_err(|error| open_failure(path, &error.into()))?;
    if flags & OFlags::ACCMODE != OFlags::RDONLY {
        let message = format!("{} was opened for writing without a grant", path.display());
        return Err(Failure::new(FailureKind::DeviceWrite, message));
    }
    Ok(file)
}

// Seeks to the end. Operations have explicit offsets, so the file position does not matter.
pub(super) fn size_bytes(file: &File) -> Result<u64, Failure> {
    seek(file, SeekFrom::End(0))
        .map_err(|error| Failure::from_io(FailureKind::Io, "reading the device size", &error.into()))
}
