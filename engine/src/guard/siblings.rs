//! The block devices of the namespaces of one NVMe subsystem: what a command to all of its namespaces destroys.

use std::fs::{File, canonicalize};
use std::io;

use serde::Serialize;

use super::node::{Node, whole_disks};

/// A namespace that has a block device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamespaceNode {
    /// Its namespace ID.
    pub namespace: u32,
    /// The kernel's name of its block device, such as `nvme0n2`.
    pub name: String,
}

/// All namespaces of the subsystem of a handle that have a block device, its own included. None if it is not of an
/// NVMe namespace.
pub fn namespace_nodes(file: &File) -> io::Result<Vec<NamespaceNode>> {
    let own = Node::of(file)?.whole()?;
    let Some(own_place) = place(&own) else { return Ok(Vec::new()) };
    let same = whole_disks()?.into_iter().filter(|each| place(each).as_ref() == Some(&own_place));
    let found = same.filter_map(|each| Some(NamespaceNode { namespace: number(&each)?, name: each.name() }));
    Ok(found.collect())
}

// The name of the subsystem, else the device that the namespace belongs to.
fn place(node: &Node) -> Option<String> {
    number(node)?;
    let device = canonicalize(node.folder.join("device")).ok().map(|path| path.display().to_string());
    node.text("device/subsysnqn").or(device)
}

fn number(node: &Node) -> Option<u32> {
    node.text("nsid")?.parse().ok()
}
