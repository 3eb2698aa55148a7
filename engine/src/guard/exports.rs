//! Users in the kernel that do not take a device exclusively: loop devices over it, and targets that export it over a
//! network.

use std::fs::{read_dir, read_to_string};
use std::io;
use std::path::{Path, PathBuf};

use super::check::Found;
use super::loops::other_loops;
use super::mounts::{block_number, gone_is_none};
use super::node::Node;

const CONFIG: &str = "/sys/kernel/config";
/// Deep enough for `nvmet/subsystems/NAME/namespaces/1/device_path`.
const DEPTH_MAX: usize = 6;

/// The exports of any of these devices.
pub fn exported(nodes: &[Node]) -> Found {
    let mut found = Vec::new();
    let own = nodes.first().map_or(0, |node| node.number);
    for (disk, backing) in other_loops(own)? {
        for node in nodes.iter().filter(|node| backing.over == Some(node.number)) {
            found.push(format!("{} is the backing device of {}", node.name(), disk.name()));
        }
    }
    for (folder, file) in [("nvmet/subsystems", "device_path"), ("target/core", "udev_path")] {
        for at in files_named(&PathBuf::from(CONFIG).join(folder), file, DEPTH_MAX)? {
            let Some(path) = gone_is_none(read_to_string(&at), &at)? else { continue };
            for node in nodes_at(nodes, path.trim()) {
                found.push(format!("{} is exported by {}", node.name(), at.display()));
            }
        }
    }
    Ok(found)
}

fn nodes_at<'a>(nodes: &'a [Node], path: &str) -> impl Iterator<Item = &'a Node> {
    let number = block_number(Path::new(path));
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    nodes.iter().filter(move |node| number == Some(node.number) || (number.is_none() && name == Some(node.name())))
}

fn files_named(folder: &Path, name: &str, depth: usize) -> io::Result<Vec<PathBuf>> {
    let Some(entries) = gone_is_none(read_dir(folder), folder)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_name() == name {
            found.push(entry.path());
        } else if depth > 0 && entry.file_type()?.is_dir() {
            found.extend(files_named(&entry.path(), name, depth - 1)?);
        }
    }
    Ok(found)
}
