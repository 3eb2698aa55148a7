//! The identity of a device: what a user names in order to write to it.
//!
//! It is the first of these that no other disk of this host has: serial number, world-wide name (WWN, EUI or NGUID),
//! UUID of device mapper or md, backing file of a loop device, else number and size. The serial number of an NVMe drive
//! belongs to the controller, so its namespaces share it. A partition has its UUID, start and size.

use std::fs::File;
use std::io;

use serde::Serialize;

use super::ioctl;
use super::loops::Backing;
use super::node::{Node, number_text, whole_disks};
use super::others::ask_others;
use super::probe::partition_uuid;

/// The identity of a device, derived from an open handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceIdentity {
    /// What a user names.
    pub name: String,
    /// What kind of name it is: `serial`, `wwid`, `dm-uuid`, `md-uuid`, `backing-file`, `partition` or `number`.
    pub kind: &'static str,
    /// Its size, as the handle reports it.
    pub size_bytes: u64,
    /// The number of the disk since boot, which no other disk of this boot has; None before Linux 5.15.
    pub diskseq: Option<u64>,
    /// The file of a loop device and its place in it; None for any other device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backing: Option<String>,
}

/// The identity of the device of an open handle, and why it is not unique, if it is not.
pub fn identity_of(file: &File, node: &Node) -> io::Result<(DeviceIdentity, Vec<String>)> {
    let size_bytes = ioctl::size_bytes(file)?;
    let diskseq = ioctl::diskseq(file);
    let (kind, name, shared) = match node.partition {
        Some(_) => {
            let (name, shared) = partition_name(file, node, size_bytes)?;
            ("partition", name, shared)
        }
        None => disk_name(node, size_bytes)?,
    };
    let mut problems = shared;
    if size_bytes != node.size_bytes {
        problems.push(format!("the kernel reports two sizes: {size_bytes} and {} bytes", node.size_bytes));
    }
    let backing = Backing::of(&node.whole()?)?.map(|backing| backing.place());
    Ok((DeviceIdentity { name, kind, size_bytes, diskseq, backing }, problems))
}

fn partition_name(file: &File, node: &Node, size_bytes: u64) -> io::Result<(String, Vec<String>)> {
    let whole = node.whole()?;
    let place = format!("{}+{size_bytes}", node.start_bytes);
    if let Some(uuid) = partition_uuid(file)? {
        let others = twins(node, &uuid)?;
        let shared = others.iter().map(|other| format!("{other} has the same UUID, start and size")).collect();
        return Ok((format!("{uuid}@{place}"), shared));
    }
    let (_, disk, shared) = disk_name(&whole, whole.size_bytes)?;
    Ok((format!("{disk}/{}@{place}", node.partition.unwrap_or(0)), shared))
}

// Partitions of other disks with the same UUID at the same place: disks that were copied.
fn twins(node: &Node, uuid: &str) -> io::Result<Vec<String>> {
    let found = ask_others(node.whole()?.number, |disk| {
        let mut found = Vec::new();
        for part in disk.partitions()? {
            let same_place = (part.start_bytes, part.size_bytes) == (node.start_bytes, node.size_bytes);
            if same_place && partition_uuid(&part.open()?)?.as_deref() == Some(uuid) {
                found.push(part.name());
            }
        }
        Ok(found)
    })?;
    Ok(found.concat())
}

fn disk_name(node: &Node, size_bytes: u64) -> io::Result<(&'static str, String, Vec<String>)> {
    let own = candidates(node);
    let mut others = Vec::new();
    for other in whole_disks()?.into_iter().filter(|each| each.number != node.number) {
        others.push((other.name(), candidates(&other)));
    }
    let holders = |wanted: &(&'static str, String)| -> Vec<&str> {
        others.iter().filter(|(_, theirs)| theirs.contains(wanted)).map(|(name, _)| name.as_str()).collect()
    };
    if let Some((kind, name)) = own.iter().find(|each| holders(each).is_empty()) {
        return Ok((kind, name.clone(), Vec::new()));
    }
    match own.first() {
        None => Ok(("number", format!("{}/{size_bytes}", number_text(node.number)), Vec::new())),
        Some(first) => {
            let shared = format!("{} has the same {} {}", holders(first).join(", "), first.0, first.1);
            Ok((first.0, first.1.clone(), vec![shared]))
        }
    }
}

/// The names that a whole disk has, most specific for people first.
pub fn candidates(node: &Node) -> Vec<(&'static str, String)> {
    let serial = node.text("device/serial").or_else(|| node.text("serial")).or_else(|| vital_serial(node));
    let named = [
        ("serial", serial),
        ("wwid", node.wide_name()),
        ("dm-uuid", node.text("dm/uuid")),
        ("md-uuid", node.text("md/uuid")),
    ];
    let clean = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let named = named.into_iter().filter_map(|(kind, text)| Some((kind, clean(text?))));
    let mut found: Vec<_> = named.filter(|(_, text)| !text.is_empty()).collect();
    found.extend(backing_name(node).map(|name| ("backing-file", name)));
    found
}

// The path of the file of a loop device, as it is, with the part of the file if it is not all of it. A path that cannot
// be typed is no name.
fn backing_name(node: &Node) -> Option<String> {
    let text = String::from_utf8(node.bytes("loop/backing_file")?).ok()?;
    let path = text.strip_suffix('\n').unwrap_or(&text).to_owned();
    if path.is_empty() || path.chars().any(char::is_control) {
        return None;
    }
    let numbers = ["loop/offset", "loop/sizelimit"].map(|name| node.text(name).unwrap_or_default());
    let [offset, limit] = numbers;
    Some(if offset == "0" && limit == "0" { path } else { format!("{path}@{offset}+{limit}") })
}

/// The unit serial number of a SCSI device: page 80h of its vital product data, after a header of 4 bytes.
fn vital_serial(node: &Node) -> Option<String> {
    let page = node.bytes("device/vpd_pg80")?;
    let text = String::from_utf8_lossy(page.get(4..)?).trim_matches(['\0', ' ']).to_owned();
    (!text.is_empty() && text.chars().all(|each| each.is_ascii_graphic() || each == ' ')).then_some(text)
}
