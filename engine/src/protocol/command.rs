//! What the front may ask for.

use std::path::PathBuf;

use serde::Deserialize;

use crate::failure::{Failure, FailureKind};
use crate::job::Job;
use crate::sim::{FaultPlan, Model};
use crate::target::Target;
use crate::verify::{Ledger, LedgerHead};

/// A command and the number that its answers repeat.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Numbered {
    /// The number.
    pub id: u64,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Open a target, beside those that are open.
    Open(Box<TargetSpec>),
    /// Run a job on as many of them as it asks for.
    Run {
        /// The job.
        job: Box<Job>,
    },
    /// Make all writes durable.
    Sync,
    /// Read every target back that was opened with a ledger.
    Verify,
    /// Do nothing for a while.
    Wait {
        /// How long.
        duration_ns: u64,
    },
    /// Measure the loop's own cost.
    Calibrate,
    /// Give all targets up.
    Close,
    /// End the running job now.
    Stop,
}

/// Which target, and what is wanted of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TargetSpec {
    /// A regular file.
    File {
        /// Where.
        path: PathBuf,
        /// For reading only, or for writing too.
        access: Access,
        /// Make it; it must not exist.
        create: bool,
        /// Go past the page cache.
        direct: bool,
        /// The size of a file that is made.
        size_bytes: Option<u64>,
        /// What says on a file that is made who made it.
        #[serde(default)]
        mark: Option<String>,
        /// The CPUs near the device below; none where nobody knows, or all are alike.
        #[serde(default)]
        cpus_near: Vec<u32>,
        /// What is kept of the writes to it, where it is to be verified.
        #[serde(default)]
        ledger: Option<LedgerSpec>,
    },
    /// A block device, for reading only.
    Device {
        /// Where its node is.
        path: PathBuf,
        /// The generic device of the same namespace of NVMe, for passthrough.
        #[serde(default)]
        generic: Option<PathBuf>,
        /// Go past the page cache.
        direct: bool,
        /// The CPUs near it; none where nobody knows, or all are alike.
        #[serde(default)]
        cpus_near: Vec<u32>,
    },
    /// Nothing: operations complete at once.
    Null {
        /// How large it pretends to be.
        size_bytes: u64,
    },
    /// A simulated drive, new from the factory. From then on time is virtual.
    Simulation {
        /// What it is made of.
        model: Model,
        /// What all of its randomness comes from.
        seed: u64,
        /// What goes wrong with it, and when.
        #[serde(default)]
        faults: Vec<FaultPlan>,
    },
}

/// What a target is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Reading only.
    Read,
    /// Reading and writing.
    Write,
}

/// A ledger: one that is kept while the target is written, or one that a run has left.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LedgerSpec {
    /// Kept from here on, or kept on with.
    Kept {
        /// In which file; None for memory.
        path: Option<PathBuf>,
        /// Which run, and which of its targets.
        run: u64,
        /// What goes into every block.
        step_bytes: u64,
        /// The part of the target, from its start, that account is kept of.
        size_bytes: u64,
    },
    /// Left in a file; the target is only read.
    Left {
        /// Which file.
        path: PathBuf,
    },
}

impl LedgerSpec {
    /// The ledger, for a target that was opened for what it is about.
    pub fn open(self, target: &Target) -> Result<Ledger, Failure> {
        match self {
            Self::Left { path } if !target.writable => Ledger::read(&path),
            Self::Kept { path, run, step_bytes, size_bytes } if target.writable => {
                let head = LedgerHead { run, step_bytes, size_bytes: size_bytes.min(target.size_bytes) };
                path.map_or_else(|| Ledger::in_memory(head), |path| Ledger::in_file(&path, head))
            }
            _ => {
                let message =
                    "a ledger is kept for a target that is open for writing, and one that was left is only read";
                Err(Failure::new(FailureKind::Protocol, message))
            }
        }
    }
}
