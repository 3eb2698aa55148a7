//! The open target. It is opened once, and all checks use the open handle. In: a path and how to open it. Out: a handle
//! that is writable only if write access was requested, and, for a device, granted by the guard.

mod alignment;
mod create;
mod device;
mod gone;
mod limits;
mod lock;
mod namespace;
mod open;
mod sync;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Advice, fadvise};
use serde::Serialize;

pub use alignment::Alignment;
pub use create::{CreatedFile, create};
pub use device::{DeviceOptions, inspect_path};
pub use gone::{explained_by_removal, gone};
pub use limits::{QueueLimits, open_to_read};
pub use namespace::{Namespace, NamespaceFacts};
pub use open::FileOptions;
pub(crate) use open::reopen;
pub use sync::sync_all;

use crate::failure::{Failure, FailureKind};
use crate::guard::WriteGrant;
use crate::verify::Ledger;
use crate::watchdog::{ProgressSource, waiting_for};

/// The kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device.
    Device,
    /// A null target: operations complete immediately.
    Null,
    /// A simulated drive.
    Simulation,
}

/// The identity of a target, independent of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Major device number of the file system; of the device itself for a block device.
    pub device_major: u32,
    /// The minor device number.
    pub device_minor: u32,
    /// The inode number; 0 for a block device.
    pub inode: u64,
    /// The size in bytes.
    pub size_bytes: u64,
    /// Creation time since 1970, because inode numbers are reused. None if the file system does not record it, or if it
    /// was not queried.
    pub born_ns: Option<u64>,
}

impl Identity {
    /// Whether both are the same file or device, regardless of their sizes.
    #[must_use]
    pub fn is_file_of(&self, other: &Self) -> bool {
        (self.device_major, self.device_minor, self.inode) == (other.device_major, other.device_minor, other.inode)
    }
}

/// An open target.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a separate fact.
pub struct Target {
    /// Its kind.
    pub kind: TargetKind,
    /// Whether it was opened for writing.
    pub writable: bool,
    /// Whether I/O bypasses the page cache.
    pub direct: bool,
    /// Whether this engine created the file.
    pub created: bool,
    /// Its size when it was opened.
    pub size_bytes: u64,
    /// The identity; None for the null target.
    pub identity: Option<Identity>,
    /// The alignment that direct I/O requires.
    pub alignment: Alignment,
    /// Whether the file has holes.
    pub holes: bool,
    /// The CPUs near it; empty if unknown or if all are equally near.
    pub cpus_near: Vec<u32>,
    /// The ledger of the data that it should hold, if it will be verified.
    pub ledger: Option<Arc<Ledger>>,
    /// The NVMe namespace for passthrough, if requested.
    pub namespace: Option<Namespace>,
    path: PathBuf,
    file: Option<Arc<File>>,
    // Held as long as the target is open.
    grant: Option<WriteGrant>,
}

impl Target {
    /// A null target.
    #[must_use]
    pub fn null(size_bytes: u64) -> Self {
        Self {
            kind: TargetKind::Null,
            writable: true,
            direct: true,
            created: false,
            size_bytes,
            identity: None,
            alignment: Alignment::none(),
            holes: false,
            cpus_near: Vec::new(),
            ledger: None,
            namespace: None,
            path: PathBuf::new(),
            file: None,
            grant: None,
        }
    }

    /// A target that represents a simulated drive, which the session owns.
    #[must_use]
    pub fn simulation(size_bytes: u64) -> Self {
        Self { kind: TargetKind::Simulation, ..Self::null(size_bytes) }
    }

    /// Its path; empty for the null target.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle; None for the null target.
    #[must_use]
    pub fn file(&self) -> Option<&Arc<File>> {
        self.file.as_ref()
    }

    /// The grant to write to a device; None for any other target, and for a device that is only read.
    #[must_use]
    pub fn grant(&self) -> Option<&WriteGrant> {
        self.grant.as_ref()
    }

    /// Makes all writes durable. Does nothing for a device that is only read: other processes sync their own writes.
    pub fn sync(&self) -> Result<(), Failure> {
        match &self.file {
            Some(file) if self.kind != TargetKind::Device || self.writable => {
                file.sync_data().map_err(|error| Failure::from_io(FailureKind::Io, "fdatasync", &error))
            }
            _ => Ok(()),
        }
    }

    /// The source of information about the kernel's progress on requests to the target.
    #[must_use]
    pub fn progress_source(&self) -> ProgressSource {
        self.identity.map_or(ProgressSource::None, |found| {
            ProgressSource::of(found.device_major, found.device_minor, self.file().map(AsRawFd::as_raw_fd))
        })
    }

    /// Makes all writes durable and drops the page cache of the target, so that the next reads come from the device. A
    /// file system may ignore the request.
    pub fn drop_cached(&self) -> Result<(), Failure> {
        waiting_for(format!("fdatasync of {}", self.path.display()), self.progress_source());
        self.sync()?;
        if let Some(file) = &self.file {
            // An error is ignored: reads may then come from the page cache, as for any other process.
            let _ = fadvise(file, 0, None, Advice::DontNeed);
        }
        Ok(())
    }

    /// Reads a range completely, or returns an error.
    pub fn read_back(&self, into: &mut [u8], offset_bytes: u64) -> io::Result<()> {
        match &self.file {
            Some(file) => file.read_exact_at(into, offset_bytes),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The failure if the path or handle has changed since the target was opened: truncated, extended, removed or
    /// replaced. None if it is unchanged.
    ///
    /// Checked repeatedly while a job runs, because writes beyond the end extend a truncated file again. A truncation
    /// between two checks leaves holes. If the file cannot be inspected, its file system has failed.
    #[must_use]
    pub fn changed(&self) -> Option<Failure> {
        let (file, identity) = (self.file.as_ref()?, self.identity?);
        if let Some(failure) = gone(std::slice::from_ref(self)) {
            return Some(failure);
        }
        let path = self.path.display();
        let what = match self.identity_of_handle(file) {
            Ok(now) if now.size_bytes != identity.size_bytes => {
                format!("the size of {path} changed from {} to {} bytes", identity.size_bytes, now.size_bytes)
            }
            Ok(_) => match self.identity_of_path() {
                Ok(now) if now.is_file_of(&identity) => return None,
                Ok(_) => format!("{path} was replaced by another {}", self.noun()),
                Err(failure) if failure.kind == FailureKind::NotDevice => failure.message,
                Err(failure) if failure.kind == FailureKind::TargetMissing => {
                    format!("{path} was removed or moved")
                }
                Err(failure) => return Some(Failure { kind: FailureKind::Io, ..failure }),
            },
            Err(failure) => return Some(Failure { message: format!("{path}: {}", failure.message), ..failure }),
        };
        Some(Failure::new(FailureKind::Changed, what))
    }

    fn identity_of_handle(&self, file: &File) -> Result<Identity, Failure> {
        if self.kind == TargetKind::Device { device::identity_of_file(file) } else { open::identity_of_file(file) }
    }

    fn identity_of_path(&self) -> Result<Identity, Failure> {
        if self.kind == TargetKind::Device {
            device::identity_of_path(&self.path)
        } else {
            open::identity_of_path(&self.path)
        }
    }

    fn noun(&self) -> &'static str {
        if self.kind == TargetKind::Device { "device" } else { "file" }
    }

    /// Whether the file has holes now. Unknown for a device.
    #[must_use]
    pub fn has_holes_now(&self) -> bool {
        let file = self.file.as_ref().filter(|_| self.kind == TargetKind::File);
        file.is_some_and(|file| open::has_holes(file, self.size_bytes))
    }
}
