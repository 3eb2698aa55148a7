//! Events to the front end.

use serde::Serialize;

use crate::cell::{Interval, JobResult, Verification};
use crate::failure::{Failure, FailureKind};
use crate::guard::{DeviceIdentity, Inspection};
use crate::health::Drive;
use crate::job::Engine;
use crate::purge::{Purge, ReadBack, Sampled, Survey};
use crate::record::errno_name;
use crate::ring::{passthrough_offered, uring_refused};
use crate::target::{Alignment, Identity, NamespaceFacts, Target};
use crate::write_cache::{CacheFacts, Restored};

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The first event.
    Hello(Hello),
    /// A file was created for a target and is not open yet. From now on, the front end has to remove it.
    Made {
        /// The command's ID.
        id: u64,
        /// The file's identity.
        identity: Identity,
        /// Whether the mark could be set.
        marked: bool,
    },
    /// The target is open.
    Opened(Opened),
    /// What an inspection of a block device found.
    Inspected {
        /// The command's ID.
        id: u64,
        /// What it found.
        inspection: Inspection,
    },
    /// The health of the drives below a path.
    Health {
        /// The command's ID.
        id: u64,
        /// The drives; none if no device is known below the path.
        drives: Vec<Drive>,
    },
    /// The limits are in force.
    Limited {
        /// The command's ID.
        id: u64,
    },
    /// The CPUs stay out of idle states.
    CstatesHeld {
        /// The command's ID.
        id: u64,
    },
    /// How a block device can be purged.
    Surveyed {
        /// The command's ID.
        id: u64,
        /// What it offers.
        survey: Survey,
    },
    /// Progress of a sample, a purge or of reading back.
    Purging {
        /// The command's ID.
        id: u64,
        /// The part that is done, in permille; None if the drive does not tell it.
        done_permille: Option<u64>,
    },
    /// The places were sampled.
    Sampled {
        /// The command's ID.
        id: u64,
        /// Those of each target, in the order in which they were opened.
        targets: Vec<Sampled>,
    },
    /// The purge has ended.
    Purged {
        /// The command's ID.
        id: u64,
        /// How it ended.
        purge: Box<Purge>,
    },
    /// The simulated drives were purged.
    SimulatedPurged {
        /// The command's ID.
        id: u64,
        /// Whether each was purged, in the order in which they were opened; empty without simulated drives.
        purged: Vec<bool>,
    },
    /// The places were read again.
    ReadBack {
        /// The command's ID.
        id: u64,
        /// Those of each target, in the order in which they were opened.
        targets: Vec<ReadBack>,
    },
    /// The write cache of a block device.
    CacheSurveyed {
        /// The command's ID.
        id: u64,
        /// What drive and kernel report.
        cache: CacheFacts,
    },
    /// The write caches of all targets are set.
    CachesSet {
        /// The command's ID.
        id: u64,
        /// What drives and kernel report now, in the order in which the targets were opened.
        caches: Vec<CacheFacts>,
    },
    /// The write cache of a device is as it was, or the device is not there.
    CacheRestored {
        /// The command's ID.
        id: u64,
        /// The device.
        restored: Restored,
    },
    /// The job has started.
    Started {
        /// The command's ID.
        id: u64,
        /// The start time.
        engine_ns: u64,
    },
    /// An interval of the job.
    Interval {
        /// The command's ID.
        id: u64,
        /// Its counts.
        interval: Interval,
    },
    /// The front end decides whether the job goes on. All intervals up to this moment were sent.
    Deciding {
        /// The command's ID.
        id: u64,
        /// The measurement time so far.
        measured_ns: u64,
    },
    /// The job has ended.
    Finished {
        /// The command's ID.
        id: u64,
        /// Its result.
        result: Box<JobResult>,
    },
    /// All writes are durable.
    Synced {
        /// The command's ID.
        id: u64,
        /// How long it took.
        duration_ns: u64,
    },
    /// Progress of a verify pass.
    Verifying {
        /// The command's ID.
        id: u64,
        /// The number of the target, in the order in which they were opened.
        target: u32,
        /// Bytes read so far.
        read_bytes: u64,
    },
    /// The verify pass has ended.
    Verified {
        /// The command's ID.
        id: u64,
        /// The result of each target, in the order in which they were opened.
        targets: Vec<Verification>,
    },
    /// The wait has ended.
    Waited {
        /// The command's ID.
        id: u64,
    },
    /// The loop's own overhead.
    Calibrated {
        /// The command's ID.
        id: u64,
        /// Per operation.
        overhead_ns_per_io: u64,
        /// Per clock read.
        clock_read_ns: u64,
    },
    /// All targets are closed.
    Closed {
        /// The command's ID.
        id: u64,
    },
    /// A command failed.
    Error {
        /// The command's ID, if it could be read.
        id: Option<u64>,
        /// The class of failure.
        kind: FailureKind,
        /// What happened.
        message: String,
        /// The kernel's errno.
        errno: Option<i32>,
        /// Its symbol.
        errno_name: Option<&'static str>,
    },
}

/// What the engine reports about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// See [`super::PROTOCOL`].
    pub protocol: u32,
    /// The engine's version.
    pub version: &'static str,
    /// `release`, or `debug`, which is unsuitable for measurements.
    pub build_profile: &'static str,
    /// The engines available on this host.
    pub engines: Vec<Engine>,
    /// Why `io_uring` is not available.
    pub io_uring_refused: Option<String>,
}

impl Hello {
    /// The capabilities of this engine on this host.
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

/// Properties of an open target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opened {
    /// The command's ID.
    pub id: u64,
    /// Whether the file was created.
    pub created: bool,
    /// Whether I/O bypasses the page cache.
    pub direct: bool,
    /// Its size.
    pub size_bytes: u64,
    /// The identity of the file or device.
    pub identity: Option<Identity>,
    /// The alignment that direct I/O requires.
    pub alignment: Alignment,
    /// Whether the file has holes.
    pub holes: bool,
    /// Facts about the NVMe namespace, if passthrough is possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<NamespaceFacts>,
    /// The identity of a device that was opened for writing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<DeviceIdentity>,
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
            granted: target.grant().map(|grant| grant.identity().clone()),
        })
    }

    /// The answer to a command that failed.
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
