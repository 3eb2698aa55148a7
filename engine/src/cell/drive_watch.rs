//! The drives below the targets of a job: their health before and after it, and the limits that the user set.

use std::time::Duration;

use super::monitor::Checks;
use super::result::DriveState;
use crate::failure::{Failure, FailureKind};
use crate::health::{Disks, Drive};
use crate::job::Limits;
use crate::target::Target;
use crate::watchdog::{ProgressSource, waiting_for};

/// Interval between two readings of the temperature. A drive warms up slowly, and each reading costs it a command.
const READ_EVERY: Duration = Duration::from_secs(1);

/// The drives of a job, with their health before it.
pub struct DriveWatch {
    disks: Disks,
    before: Vec<Drive>,
}

impl DriveWatch {
    /// Reads the health of the drives below these targets. A failure if a limit is reached already.
    pub fn start(targets: &[Target], limits: &Limits) -> Result<Self, Failure> {
        waiting_for("reading the health of the drives".to_owned(), ProgressSource::None);
        let identities = targets.iter().filter_map(|target| target.identity);
        let numbers: Vec<_> = identities.map(|each| (each.device_major, each.device_minor)).collect();
        let disks = Disks::below(&numbers);
        let before = disks.health();
        match unknown(&before, limits).or_else(|| spare(&before, limits)).or_else(|| hot(&disks, limits)) {
            Some(failure) => Err(failure),
            None => Ok(Self { disks, before }),
        }
    }

    /// The check of the temperature while the job runs. Without a limit nothing is read, because some drives delay
    /// other commands while they answer.
    pub fn checks<'a>(&'a self, limits: &'a Limits) -> Option<Checks<impl Fn() -> Option<Failure> + Send + 'a>> {
        let check = || hot(&self.disks, limits);
        limits.temperature_celsius_max.map(|_| Checks {
            name: "temperature",
            every: READ_EVERY,
            silent: "the temperature sensor",
            check,
        })
    }

    /// The drives before and after the job.
    pub fn end(&self) -> Vec<DriveState> {
        waiting_for("reading the health of the drives".to_owned(), ProgressSource::None);
        let after = self.disks.health();
        let state = |(before, after): (&Drive, Drive)| DriveState {
            disk: after.disk,
            state_hash: String::new(),
            before: Some(before.health.clone()),
            health: after.health,
        };
        self.before.iter().zip(after).map(state).collect()
    }
}

fn limit(message: String) -> Failure {
    Failure::new(FailureKind::Limit, message)
}

// A limit that cannot be checked protects nothing.
fn unknown(drives: &[Drive], limits: &Limits) -> Option<Failure> {
    let lacks = |asked: bool, has: fn(&Drive) -> bool| if asked { drives.iter().find(|each| !has(each)) } else { None };
    let (asks_temperature, asks_spare) = (limits.temperature_celsius_max.is_some(), limits.spare_percent_min.is_some());
    if drives.is_empty() && (asks_temperature || asks_spare) {
        return Some(limit("the limit cannot be checked: no drive is known below the target".to_owned()));
    }
    let (what, drive) = lacks(asks_temperature, |each| each.health.temperature_celsius.is_some())
        .map(|drive| ("the temperature", drive))
        .or_else(|| {
            lacks(asks_spare, |each| each.health.spare_percent.is_some()).map(|drive| ("the spare share", drive))
        })?;
    let reason = if drive.health.missing.is_empty() { "the drive does not report it" } else { &drive.health.missing };
    Some(limit(format!("the limit cannot be checked: {what} of {} is unknown: {reason}", drive.disk)))
}

fn spare(drives: &[Drive], limits: &Limits) -> Option<Failure> {
    let least = limits.spare_percent_min?;
    let worn = drives.iter().find(|each| each.health.spare_percent.is_some_and(|spare| spare < least))?;
    let spare = worn.health.spare_percent?;
    Some(limit(format!("{} has {spare} % of its spare blocks left, and the limit is {least} %", worn.disk)))
}

fn hot(disks: &Disks, limits: &Limits) -> Option<Failure> {
    let most = limits.temperature_celsius_max?;
    let (celsius, disk) = disks.hottest()?;
    (celsius > most).then(|| limit(format!("{disk} is at {celsius} °C, and the limit is {most} °C")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::DriveHealth;

    fn drive(spare_percent: Option<u8>, temperature_celsius: Option<i16>) -> [Drive; 1] {
        [Drive {
            disk: "nvme0n1".to_owned(),
            health: DriveHealth { spare_percent, temperature_celsius, ..DriveHealth::default() },
        }]
    }

    #[test]
    fn a_limit_that_cannot_be_checked_is_a_failure() {
        let hot = Limits { temperature_celsius_max: Some(70), ..Limits::default() };
        let worn = Limits { spare_percent_min: Some(10), ..Limits::default() };
        assert!(unknown(&[], &hot).is_some());
        assert!(unknown(&drive(None, None), &hot).is_some());
        assert!(unknown(&drive(None, Some(40)), &hot).is_none());
        assert!(unknown(&drive(None, Some(40)), &worn).is_some());
        assert!(unknown(&drive(Some(100), None), &worn).is_none());
        assert!(unknown(&[], &Limits::default()).is_none());
    }

    #[test]
    fn a_drive_with_fewer_spare_blocks_than_the_limit_is_a_failure() {
        let limits = Limits { spare_percent_min: Some(10), ..Limits::default() };
        assert!(spare(&drive(Some(10), None), &limits).is_none());
        assert!(spare(&drive(Some(9), None), &limits).is_some());
    }
}
