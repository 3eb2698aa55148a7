//! The present link of a drive: it may drop to a lower speed, or to fewer lanes, while a run goes on.

use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// The speed and width of the link of an NVMe controller, such as `16.0 GT/s PCIe x4`; None if it has none.
pub fn of_controller(controller: &Path) -> Option<String> {
    let device = controller.join("device");
    let speed = text(&device.join("current_link_speed")).filter(|speed| !speed.starts_with("Unknown"))?;
    let width = text(&device.join("current_link_width"))?;
    Some(format!("{speed} x{width}"))
}

/// The speed of the SATA link of a disk, such as `6.0 Gbps`; None if it is no SATA disk.
pub fn of_disk(device: &Path) -> Option<String> {
    let port = device.ancestors().find(|folder| is_port(folder))?;
    let links = read_dir(port).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut speeds = links.filter_map(|link| {
        let name = link.file_name()?.to_string_lossy().into_owned();
        text(&link.join("ata_link").join(&name).join("sata_spd")).filter(|_| name.starts_with("link"))
    });
    speeds.next()
}

fn is_port(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix("ata").is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
}

fn text(file: &Path) -> Option<String> {
    Some(read_to_string(file).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    #[test]
    fn links_are_read_where_the_kernel_has_them() {
        let root = std::env::temp_dir().join(format!("iosonde-link-{}", std::process::id()));
        let (controller, port) = (root.join("nvme0"), root.join("ata3"));
        let link = port.join("link3/ata_link/link3");
        create_dir_all(controller.join("device")).expect("a folder");
        create_dir_all(&link).expect("a folder");
        write(controller.join("device/current_link_speed"), "16.0 GT/s PCIe\n").expect("a file");
        write(controller.join("device/current_link_width"), "4\n").expect("a file");
        write(link.join("sata_spd"), "6.0 Gbps\n").expect("a file");
        assert_eq!(of_controller(&controller).as_deref(), Some("16.0 GT/s PCIe x4"));
        assert_eq!(of_disk(&port.join("host2/target2:0:0")).as_deref(), Some("6.0 Gbps"));
        assert_eq!(of_disk(&root), None);
        write(controller.join("device/current_link_speed"), "Unknown\n").expect("a file");
        assert_eq!(of_controller(&controller), None);
        std::fs::remove_dir_all(root).expect("it is ours");
    }
}
