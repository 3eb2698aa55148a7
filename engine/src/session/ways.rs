//! The ways to what is measured, and the only ones that a session takes.

use std::path::Path;

use crate::failure::Failure;
use crate::protocol::LedgerSpec;
use crate::target::{DeviceWanted, Made, Target, Wanted};
use crate::verify::Ledger;

/// The ways to what is measured, the only ones that a session has. Whatever they wait for, they wait on the session's own
/// thread for targets.
pub trait Ways: Send + Sync + 'static {
    /// Creates a file.
    fn make(&self, path: &Path, mark: Option<&str>) -> Result<Made, Failure>;
    /// Opens a file that was created just now.
    fn made(&self, path: &Path, made: Made, wanted: Wanted) -> Result<Target, Failure>;
    /// Opens a file that exists.
    fn file(&self, path: &Path, wanted: Wanted) -> Result<Target, Failure>;
    /// Opens a block device.
    fn device(&self, path: &Path, wanted: &DeviceWanted) -> Result<Target, Failure>;
    /// Opens the ledger of a target.
    fn ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure>;
}

/// Opens what the commands name.
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
