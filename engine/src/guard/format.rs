//! Whether a device can be written at all, and whether it has a format that iosonde handles.

use std::fs::File;

use super::check::Found;
use super::ioctl;
use super::node::Node;

/// Why the device does not accept writes.
pub fn writable(file: &File, node: &Node) -> Found {
    let mut found = Vec::new();
    if ioctl::is_read_only(file)? {
        found.push(format!("{} is read-only", node.name()));
    }
    if node.whole()?.text("ro").is_some_and(|text| text != "0") && node.partition.is_some() {
        found.push("its disk is read-only".to_owned());
    }
    if node.size_bytes == 0 {
        found.push(format!("{} has size 0: no medium, or no backing device", node.name()));
    }
    Ok(found)
}

/// Zones and protection information.
pub fn format(node: &Node) -> Found {
    let whole = node.whole()?;
    let mut found = Vec::new();
    if let Some(zoned) = whole.text("queue/zoned").filter(|text| text != "none") {
        found.push(format!("{} is a zoned device ({zoned})", whole.name()));
    }
    if let Some(kind) = whole.text("integrity/format").filter(|text| text != "none") {
        found.push(format!("{} has protection information ({kind})", whole.name()));
    }
    if let Some(bytes) = whole.text("metadata_bytes").filter(|text| text != "0") {
        found.push(format!("{} has {bytes} bytes of metadata per block", whole.name()));
    }
    if whole.text("hidden").is_some_and(|text| text != "0") {
        found.push(format!("{} is a path behind a multipath device", whole.name()));
    }
    Ok(found)
}
