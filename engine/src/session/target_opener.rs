//! Opens targets: the only access of a session to files and devices.

use std::path::Path;

use crate::failure::Failure;
use crate::guard::Inspection;
use crate::protocol::LedgerSpec;
use crate::purge::{Survey, survey_path};
use crate::target::{self, CreatedFile, DeviceOptions, FileOptions, Target, inspect_path};
use crate::verify::Ledger;
use crate::write_cache::{CacheFacts, Kept, Restored, restore, survey_cache};

/// How a session opens targets. Calls may block; they run on the session's watched thread.
pub trait TargetOpener: Send + Sync + 'static {
    /// Creates a file.
    fn create(&self, path: &Path, mark: Option<&str>) -> Result<CreatedFile, Failure>;
    /// Opens a file that was just created.
    fn open_created(&self, path: &Path, created: CreatedFile, options: FileOptions) -> Result<Target, Failure>;
    /// Opens an existing file.
    fn open_file(&self, path: &Path, options: FileOptions) -> Result<Target, Failure>;
    /// Opens a block device.
    fn open_device(&self, path: &Path, options: &DeviceOptions) -> Result<Target, Failure>;
    /// Inspects a block device.
    fn inspect_device(&self, path: &Path) -> Result<Inspection, Failure>;
    /// Asks a block device how it can be purged.
    fn survey_device(&self, path: &Path) -> Result<Survey, Failure>;
    /// Asks a block device about its write cache.
    fn survey_cache(&self, path: &Path) -> Result<CacheFacts, Failure>;
    /// Restores the write cache of a device that is found by its identity.
    fn restore_cache(&self, kept: &Kept) -> Result<Restored, Failure>;
    /// Opens the ledger of a target.
    fn open_ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure>;
}

/// Opens the paths in commands.
#[derive(Clone, Copy, Debug)]
pub struct OpenByPath;

impl TargetOpener for OpenByPath {
    fn create(&self, path: &Path, mark: Option<&str>) -> Result<CreatedFile, Failure> {
        target::create(path, mark)
    }

    fn open_created(&self, path: &Path, created: CreatedFile, options: FileOptions) -> Result<Target, Failure> {
        Target::open_created(path, created, options)
    }

    fn open_file(&self, path: &Path, options: FileOptions) -> Result<Target, Failure> {
        Target::open(path, options)
    }

    fn open_device(&self, path: &Path, options: &DeviceOptions) -> Result<Target, Failure> {
        Target::open_device(path, options)
    }

    fn inspect_device(&self, path: &Path) -> Result<Inspection, Failure> {
        inspect_path(path)
    }

    fn survey_device(&self, path: &Path) -> Result<Survey, Failure> {
        survey_path(path)
    }

    fn survey_cache(&self, path: &Path) -> Result<CacheFacts, Failure> {
        survey_cache(path)
    }

    fn restore_cache(&self, kept: &Kept) -> Result<Restored, Failure> {
        restore(kept)
    }

    fn open_ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure> {
        spec.open(target)
    }
}
