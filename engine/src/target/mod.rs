//! The open target: opened once, checked on the open handle, and kept. In: a path and what is wanted of it. Out: a handle
//! that may be written only if it is a regular file and was asked for.

mod alignment;
mod device;
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
pub use device::DeviceWanted;
pub use namespace::{Namespace, NamespaceFacts};
pub(crate) use open::reopen;
pub use open::{Made, Wanted};
pub use sync::sync_all;

use crate::failure::{Failure, FailureKind};
use crate::verify::Ledger;
use crate::watchdog::{Signs, waits_for};

/// What kind of thing a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device, which is only read.
    Device,
    /// Nothing at all: operations complete at once.
    Null,
    /// A simulated drive.
    Simulation,
}

/// What makes a target the same target, whatever its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The device that the file system lies on; of a block device its own number.
    pub device_major: u32,
    /// The same.
    pub device_minor: u32,
    /// The file's number in it; 0 for a block device.
    pub inode: u64,
    /// The size.
    pub size_bytes: u64,
    /// When the file was made, since 1970: a number that was freed is soon given to another file. None where the file
    /// system does not keep it, or where nobody asked.
    pub born_ns: Option<u64>,
}

impl Identity {
    /// Whether both are one file, or device, at one time, whatever its size.
    #[must_use]
    pub fn is_file_of(&self, other: &Self) -> bool {
        (self.device_major, self.device_minor, self.inode) == (other.device_major, other.device_minor, other.inode)
    }
}

/// An open target.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own, and all of them travel together.
pub struct Target {
    /// What it is.
    pub kind: TargetKind,
    /// Whether it was opened for writing.
    pub writable: bool,
    /// Whether I/O goes past the page cache.
    pub direct: bool,
    /// Whether this engine made the file.
    pub created: bool,
    /// Its size when it was opened.
    pub size_bytes: u64,
    /// Which file it is; None for the null target.
    pub identity: Option<Identity>,
    /// What direct I/O asks of addresses.
    pub alignment: Alignment,
    /// Whether some of it was never written.
    pub holes: bool,
    /// The CPUs near it; none where nobody knows, or all are alike.
    pub cpus_near: Vec<u32>,
    /// What it should hold, where that is to be verified.
    pub ledger: Option<Arc<Ledger>>,
    /// Its way for commands of NVMe, where that was asked for.
    pub namespace: Option<Namespace>,
    path: PathBuf,
    file: Option<Arc<File>>,
}

impl Target {
    /// A target that leads nowhere.
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
        }
    }

    /// A target that stands for a simulated drive, which the session keeps.
    #[must_use]
    pub fn simulation(size_bytes: u64) -> Self {
        Self { kind: TargetKind::Simulation, ..Self::null(size_bytes) }
    }

    /// Where it is; empty for the null target.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle; None for the null target.
    #[must_use]
    pub fn file(&self) -> Option<&Arc<File>> {
        self.file.as_ref()
    }

    /// Makes all that was written durable. Of a device nothing was: what others have written to it is theirs to sync.
    pub fn sync(&self) -> Result<(), Failure> {
        match &self.file {
            Some(file) if self.kind != TargetKind::Device => {
                file.sync_data().map_err(|error| Failure::from_io(FailureKind::Io, "fdatasync", &error))
            }
            _ => Ok(()),
        }
    }

    /// Where it shows that the kernel is at work on what was asked of the target.
    #[must_use]
    pub fn signs(&self) -> Signs {
        self.identity.map_or(Signs::None, |found| {
            Signs::of(found.device_major, found.device_minor, self.file().map(AsRawFd::as_raw_fd))
        })
    }

    /// Makes all that was written durable, and has the kernel forget what it holds of the target in memory, so that what
    /// is read next comes from where it was written to. A file system may keep it all the same.
    pub fn forget_cached(&self) -> Result<(), Failure> {
        waits_for(format!("fdatasync of {}", self.path.display()), self.signs());
        self.sync()?;
        if let Some(file) = &self.file {
            // Advice that is not taken leaves what a user of the page cache has.
            let _ = fadvise(file, 0, None, Advice::DontNeed);
        }
        Ok(())
    }

    /// Reads what is at an offset, all of it or an error.
    pub fn read_back(&self, into: &mut [u8], offset_bytes: u64) -> io::Result<()> {
        match &self.file {
            Some(file) => file.read_exact_at(into, offset_bytes),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Why this is not the target any more that was opened: made shorter or longer, removed, or replaced. None while it is.
    ///
    /// Writes behind the end make a shortened file longer again, so this is asked while a job runs, not only at its end;
    /// what is so quick that it goes unnoticed leaves holes. A file that can't be looked at is a failure of its file system.
    #[must_use]
    pub fn changed(&self) -> Option<Failure> {
        let (file, identity) = (self.file.as_ref()?, self.identity?);
        let path = self.path.display();
        let what = match self.identity_of_handle(file) {
            Ok(now) if now.size_bytes != identity.size_bytes => {
                format!("{path} had {} bytes and has {} now", identity.size_bytes, now.size_bytes)
            }
            Ok(_) => match self.identity_of_path() {
                Ok(now) if now.is_file_of(&identity) => return None,
                Ok(_) => format!("{path} was replaced by another {}", self.noun()),
                Err(failure) if failure.kind == FailureKind::NotDevice => failure.message,
                Err(failure) if failure.kind == FailureKind::TargetMissing => {
                    format!("{path} was removed or moved away")
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

    /// Whether some of it is unwritten now. Of a device nobody knows.
    #[must_use]
    pub fn has_holes_now(&self) -> bool {
        let file = self.file.as_ref().filter(|_| self.kind == TargetKind::File);
        file.is_some_and(|file| open::has_holes(file, self.size_bytes))
    }
}
