//! Keeps the CPUs of the host out of idle states that take time to leave (C-states), for as long as a file is open.
//! Source: `Documentation/power/pm_qos_interface.rst` of the kernel.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::failure::{Failure, FailureKind};

/// A limit on the wake-up latency in µs is written to it, and is in force until it is closed.
pub const LATENCY_LIMIT: &str = "/dev/cpu_dma_latency";

/// Sets the limit to 0 µs, and checks that it is in force. It ends when the file is closed.
pub fn keep_awake(path: &Path) -> Result<File, Failure> {
    let failed = |error: io::Error| {
        let is_refused = error.kind() == io::ErrorKind::PermissionDenied;
        let kind = if is_refused { FailureKind::NoRights } else { FailureKind::EngineRefused };
        Failure::from_io(kind, &format!("cannot hold off C-states with {}", path.display()), &error)
    };
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
    file.write_all(&0_i32.to_ne_bytes()).map_err(failed)?;
    let mut limit = [0xFF; 4];
    file.read_exact(&mut limit).map_err(failed)?;
    match i32::from_ne_bytes(limit) {
        0 => Ok(file),
        other => Err(failed(io::Error::other(format!("the kernel keeps a limit of {other} µs")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_does_not_keep_the_limit_is_a_failure() {
        let path = std::env::temp_dir().join(format!("iosonde-awake-{}", std::process::id()));
        assert!(keep_awake(&path).is_err(), "it does not exist");
        // An ordinary file has nothing behind what was written.
        std::fs::write(&path, []).expect("a file");
        assert!(keep_awake(&path).is_err());
        std::fs::remove_file(path).expect("it is ours");
    }
}
