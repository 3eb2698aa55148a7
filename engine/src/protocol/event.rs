//! What the engine answers.

use serde::Serialize;

use crate::cell::{Interval, JobResult, Verification};
use crate::failure::{Failure, FailureKind};
use crate::job::Engine;
use crate::record::errno_name;
use crate::ring::{passthrough_offered, uring_refused};
use crate::target::{Alignment, Identity, NamespaceFacts, Target};

/// One line to the front.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The first line.
    Hello(Hello),
    /// A file was created for a target, and is not open yet. From here on the front sees to its removal.
    Made {
        /// The command's number.
        id: u64,
        /// Which file it is.
        identity: Identity,
        /// Whether its mark could be set.
        marked: bool,
    },
    /// The target is open.
    Opened(Opened),
    /// The job has begun.
    Started {
        /// The command's number.
        id: u64,
        /// When.
        engine_ns: u64,
    },
    /// Part of the job is over.
    Interval {
        /// The command's number.
        id: u64,
        /// Its counts.
        interval: Interval,
    },
    /// The job is over.
    Finished {
        /// The command's number.
        id: u64,
        /// What it gave.
        result: Box<JobResult>,
    },
    /// All writes are durable.
    Synced {
        /// The command's number.
        id: u64,
        /// How long it took.
        duration_ns: u64,
    },
    /// Part of what is verified was read.
    Verifying {
        /// The command's number.
        id: u64,
        /// Which target, in the order in which they were opened.
        target: u32,
        /// How much of it.
        read_bytes: u64,
    },
    /// All targets with a ledger were read back.
    Verified {
        /// The command's number.
        id: u64,
        /// What was found on each, in the order in which they were opened.
        targets: Vec<Verification>,
    },
    /// The time has passed.
    Waited {
        /// The command's number.
        id: u64,
    },
    /// The loop's own cost.
    Calibrated {
        /// The command's number.
        id: u64,
        /// For each operation.
        overhead_ns_per_io: u64,
        /// For each look at the clock.
        clock_read_ns: u64,
    },
    /// The target was given up.
    Closed {
        /// The command's number.
        id: u64,
    },
    /// A command can't be done.
    Error {
        /// The command's number, if it could be read.
        id: Option<u64>,
        /// The class of failure.
        kind: FailureKind,
        /// What happened.
        message: String,
        /// The kernel's error number.
        errno: Option<i32>,
        /// Its symbol.
        errno_name: Option<&'static str>,
    },
}

/// What the engine says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// See [`super::PROTOCOL`].
    pub protocol: u32,
    /// The engine's version.
    pub version: &'static str,
    /// `release`, or `debug` whose figures are worth nothing.
    pub build_profile: &'static str,
    /// The ways to the kernel that can be had here.
    pub engines: Vec<Engine>,
    /// Why `io_uring` is not among them.
    pub io_uring_refused: Option<String>,
}

impl Hello {
    /// What this engine can do on this host.
    #[must_use]
    pub fn here() -> Self {
        let io_uring_refused = uring_refused();
        let can = |engine: &Engine| match engine {
            Engine::IoUring | Engine::Nop => io_uring_refused.is_none(),
            Engine::Passthrough => io_uring_refused.is_none() && passthrough_offered(),
            Engine::Psync | Engine::Null | Engine::Simulation => true,
        };
        Self {
            protocol: super::PROTOCOL,
            version: env!("CARGO_PKG_VERSION"),
            build_profile: if cfg!(debug_assertions) { "debug" } else { "release" },
            engines: Engine::ALL.into_iter().filter(can).collect(),
            io_uring_refused,
        }
    }
}

/// What an open target is like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opened {
    /// The command's number.
    pub id: u64,
    /// Whether the file was made.
    pub created: bool,
    /// Whether I/O goes past the page cache.
    pub direct: bool,
    /// Its size.
    pub size_bytes: u64,
    /// Which file it is.
    pub identity: Option<Identity>,
    /// What direct I/O asks of addresses.
    pub alignment: Alignment,
    /// Whether some of it was never written.
    pub holes: bool,
    /// What its namespace of NVMe is like, where commands can be sent to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<NamespaceFacts>,
}

impl Event {
    /// The answer to a successful open.
    #[must_use]
    pub fn opened(id: u64, target: &Target) -> Self {
        Self::Opened(Opened {
            id,
            created: target.created,
            direct: target.direct,
            size_bytes: target.size_bytes,
            identity: target.identity,
            alignment: target.alignment.clone(),
            holes: target.holes,
            namespace: target.namespace.as_ref().map(|namespace| namespace.facts),
        })
    }

    /// The answer to a command that can't be done.
    #[must_use]
    pub fn error(id: Option<u64>, failure: Failure) -> Self {
        Self::Error {
            id,
            kind: failure.kind,
            message: failure.message,
            errno: failure.errno,
            errno_name: failure.errno.map(errno_name),
        }
    }
}
