//! Opens targets other than simulated drives. Announces each call that may block to the watchdog.

use std::path::Path;
use std::sync::Arc;

use super::TargetOpener;
use crate::failure::{Failure, FailureKind};
use crate::guard::Inspection;
use crate::protocol::{Access, TargetSpec};
use crate::purge::Survey;
use crate::target::{DeviceOptions, FileOptions, Identity, Target};
use crate::watchdog::{ProgressSource, waiting_for};

/// The identity of a created file, and whether its mark could be set.
pub type Created = (Identity, bool);

/// Opens a target. `created` is called as soon as a file has been created.
pub fn open(opener: &dyn TargetOpener, spec: TargetSpec, created: &mut dyn FnMut(Created)) -> Result<Target, Failure> {
    match spec {
        TargetSpec::Simulation { .. } => unreachable!("the session opens simulated drives itself"),
        TargetSpec::Null { size_bytes } => Ok(Target::null(size_bytes)),
        TargetSpec::File { path, access, create, direct, size_bytes, mark, cpus_near, ledger } => {
            let write = access == Access::Write;
            if create != size_bytes.is_some() || (create && !write) {
                let message =
                    "creating a file requires size_bytes and access write; an existing file must not have size_bytes";
                return Err(Failure::new(FailureKind::Protocol, message));
            }
            let options = FileOptions { write, create_bytes: size_bytes, direct };
            begin(&path);
            let mut target = if create {
                let new = opener.create(&path, mark.as_deref())?;
                created((new.identity, new.marked));
                opener.open_created(&path, new, options)?
            } else {
                opener.open_file(&path, options)?
            };
            target.cpus_near = cpus_near;
            target.ledger = ledger.map(|spec| opener.open_ledger(spec, &target)).transpose()?.map(Arc::new);
            Ok(target)
        }
        TargetSpec::Device { path, generic, direct, cpus_near, claim, ledger } => {
            begin(&path);
            let mut target = opener.open_device(&path, &DeviceOptions { direct, generic, claim })?;
            target.cpus_near = cpus_near;
            target.ledger = ledger.map(|spec| opener.open_ledger(spec, &target)).transpose()?.map(Arc::new);
            Ok(target)
        }
    }
}

/// Inspects a block device.
pub fn inspect(opener: &dyn TargetOpener, path: &Path) -> Result<Inspection, Failure> {
    begin(path);
    opener.inspect_device(path)
}

/// Asks a block device how it can be purged.
pub fn survey(opener: &dyn TargetOpener, path: &Path) -> Result<Survey, Failure> {
    begin(path);
    opener.survey_device(path)
}

fn begin(path: &Path) {
    waiting_for(format!("opening {}", path.display()), ProgressSource::None);
}
