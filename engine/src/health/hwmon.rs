//! The kernel's temperature sensors of drives: of NVMe controllers, and of SATA drives with the module `drivetemp`.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

use super::{DriveHealth, HealthSource};

const MILLI: i32 = 1000;

/// The directory of a drive's sensor, below the directory of its device in sysfs; None if it has none.
pub fn sensor(device: &Path) -> Option<PathBuf> {
    let places = [device.to_owned(), device.join("hwmon"), device.join("device/hwmon")];
    let mut found: Vec<PathBuf> = places
        .iter()
        .filter_map(|place| read_dir(place).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hwmon")))
        .filter(|path| path.join("temp1_input").exists())
        .collect();
    found.sort();
    found.into_iter().next()
}

/// The temperature now; None if the sensor does not report it.
pub fn temperature_celsius(sensor: &Path) -> Option<i16> {
    celsius(&sensor.join("temp1_input"))
}

/// The health that a sensor reports: temperatures.
pub fn health(sensor: &Path) -> DriveHealth {
    DriveHealth {
        source: HealthSource::Hwmon,
        temperature_celsius: temperature_celsius(sensor),
        warning_celsius: celsius(&sensor.join("temp1_max")),
        critical_celsius: celsius(&sensor.join("temp1_crit")),
        ..DriveHealth::default()
    }
}

fn celsius(file: &Path) -> Option<i16> {
    let milli: i32 = read_to_string(file).ok()?.trim().parse().ok()?;
    // Rounded: the kernel converts a drive's whole kelvins, so that 323 K are 49.85 °C.
    i16::try_from((milli + MILLI / 2).div_euclid(MILLI)).ok()
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    fn device(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("iosonde-hwmon-{test}-{}", std::process::id()));
        create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_sensor_is_found_where_kernels_put_it() {
        for place in ["hwmon3", "hwmon/hwmon1", "device/hwmon/hwmon0"] {
            let device = device(&place.replace('/', "-"));
            assert_eq!(sensor(&device), None);
            let folder = device.join(place);
            create_dir_all(&folder).expect("a folder");
            write(folder.join("temp1_input"), "49850\n").expect("a file");
            write(folder.join("temp1_crit"), "84850\n").expect("a file");
            let found = sensor(&device).expect("a sensor");
            assert_eq!(found, folder);
            assert_eq!(temperature_celsius(&found), Some(50));
            let health = health(&found);
            assert_eq!((health.warning_celsius, health.critical_celsius), (None, Some(85)));
            std::fs::remove_dir_all(device).expect("it is ours");
        }
    }
}
