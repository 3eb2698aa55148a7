//! The disks below targets, and how each reports its health.

use std::fs::{File, OpenOptions, canonicalize, read_dir, read_to_string};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, makedev, minor};

use super::identify::HealthSupport;
use super::{Drive, DriveHealth, hwmon, link, media_writes, smart_log};
use crate::nvme::{identify_controller, log_page};

/// Device mapper on md on a partition: more levels than anybody builds.
const LEVELS_MAX: usize = 16;

/// The disks below some devices, each once, with their handles.
#[derive(Debug, Default)]
pub struct Disks(Vec<Disk>);

// A disk, with what can be asked for its health.
#[derive(Debug)]
struct Disk {
    name: String,
    controller: Result<Opened, String>,
    sensor: Option<PathBuf>,
    // The directory of its controller, or of its device, in sysfs.
    folder: Option<PathBuf>,
    is_nvme: bool,
}

// An NVMe controller that is open for commands.
#[derive(Debug)]
struct Opened {
    file: File,
    facts: Option<HealthSupport>,
    reports_media_writes: bool,
}

impl Disks {
    /// The disks below the devices with these numbers. Numbers without a device are ignored: those of file systems on
    /// no device, or on several.
    #[must_use]
    pub fn below(numbers: &[(u32, u32)]) -> Self {
        let mut folders = Vec::new();
        for (major, minor) in numbers {
            if let Ok(folder) = canonicalize(format!("/sys/dev/block/{major}:{minor}")) {
                leaves(&folder, LEVELS_MAX, &mut folders);
            }
        }
        let mut unique: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !unique.contains(&folder) {
                unique.push(folder);
            }
        }
        Self(unique.iter().map(|folder| Disk::at(folder)).collect())
    }

    /// The health of every disk now.
    #[must_use]
    pub fn health(&self) -> Vec<Drive> {
        self.0.iter().map(|disk| Drive { disk: disk.name.clone(), health: disk.health() }).collect()
    }

    /// The highest temperature of the disks now, with the name of the disk. None if no disk reports it.
    #[must_use]
    pub fn hottest(&self) -> Option<(i16, &str)> {
        self.0.iter().filter_map(|disk| Some((disk.temperature_celsius()?, disk.name.as_str()))).max()
    }
}

impl Disk {
    fn at(folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().replace('!', "/");
        let device = canonicalize(folder.join("device")).ok();
        let controller = device.as_deref().and_then(controller_of);
        let sensor = controller.as_deref().or(device.as_deref()).and_then(hwmon::sensor);
        let (folder, is_nvme) = (controller.clone().or_else(|| device.clone()), controller.is_some());
        let controller = match &controller {
            Some(controller) => Opened::at(controller),
            None if device.is_none() => Err("it is a virtual device".to_owned()),
            None => Err("it is not an NVMe drive".to_owned()),
        };
        Self { name, controller, sensor, folder, is_nvme }
    }

    fn health(&self) -> DriveHealth {
        let asked = self
            .controller
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|it| it.health().map_err(|error| error.to_string()));
        let health = match (asked, &self.sensor) {
            (Ok(health), _) => health,
            (Err(reason), Some(sensor)) => DriveHealth { missing: reason, ..hwmon::health(sensor) },
            (Err(reason), None) => DriveHealth::unknown(reason),
        };
        let link_of = if self.is_nvme { link::of_controller } else { link::of_disk };
        DriveHealth { link: self.folder.as_deref().and_then(link_of), ..health }
    }

    fn temperature_celsius(&self) -> Option<i16> {
        self.sensor
            .as_deref()
            .and_then(hwmon::temperature_celsius)
            .or_else(|| self.controller.as_ref().ok()?.health().ok()?.temperature_celsius)
    }
}

impl Opened {
    // Opens the controller with a directory in sysfs. The node is checked by its number, not trusted by its name.
    fn at(folder: &Path) -> Result<Self, String> {
        let path = PathBuf::from("/dev").join(folder.file_name().unwrap_or_default());
        let said = |error: io::Error| format!("{}: {error}", path.display());
        let number = read_to_string(folder.join("dev")).ok().and_then(|text| number_from(&text));
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path).map_err(said)?;
        let facts = file.metadata().map_err(said)?;
        if !facts.file_type().is_char_device() || Some(facts.rdev()) != number {
            return Err(format!("{} is not the node of this controller", path.display()));
        }
        let facts = identify_controller(&file).ok().map(|data| HealthSupport::of(&data));
        let reports_media_writes = facts.is_some_and(|it| it.lists_log_pages) && media_writes::is_listed(&file);
        Ok(Self { file, facts, reports_media_writes })
    }

    fn health(&self) -> io::Result<DriveHealth> {
        let log = log_page(&self.file, smart_log::PAGE)?;
        Ok(DriveHealth {
            warning_celsius: self.facts.and_then(|facts| facts.warning_celsius),
            critical_celsius: self.facts.and_then(|facts| facts.critical_celsius),
            media_written_bytes: self
                .reports_media_writes
                .then(|| media_writes::media_written_bytes(&self.file))
                .flatten(),
            ..smart_log::health(&log)
        })
    }
}

// Adds the disks that a device is built on; the disk itself if it is built on no other.
fn leaves(folder: &Path, levels: usize, found: &mut Vec<PathBuf>) {
    let whole = if folder.join("partition").exists() { folder.parent().unwrap_or(folder) } else { folder };
    let below: Vec<PathBuf> = read_dir(whole.join("slaves"))
        .into_iter()
        .flatten()
        .filter_map(|entry| canonicalize(entry.ok()?.path()).ok())
        .collect();
    if below.is_empty() || levels == 0 {
        found.push(whole.to_owned());
    }
    for each in below.iter().filter(|_| levels > 0) {
        leaves(each, levels - 1, found);
    }
}

// The directory of the NVMe controller of a disk. With multipath, the device is a subsystem: then it is the first
// controller that is live.
fn controller_of(device: &Path) -> Option<PathBuf> {
    if is_controller(device) {
        return Some(device.to_owned());
    }
    let mut found: Vec<PathBuf> = read_dir(device)
        .ok()?
        .filter_map(|entry| canonicalize(entry.ok()?.path()).ok())
        .filter(|path| is_controller(path))
        .filter(|path| read_to_string(path.join("state")).is_ok_and(|text| text.trim() == "live"))
        .collect();
    found.sort();
    found.into_iter().next()
}

fn is_controller(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix("nvme").is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
        && folder.join("dev").exists()
}

fn number_from(text: &str) -> Option<u64> {
    let (first, second) = text.trim().split_once(':')?;
    Some(makedev(first.parse().ok()?, second.parse().ok()?))
}

/// The number of the device that a path is on, or is.
///
/// # Errors
///
/// If the path cannot be accessed.
pub fn number_of_path(path: &Path) -> io::Result<(u32, u32)> {
    let facts = path.metadata()?;
    let number = if facts.file_type().is_block_device() { facts.rdev() } else { facts.dev() };
    Ok((major(number), minor(number)))
}
