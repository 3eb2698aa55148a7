//! Commands from the front end.

use std::path::PathBuf;

use serde::Deserialize;

use crate::failure::{Failure, FailureKind};
use crate::guard::Claim;
use crate::job::{Job, LimitSpec};
use crate::purge::Method;
use crate::sim::{FaultPlan, Model};
use crate::target::Target;
use crate::verify::{Ledger, LedgerHead};
use crate::write_cache::{CacheState, Kept};

/// A command with its ID, which the answers contain.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct NumberedCommand {
    /// The ID.
    pub id: u64,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Open a target, in addition to those already open.
    Open(Box<TargetSpec>),
    /// Report the identity of a block device, and what speaks against writing to it.
    Inspect {
        /// Its path.
        path: PathBuf,
    },
    /// Report the health of the drives below a path.
    Health {
        /// A file, a directory or a block device.
        path: PathBuf,
    },
    /// Limit what the jobs of this session may do to the drives. Limits only become stricter.
    Limit(LimitSpec),
    /// Keep the CPUs out of idle states with a wake-up latency, until the session ends.
    HoldCstates,
    /// Report how a block device can be purged, and what that would destroy.
    Survey {
        /// Its path.
        path: PathBuf,
    },
    /// Read places of all open targets, which need a grant, and write sentinels to some of them.
    Sample {
        /// The method that will be used; None for that of another program.
        method: Option<Method>,
        /// The number of places; None reads all of each device.
        places: Option<u32>,
        /// The seed of the places.
        seed: u64,
    },
    /// Purge the first open target, and with it all others, which the method has to reach.
    Purge {
        /// The method.
        method: Method,
    },
    /// Put all simulated drives that have an erased state back to it, at the present virtual time.
    PurgeSimulated,
    /// Read the places again, and report what survived.
    ReadBack,
    /// Report the write cache of a block device, and whether it can be set.
    SurveyCache {
        /// Its path.
        path: PathBuf,
    },
    /// Set the write caches of all open targets, which need a grant, and read them back.
    SetCaches {
        /// One setting for each target, in the order in which they were opened; None leaves it as it is.
        states: Vec<Option<CacheState>>,
    },
    /// Restore the write cache of a device, which need not be open, by its identity.
    RestoreCache(Kept),
    /// Run a job on the first `job.targets` open targets.
    Run {
        /// The job.
        job: Box<Job>,
    },
    /// Make all writes durable.
    Sync,
    /// Read back and check every target that was opened with a ledger.
    Verify,
    /// Let time pass.
    Wait {
        /// Duration.
        duration_ns: u64,
    },
    /// Measure the loop's own overhead.
    Calibrate,
    /// Close all targets.
    Close,
    /// Let a job go on that has asked for a decision. Jobs on real targets do not wait for it.
    Continue,
    /// End the running job now.
    Stop,
}

/// The target to open, and how.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TargetSpec {
    /// A regular file.
    File {
        /// Its path.
        path: PathBuf,
        /// Read-only, or read and write.
        access: Access,
        /// Create it; it must not exist.
        create: bool,
        /// Use direct I/O, which bypasses the page cache.
        direct: bool,
        /// The size of a file to create.
        size_bytes: Option<u64>,
        /// The value of the extended attribute that marks a created file.
        #[serde(default)]
        mark: Option<String>,
        /// The CPUs near the device below; empty if unknown or if all are equally near.
        #[serde(default)]
        cpus_near: Vec<u32>,
        /// The ledger of a target that is to be verified.
        #[serde(default)]
        ledger: Option<LedgerSpec>,
    },
    /// A block device, read-only unless it has a claim.
    Device {
        /// Its path.
        path: PathBuf,
        /// The generic character device of the same NVMe namespace, for passthrough.
        #[serde(default)]
        generic: Option<PathBuf>,
        /// Use direct I/O, which bypasses the page cache.
        direct: bool,
        /// The CPUs near it; empty if unknown or if all are equally near.
        #[serde(default)]
        cpus_near: Vec<u32>,
        /// What the user named in order to write to it.
        #[serde(default)]
        claim: Option<Claim>,
        /// The ledger of a target that is to be verified.
        #[serde(default)]
        ledger: Option<LedgerSpec>,
    },
    /// A null target: operations complete immediately.
    Null {
        /// Its nominal size.
        size_bytes: u64,
    },
    /// A simulated drive in its factory state. Time is virtual while it is open.
    Simulation {
        /// Its model.
        model: Model,
        /// The seed of all its randomness.
        seed: u64,
        /// Its scheduled faults.
        #[serde(default)]
        faults: Vec<FaultPlan>,
    },
}

/// The access mode of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Read-only.
    Read,
    /// Read and write.
    Write,
}

/// A ledger: one to update while the target is written, or one that a run has left.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LedgerSpec {
    /// Updated from now on. An existing ledger is continued.
    Kept {
        /// Its file; None keeps it in memory.
        path: Option<PathBuf>,
        /// The number of the run and target.
        run: u64,
        /// The step size, which divides every block size.
        step_bytes: u64,
        /// The part of the target, from its start, that the ledger covers.
        size_bytes: u64,
    },
    /// Left in a file by a run; the target is only read.
    Left {
        /// Its file.
        path: PathBuf,
    },
}

impl LedgerSpec {
    /// Opens the ledger; its kind must match the target's access mode.
    pub fn open(self, target: &Target) -> Result<Ledger, Failure> {
        match self {
            Self::Left { path } if !target.writable => Ledger::read(&path),
            Self::Kept { path, run, step_bytes, size_bytes } if target.writable => {
                let head = LedgerHead { run, step_bytes, size_bytes: size_bytes.min(target.size_bytes) };
                path.map_or_else(|| Ledger::in_memory(head), |path| Ledger::in_file(&path, head))
            }
            _ => {
                let message =
                    "ledger form kept requires write access to the target, and form left requires read access";
                Err(Failure::new(FailureKind::Protocol, message))
            }
        }
    }
}
