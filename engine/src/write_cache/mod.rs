//! The volatile write cache of a drive. In: an open handle of a block device. Out: whether the cache is on, and whether
//! the kernel flushes it. It is changed only through a [`WriteGrant`], except to restore the setting of a device that is
//! found by its identity.

mod change;
mod control;
mod restore;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use restore::{Kept, Restored, restore};

use crate::failure::{Failure, FailureKind};
use crate::guard::{Node, WriteGrant};
use crate::target::{Target, open_to_read};
use change::Device;
use control::Control;

/// The setting of a volatile write cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// Writes may complete before they are durable.
    On,
    /// Writes are durable when they complete.
    Off,
}

/// The write cache of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheFacts {
    /// What the drive reports; None if its cache cannot be set.
    pub drive: Option<CacheState>,
    /// What the kernel takes it for (`queue/write_cache`): `write back` if it flushes the cache. None if unknown.
    pub kernel: Option<String>,
    /// Why it cannot be set.
    pub refused: Option<String>,
}

/// Asks the block device at a path about its write cache. Changes nothing.
pub fn survey_cache(path: &Path) -> Result<CacheFacts, Failure> {
    let (file, _) = open_to_read(path)?;
    let node = Node::of(&file).map_err(|error| unread(path, &error))?;
    let found = Control::of(&node, &file).and_then(|control| control.permitted(&file).map(|state| (control, state)));
    let kernel = control::kernel_view(&node);
    Ok(match found {
        Ok((_, state)) => CacheFacts { drive: Some(state), kernel, refused: None },
        Err(refused) => CacheFacts { drive: None, kernel, refused: Some(refused) },
    })
}

/// Sets the write caches of all targets, in their order, and reads them back. None leaves one as it is.
pub fn set_caches(targets: &[Target], states: &[Option<CacheState>]) -> Result<Vec<CacheFacts>, Failure> {
    if targets.is_empty() || targets.len() != states.len() {
        let message = format!("{} targets are open, and there are {} settings", targets.len(), states.len());
        return Err(Failure::new(FailureKind::NoTarget, message));
    }
    let mut devices = Vec::new();
    for target in targets {
        devices.push(device(target)?);
    }
    let mut found = Vec::new();
    for (device, state) in devices.iter().zip(states) {
        found.push(match state {
            Some(state) => device.set(*state)?,
            None => device.facts()?,
        });
    }
    Ok(found)
}

/// Checks that the write caches of all targets have a setting; None for any. A drive forgets it when it is reset.
pub fn expect_caches(targets: &[Target], state: Option<CacheState>) -> Result<(), Failure> {
    let Some(state) = state else { return Ok(()) };
    for target in targets {
        let facts = device(target)?.facts()?;
        if facts.drive != Some(state) {
            let message = format!("the write cache of {} is no longer as it was set", target.path().display());
            return Err(Failure::new(FailureKind::CacheRefused, message));
        }
    }
    Ok(())
}

// The device of a target, which needs a grant: the setting affects every user of the drive.
fn device(target: &Target) -> Result<Device<'_>, Failure> {
    let name = target.path().display().to_string();
    let granted = target.grant().map(WriteGrant::file).ok_or_else(|| {
        let message = format!("{name} was opened without a claim, and its write cache cannot be set");
        Failure::new(FailureKind::DeviceWrite, message)
    })?;
    let node = Node::of(granted).map_err(|error| unread(target.path(), &error))?;
    let control = Control::of(&node, granted).map_err(|refused| refusal(&name, &refused))?;
    Ok(Device { name, file: granted.as_ref(), node, control })
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    refusal(&path.display().to_string(), &error.to_string())
}

fn refusal(name: &str, refused: &str) -> Failure {
    Failure::new(FailureKind::CacheRefused, format!("the write cache of {name} cannot be set: {refused}"))
}
