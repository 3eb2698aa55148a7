//! Restores the write cache of a device that is found by its identity: also while it is in use, because this destroys
//! nothing. No other device is changed.

use std::fs::File;

use serde::{Deserialize, Serialize};

use super::change::Device;
use super::control::Control;
use super::{CacheState, refusal};
use crate::failure::Failure;
use crate::guard::{Node, candidates, whole_disks};

/// The setting that a device had, and its identity.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The kind of its name, as an inspection prints it.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its size.
    pub size_bytes: u64,
    /// The setting of the drive.
    pub drive: CacheState,
    /// What the kernel took the cache for. None if it has started again since: then it has asked the drive.
    #[serde(default)]
    pub kernel: Option<String>,
}

/// How a device was restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The kernel's name of the device; None if no device has the identity.
    pub disk: Option<String>,
    /// What the drive reported before.
    pub before: Option<CacheState>,
}

/// Restores a setting. A failure if several devices have the identity, or if the drive refuses it.
pub fn restore(kept: &Kept) -> Result<Restored, Failure> {
    let disks = whole_disks().map_err(|error| refusal(&kept.name, &error.to_string()))?;
    let mut found: Vec<Node> = disks.into_iter().filter(|each| is_meant(each, kept)).collect();
    let Some(node) = found.pop() else { return Ok(Restored { disk: None, before: None }) };
    if let Some(other) = found.first() {
        return Err(refusal(&kept.name, &format!("{} and {} have this {}", other.name(), node.name(), kept.kind)));
    }
    let name = format!("/dev/{}", node.name());
    let file = node.open().map_err(|error| refusal(&name, &error.to_string()))?;
    let before = restore_open(&name, &file, kept)?;
    Ok(Restored { disk: Some(node.name()), before: Some(before) })
}

fn restore_open(name: &str, file: &File, kept: &Kept) -> Result<CacheState, Failure> {
    // The name may belong to another device since it was found. The handle keeps to one.
    let node = Node::of(file).map_err(|error| refusal(name, &error.to_string()))?;
    if !is_meant(&node, kept) {
        return Err(refusal(name, &format!("it is no longer the device {}", kept.name)));
    }
    let control = Control::of(&node, file).map_err(|refused| refusal(name, &refused))?;
    let device = Device { name: name.to_owned(), file, node, control };
    let before = device.facts()?.drive.expect("it was read");
    match &kept.kernel {
        Some(view) => device.set_with_view(kept.drive, view)?,
        None if before != kept.drive => device.set(kept.drive)?,
        None => return Ok(before),
    };
    Ok(before)
}

// Whether a disk has the name and the size. Names that other disks have as well are among its names here.
fn is_meant(node: &Node, kept: &Kept) -> bool {
    let is_named = |(kind, name): &(&str, String)| *kind == kept.kind && *name == kept.name;
    node.partition.is_none() && node.size_bytes == kept.size_bytes && candidates(node).iter().any(is_named)
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    #[test]
    fn a_device_is_meant_by_one_of_its_names_and_its_size() {
        let folder = tempfile::tempdir().expect("a folder");
        create_dir_all(folder.path().join("device")).expect("it is new");
        write(folder.path().join("device/serial"), "S1  \n").expect("it is ours");
        write(folder.path().join("wwid"), "eui.01\n").expect("it is ours");
        let node = Node { number: 1, folder: folder.path().into(), start_bytes: 0, size_bytes: 512, partition: None };
        let kept = |kind: &str, name: &str, size_bytes| Kept {
            kind: kind.into(),
            name: name.into(),
            size_bytes,
            drive: CacheState::On,
            kernel: None,
        };
        assert!(is_meant(&node, &kept("serial", "S1", 512)));
        assert!(is_meant(&node, &kept("wwid", "eui.01", 512)));
        for other in [kept("serial", "S1", 1024), kept("serial", "S2", 512), kept("wwid", "S1", 512)] {
            assert!(!is_meant(&node, &other), "{other:?}");
        }
        assert!(!is_meant(&Node { partition: Some(1), ..node }, &kept("serial", "S1", 512)));
    }

    #[test]
    fn nothing_is_changed_if_no_device_has_the_identity() {
        let kept = Kept {
            kind: "serial".into(),
            name: "no drive has this one".into(),
            size_bytes: 512,
            drive: CacheState::On,
            kernel: None,
        };
        // A container without disks cannot list them.
        if let Ok(found) = restore(&kept) {
            assert_eq!(found, Restored { disk: None, before: None });
        }
    }
}
