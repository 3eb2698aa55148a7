//! Opening what is no simulated drive. Whatever waits for the target says so, to whoever watches.

use std::path::Path;
use std::sync::Arc;

use super::Ways;
use crate::failure::{Failure, FailureKind};
use crate::protocol::{Access, TargetSpec};
use crate::target::{DeviceWanted, Identity, Target, Wanted};
use crate::watchdog::{Signs, waits_for};

/// A file was made for a target; the second says whether its mark could be set.
pub type Made = (Identity, bool);

/// Opens a target; `made` is told of a file as soon as it is there.
pub fn open(ways: &dyn Ways, spec: TargetSpec, made: &mut dyn FnMut(Made)) -> Result<Target, Failure> {
    match spec {
        TargetSpec::Simulation { .. } => unreachable!("the session keeps simulated drives"),
        TargetSpec::Null { size_bytes } => Ok(Target::null(size_bytes)),
        TargetSpec::File { path, access, create, direct, size_bytes, mark, cpus_near, ledger } => {
            let write = access == Access::Write;
            if create != size_bytes.is_some() || (create && !write) {
                let message = "a file that is made has a size and is open for writing; one that is not, has neither";
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
