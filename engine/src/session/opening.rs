//! Opens targets other than simulated drives. Before each call that may block, the watchdog is told which one it is.

use std::path::Path;
use std::sync::Arc;

use super::Ways;
use crate::failure::{Failure, FailureKind};
use crate::protocol::{Access, TargetSpec};
use crate::target::{DeviceWanted, Identity, Target, Wanted};
use crate::watchdog::{Signs, waits_for};

/// The identity of a created file, and whether its mark could be set.
pub type Made = (Identity, bool);

/// Opens a target. `made` is called as soon as a file has been created.
pub fn open(ways: &dyn Ways, spec: TargetSpec, made: &mut dyn FnMut(Made)) -> Result<Target, Failure> {
    match spec {
        TargetSpec::Simulation { .. } => unreachable!("the session opens simulated drives itself"),
        TargetSpec::Null { size_bytes } => Ok(Target::null(size_bytes)),
        TargetSpec::File { path, access, create, direct, size_bytes, mark, cpus_near, ledger } => {
            let write = access == Access::Write;
            if create != size_bytes.is_some() || (create && !write) {
                let message =
                    "a file to create requires size_bytes and access write; an existing one takes no size_bytes";
                return Err(Failure::new(FailureKind::Protocol, message));
            }
            let wanted = Wanted { write, create_bytes: size_bytes, direct };
            begin(&path);
            let mut target = if create {
                let new = ways.make(&path, mark.as_deref())?;
                made((new.identity, new.marked));
                ways.made(&path, new, wanted)?
            } else {
                ways.file(&path, wanted)?
            };
            target.cpus_near = cpus_near;
            target.ledger = ledger.map(|spec| ways.ledger(spec, &target)).transpose()?.map(Arc::new);
            Ok(target)
        }
        TargetSpec::Device { path, generic, direct, cpus_near } => {
            begin(&path);
            let mut target = ways.device(&path, &DeviceWanted { direct, generic })?;
            target.cpus_near = cpus_near;
            Ok(target)
        }
    }
}

fn begin(path: &Path) {
    waits_for(format!("opening {}", path.display()), Signs::None);
}
