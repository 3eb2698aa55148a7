//! The checks before a device is written, and what they find.

use serde::{Deserialize, Serialize};

/// A check. Its name is the one that users see and consent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The device is the one that the user named, by identity, size and `diskseq`, and no other has that identity.
    Identity,
    /// The device accepts writes: it is not read-only, and it has a medium.
    Writable,
    /// Neither the device nor a part of it is mounted, in any mount namespace.
    Mounted,
    /// Neither the device nor a part of it is swap space.
    Swap,
    /// No device is built on it: device mapper, md, bcache, a file system on several devices.
    Held,
    /// The kernel grants exclusive access, which every user in the kernel takes.
    Exclusive,
    /// No process has the device open or mapped, not even for reading.
    Open,
    /// Nothing in the kernel exports it without exclusive access: loop devices, NVMe-oF and SCSI targets.
    Exported,
    /// Nothing else uses the devices, or the file of a loop device, that it is built on.
    Below,
    /// It is not one of several paths to a drive.
    Paths,
    /// It has no file system, partition table, RAID or volume label at either end.
    Signature,
    /// It is not below the root, boot or EFI file system, and is not an EFI system partition.
    System,
    /// It has no zones and no protection information, which iosonde does not handle.
    Format,
}

impl Check {
    /// Whether a user may consent to what this check found. The others are facts that consent does not change: writing
    /// would destroy what is in use, or would fail.
    #[must_use]
    pub fn allows_consent(self) -> bool {
        matches!(self, Self::Open | Self::Below | Self::Signature)
    }
}

/// Something that a check found, or why it could not be made, which counts as found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The check.
    pub check: Check,
    /// What it found, such as `nvme0n1p2 is mounted at /home`.
    pub evidence: String,
}

/// The result of a check: what it found. An error means that it could not be made.
pub type Found = std::io::Result<Vec<String>>;

/// The refusals of a check.
pub fn refusals(check: Check, found: Found) -> Vec<Refusal> {
    let evidence = found.unwrap_or_else(|error| vec![format!("could not be checked: {error}")]);
    evidence.into_iter().map(|evidence| Refusal { check, evidence }).collect()
}

/// An error that says what could not be read.
pub fn unreadable(what: impl std::fmt::Display, error: &std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("{what}: {error}"))
}
