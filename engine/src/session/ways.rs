//! Opens targets: the only access of a session to files and devices.

use std::path::Path;

use crate::failure::Failure;
use crate::protocol::LedgerSpec;
use crate::target::{DeviceWanted, Made, Target, Wanted};
use crate::verify::Ledger;

/// How a session opens targets. Calls may block; they run on the session's watched thread.
pub trait Ways: Send + Sync + 'static {
    /// Creates a file.
    fn make(&self, path: &Path, mark: Option<&str>) -> Result<Made, Failure>;
    /// Opens a file that was just created.
    fn made(&self, path: &Path, made: Made, wanted: Wanted) -> Result<Target, Failure>;
    /// Opens an existing file.
    fn file(&self, path: &Path, wanted: Wanted) -> Result<Target, Failure>;
    /// Opens a block device.
    fn device(&self, path: &Path, wanted: &DeviceWanted) -> Result<Target, Failure>;
    /// Opens the ledger of a target.
    fn ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure>;
}

/// Opens the paths that commands name.
#[derive(Clone, Copy, Debug)]
pub struct AsNamed;

impl Ways for AsNamed {
    fn make(&self, path: &Path, mark: Option<&str>) -> Result<Made, Failure> {
        Target::make(path, mark)
    }

    fn made(&self, path: &Path, made: Made, wanted: Wanted) -> Result<Target, Failure> {
        Target::open_made(path, made, wanted)
    }

    fn file(&self, path: &Path, wanted: Wanted) -> Result<Target, Failure> {
        Target::open(path, wanted)
    }

    fn device(&self, path: &Path, wanted: &DeviceWanted) -> Result<Target, Failure> {
        Target::open_device(path, wanted)
    }

    fn ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure> {
        spec.open(target)
    }
}
