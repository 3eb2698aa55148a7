//! Block devices that are gone: removed from the computer, or given up by the kernel because they do not respond.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Target, TargetKind, device};
use crate::failure::{Failure, FailureKind};

/// The directory with an entry for each block device that the kernel knows.
const DEVICES: &str = "/sys/dev/block";
/// How long a failed job waits for its devices to go: requests fail before the kernel removes the device.
const REMOVAL_MAX: Duration = Duration::from_millis(1500);
/// Drives behind one connection disappear one after another, because the kernel removes one PCI device at a time.
/// Without a further one for this time, all are gone.
const SETTLED: Duration = Duration::from_millis(500);
/// Poll interval.
const QUERY_EVERY: Duration = Duration::from_millis(5);

impl Target {
    /// Whether it is a block device that is gone. The kernel sets the capacity of a removed device to 0, and removes
    /// it from sysfs; the handle remains valid.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        let (Some(file), Some(identity), TargetKind::Device) = (&self.file, self.identity, self.kind) else {
            return false;
        };
        let entry = format!("{DEVICES}/{}:{}", identity.device_major, identity.device_minor);
        device::size_bytes(file).is_ok_and(|size_bytes| size_bytes == 0)
            || (Path::new(DEVICES).is_dir() && !Path::new(&entry).exists())
    }
}

/// The failure that names all targets that are gone; None if none is.
#[must_use]
pub fn gone(targets: &[Target]) -> Option<Failure> {
    message(&paths_of_gone(targets)).map(|message| Failure::new(FailureKind::Gone, message))
}

/// Whether a job failed because targets are gone: the failure that names all of them, or None. If the failure itself
/// does not say so, this waits for the kernel to remove the device.
#[must_use]
pub fn explained_by_removal(failure: &Failure, targets: &[Target]) -> Option<Failure> {
    if !matches!(failure.kind, FailureKind::Gone | FailureKind::Changed | FailureKind::Io) {
        return None;
    }
    let has_devices = targets.iter().any(|target| target.kind == TargetKind::Device);
    let (since, mut last, mut seen) = (Instant::now(), Instant::now(), Vec::new());
    while has_devices && (since.elapsed() < REMOVAL_MAX) && (seen.is_empty() || last.elapsed() < SETTLED) {
        let now = paths_of_gone(targets);
        if now.len() > seen.len() {
            (last, seen) = (Instant::now(), now);
        }
        sleep(QUERY_EVERY);
    }
    let message = message(&seen)?;
    Some(Failure { message, kind: FailureKind::Gone, ..failure.clone() })
}

fn paths_of_gone(targets: &[Target]) -> Vec<String> {
    targets.iter().filter(|target| target.is_gone()).map(|target| target.path().display().to_string()).collect()
}

fn message(paths: &[String]) -> Option<String> {
    match paths {
        [] => None,
        [path] => Some(format!("{path} is gone: it was removed from the computer, or no longer responds")),
        [before @ .., last] => {
            let named = before.join(", ");
            Some(format!("{named} and {last} are gone: they were removed from the computer, or no longer respond"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_devices_that_are_gone_are_named() {
        let told = |paths: &[&str]| message(&paths.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(told(&[]), None);
        assert_eq!(told(&["a"]).unwrap(), "a is gone: it was removed from the computer, or no longer responds");
        let all = "a, b and c are gone: they were removed from the computer, or no longer respond";
        assert_eq!(told(&["a", "b", "c"]).unwrap(), all);
    }

    #[test]
    fn a_target_that_is_no_device_is_never_gone() {
        let targets = [Target::null(4096), Target::simulation(4096)];
        assert_eq!(gone(&targets), None);
        assert_eq!(explained_by_removal(&Failure::new(FailureKind::Io, "read"), &targets), None);
    }
}
