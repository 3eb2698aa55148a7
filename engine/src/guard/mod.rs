//! Decides whether a block device may be written. In: a path, and what the user named. Out: a [`WriteGrant`], the only
//! key to a handle that can write to a device, or what speaks against it.
//!
//! A check that cannot be made counts as failed. All of them are made on the open handle: by device number, never by
//! name, and again after the kernel has granted exclusive access, which is then held as long as the grant.

mod check;
mod exports;
mod format;
mod identity;
mod ioctl;
mod loops;
mod magics;
mod mounts;
mod node;
mod open_files;
mod others;
mod probe;
mod siblings;
mod stack;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;

pub use check::{Check, Refusal};
pub use identity::DeviceIdentity;
pub(crate) use identity::candidates;
pub(crate) use node::{Node, whole_disks};
use serde::{Deserialize, Serialize};
pub use siblings::{NamespaceNode, namespace_nodes};
pub use stack::built_on;

use crate::failure::{Failure, FailureKind};
use check::{Found, refusals};

/// What the user has named: the device to write to, and the checks whose findings the user accepts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The identity, as an inspection prints it.
    pub identity: String,
    /// The size of the device.
    pub size_bytes: u64,
    /// The number of the disk since boot, if it was inspected in this boot.
    #[serde(default)]
    pub diskseq: Option<u64>,
    /// The file of a loop device and its place in it, as an inspection reports it.
    #[serde(default)]
    pub backing: Option<String>,
    /// The checks that the user consents to, by name.
    #[serde(default)]
    pub consents: Vec<Check>,
}

/// A device as the checks see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// The kernel's name of the device, such as `nvme0n1p2`.
    pub name: String,
    /// Its identity; None if it could not be derived.
    pub identity: Option<DeviceIdentity>,
    /// What speaks against writing to it.
    pub refusals: Vec<Refusal>,
}

/// The permission to write to one device, with the exclusive handle that it holds.
#[derive(Debug)]
pub struct WriteGrant {
    file: Arc<File>,
    identity: DeviceIdentity,
    disk: Option<File>,
}

/// Inspects a device through a handle, without changing it or taking it.
pub fn inspect(handle: &File) -> Result<Inspection, Failure> {
    let reading = reopened(handle, OpenOptions::new().read(true)).map_err(|error| failure(handle, &error))?;
    let mut inspection = inspect_open(&reading)?;
    // Asked for separately: a handle that has exclusive access does not see others that want it.
    if let Err(error) = reopened(handle, OpenOptions::new().read(true).custom_flags(libc::O_EXCL)) {
        let evidence = format!("the kernel does not grant exclusive access to {}: {error}", inspection.name);
        inspection.refusals.push(Refusal { check: Check::Exclusive, evidence });
    }
    Ok(inspection)
}

impl WriteGrant {
    /// Takes the device of a handle exclusively, if nothing speaks against it.
    pub fn obtain(handle: &File, claim: &Claim) -> Result<Self, Failure> {
        decide(&inspect(handle)?, claim)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_EXCL);
        let file = reopened(handle, &options).map_err(|error| failure(handle, &error))?;
        // Whatever changed since the first inspection is found by the second one, on the handle that will write.
        let inspection = inspect_open(&file)?;
        let identity = decide(&inspection, claim)?;
        let disk = disk_of(&file).map_err(|error| failure(&file, &error))?;
        Ok(Self { file: Arc::new(file), identity, disk })
    }

    /// The handle that can write.
    #[must_use]
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// The disk of a partition, open for reading: its lock keeps off programs that change the partitions. None for a
    /// whole disk, or without the disk's usual node.
    #[must_use]
    pub fn disk(&self) -> Option<&File> {
        self.disk.as_ref()
    }

    /// The identity of the device.
    #[must_use]
    pub fn identity(&self) -> &DeviceIdentity {
        &self.identity
    }

    /// Whether the device is a partition.
    #[must_use]
    pub fn is_partition(&self) -> bool {
        self.identity.kind == "partition"
    }

    /// Derives the identity again from the held handle. A failure if it is another: then the handle is of no use, because
    /// a command has changed the device below it.
    pub fn confirm(&self) -> Result<(), Failure> {
        let held = (ioctl::size_bytes(&self.file).ok(), ioctl::diskseq(&self.file));
        // The held handle may be set to direct I/O, which libblkid does not expect. If another device has the number of
        // this one by now, it differs from what the held handle reports.
        let failed = |error: io::Error| failure(&self.file, &error);
        let file = reopened(&self.file, OpenOptions::new().read(true)).map_err(failed)?;
        let node = Node::of(&file).map_err(failed)?;
        let (now, mut problems) = identity::identity_of(&file, &node).map_err(failed)?;
        if held != (Some(now.size_bytes), now.diskseq) {
            problems.push(format!("{} was removed and another device has its name", node.name()));
        }
        if now == self.identity && problems.is_empty() {
            return Ok(());
        }
        let mut told = vec![format!(
            "{} is now {} with {} bytes; it was {} with {} bytes",
            node.name(),
            now.name,
            now.size_bytes,
            self.identity.name,
            self.identity.size_bytes
        )];
        told.extend(problems);
        Err(Failure::new(FailureKind::Changed, told.join("; ")))
    }
}

// The identity, if it is the claimed one and nothing else speaks against writing.
fn decide(inspection: &Inspection, claim: &Claim) -> Result<DeviceIdentity, Failure> {
    let mut left: Vec<Refusal> = claimed(inspection, claim).into_iter().collect();
    let consented = |check: Check| check.allows_consent() && claim.consents.contains(&check);
    left.extend(inspection.refusals.iter().filter(|each| !consented(each.check)).cloned());
    match (&inspection.identity, left.is_empty()) {
        (Some(identity), true) => Ok(identity.clone()),
        _ => Err(refused(&inspection.name, &left)),
    }
}

// Why the device is not the claimed one.
fn claimed(inspection: &Inspection, claim: &Claim) -> Option<Refusal> {
    let found = inspection.identity.as_ref()?;
    let evidence = if found.name != claim.identity {
        format!("{} is {}, not {}", inspection.name, found.name, claim.identity)
    } else if found.size_bytes != claim.size_bytes {
        format!("{} has {} bytes, not {}", inspection.name, found.size_bytes, claim.size_bytes)
    } else if claim.backing.is_some() && found.backing != claim.backing {
        format!("{} is set up over another file, or another part of it", inspection.name)
    } else if claim.diskseq.is_some() && found.diskseq != claim.diskseq {
        format!("{} was removed and another device has its name", inspection.name)
    } else {
        return None;
    };
    Some(Refusal { check: Check::Identity, evidence })
}

fn refused(name: &str, refusals: &[Refusal]) -> Failure {
    let told: Vec<String> =
        refusals.iter().map(|each| format!("{} ({})", each.evidence, check_name(each.check))).collect();
    Failure::new(FailureKind::DeviceWrite, format!("{name} must not be written: {}", told.join("; ")))
}

// The name of a check, as users see it.
fn check_name(check: Check) -> String {
    let name = serde_json::to_value(check).expect("a name");
    name.as_str().unwrap_or_default().to_owned()
}

fn inspect_open(file: &File) -> Result<Inspection, Failure> {
    let node = Node::of(file).map_err(|error| failure(file, &error))?;
    let (identity, problems): (_, Found) = match identity::identity_of(file, &node) {
        Ok((identity, problems)) => (Some(identity), Ok(problems)),
        Err(error) => (None, Err(error)),
    };
    let mut found = refusals(Check::Identity, problems);
    let mut add = |check, result: Found| found.extend(refusals(check, result));
    add(Check::Writable, format::writable(file, &node));
    let relatives = node.relatives();
    let mounts = mounts::all_mounts();
    add(Check::Mounted, with(&relatives, |nodes| with(&mounts, |mounts| mounts::mounted(nodes, mounts))));
    add(Check::Swap, with(&relatives, mounts::swapped));
    add(Check::Held, with(&relatives, stack::held));
    add(Check::Open, with(&relatives, open_files::open));
    add(Check::Exported, with(&relatives, exports::exported));
    add(Check::Below, stack::below(&node));
    add(Check::Paths, stack::paths(&node));
    add(Check::Signature, signatures(file, &node));
    add(Check::System, with(&mounts, |mounts| stack::system(&node, mounts, probe::partition_type(file))));
    add(Check::Format, format::format(&node));
    add(Check::Format, stack::over_device(&node));
    Ok(Inspection { name: node.name(), identity, refusals: found })
}

// What a check finds with facts that several checks need; their error, if they could not be read.
fn with<T>(facts: &io::Result<Vec<T>>, ask: impl FnOnce(&[T]) -> Found) -> Found {
    match facts {
        Ok(facts) => ask(facts),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}

// What is recognised on the device, and on the partitions that the kernel has of it: its table may be gone.
fn signatures(file: &File, node: &Node) -> Found {
    let mut found = recognised(file, 0, node.size_bytes)?;
    if node.partition.is_none() {
        for part in node.partitions()? {
            let own = recognised(file, part.start_bytes, part.size_bytes)?;
            found.extend(own.into_iter().map(|each| format!("{each} of {}", part.name())));
        }
    }
    Ok(found)
}

fn recognised(file: &File, start_bytes: u64, size_bytes: u64) -> Found {
    let mut found = probe::signatures(file, start_bytes, size_bytes)?;
    found.extend(magics::signatures(file, start_bytes, size_bytes)?);
    Ok(found)
}

/// Opens the file of a handle again, even if its path leads elsewhere by now.
pub(crate) fn reopened(handle: &File, options: &OpenOptions) -> io::Result<File> {
    options.open(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

fn disk_of(file: &File) -> io::Result<Option<File>> {
    let node = Node::of(file)?;
    Ok(if node.partition.is_none() { None } else { node.whole()?.open().ok() })
}

fn failure(handle: &File, error: &io::Error) -> Failure {
    let name = Node::of(handle).map_or_else(|_| "the device".to_owned(), |node| node.name());
    let (kind, message) = match error.kind() {
        io::ErrorKind::PermissionDenied => (FailureKind::NoRights, format!("no permission to open {name}")),
        _ => (FailureKind::DeviceWrite, format!("the checks before a write to {name}: {error}")),
    };
    Failure { errno: error.raw_os_error(), ..Failure::new(kind, message) }
}
