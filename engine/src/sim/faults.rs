//! Scheduled faults of a drive, as the front end sends them. All times are virtual, from the opening of the drive on.

use serde::Deserialize;

use super::bounds::{refused, within};
use crate::failure::Failure;
use crate::ring::Operation;

/// A scheduled fault.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultPlan {
    /// Periodic latency spikes: requests that arrive within a spike take longer.
    LatencySpikes {
        /// Start of the first spike.
        #[serde(default)]
        from_ns: u64,
        /// Time from the start of one spike to the start of the next.
        period_ns: u64,
        /// Duration of a spike.
        length_ns: u64,
        /// Additional latency.
        extra_ns: u64,
    },
    /// Requests that overlap a range of the media fail with EIO, after their normal latency.
    MediaError {
        /// Start time.
        #[serde(default)]
        from_ns: u64,
        /// Start of the range.
        offset_bytes: u64,
        /// Length of the range.
        length_bytes: u64,
        /// The operations that fail.
        operations: Affected,
    },
    /// The drive is slower.
    Throttling {
        /// Start time.
        #[serde(default)]
        from_ns: u64,
        /// End time; None for never.
        #[serde(default)]
        until_ns: Option<u64>,
        /// Factor on all durations, in thousandths.
        stretch_permille: u32,
    },
    /// The drive does nothing. Requests in flight continue afterwards.
    Stall {
        /// Start time.
        #[serde(default)]
        from_ns: u64,
        /// End time; None for never.
        #[serde(default)]
        until_ns: Option<u64>,
    },
    /// The drive disappears: all requests fail with ENODEV.
    Disappearance {
        /// Start time.
        #[serde(default)]
        from_ns: u64,
        /// What happens to requests in flight.
        in_flight: InFlight,
    },
}

/// The operations that a media error affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Affected {
    /// Reads.
    Reads,
    /// Writes.
    Writes,
    /// Both.
    Both,
}

impl Affected {
    /// Whether an operation is affected.
    #[must_use]
    pub fn holds(self, operation: Operation) -> bool {
        match operation {
            Operation::Read => self != Self::Writes,
            Operation::Write | Operation::WriteDsync => self != Self::Reads,
            Operation::Trim | Operation::Flush => false,
        }
    }
}

/// What happens to requests in flight when their drive disappears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InFlight {
    /// They fail with ENODEV.
    Fail,
    /// They never complete.
    Lost,
}

/// The maximum number of faults of a drive.
pub const FAULTS_MAX: usize = 64;
/// The latest time and the longest duration: one year.
pub const TIME_NS_MAX: u64 = 365 * 86_400 * 1_000_000_000;
/// Smallest and largest factor of throttling, in thousandths.
pub const STRETCH_PERMILLE: (u64, u64) = (1_000, 1_000_000);

/// Rejects faults that are impossible for a drive of that size.
pub fn check_faults(faults: &[FaultPlan], size_bytes: u64) -> Result<(), Failure> {
    if faults.len() > FAULTS_MAX {
        return Err(refused(format!("faults has {} entries; the maximum is {FAULTS_MAX}", faults.len())));
    }
    for (number, fault) in faults.iter().enumerate() {
        fault.check(size_bytes).map_err(|failure| refused(format!("faults[{number}].{}", failure.message)))?;
    }
    Ok(())
}

fn until(from_ns: u64, until_ns: Option<u64>) -> Result<(), Failure> {
    until_ns.map_or(Ok(()), |until_ns| within("until_ns", until_ns, from_ns + 1, TIME_NS_MAX))
}

impl FaultPlan {
    /// Start time.
    #[must_use]
    pub fn from_ns(&self) -> u64 {
        match self {
            Self::LatencySpikes { from_ns, .. }
            | Self::MediaError { from_ns, .. }
            | Self::Throttling { from_ns, .. }
            | Self::Stall { from_ns, .. }
            | Self::Disappearance { from_ns, .. } => *from_ns,
        }
    }

    fn check(&self, size_bytes: u64) -> Result<(), Failure> {
        let from_ns = self.from_ns();
        within("from_ns", from_ns, 0, TIME_NS_MAX)?;
        match *self {
            Self::LatencySpikes { period_ns, length_ns, extra_ns, .. } => {
                within("period_ns", period_ns, 1, TIME_NS_MAX)?;
                within("length_ns", length_ns, 1, period_ns)?;
                within("extra_ns", extra_ns, 1, TIME_NS_MAX)
            }
            Self::MediaError { offset_bytes, length_bytes, .. } => {
                within("offset_bytes", offset_bytes, 0, size_bytes - 1)?;
                within("length_bytes", length_bytes, 1, size_bytes - offset_bytes)
            }
            Self::Throttling { until_ns, stretch_permille, .. } => {
                until(from_ns, until_ns)?;
                within("stretch_permille", stretch_permille, STRETCH_PERMILLE.0, STRETCH_PERMILLE.1)
            }
            Self::Stall { until_ns, .. } => until(from_ns, until_ns),
            Self::Disappearance { .. } => Ok(()),
        }
    }

    /// Adds the fault to a hash.
    pub(super) fn add_to(&self, hash: &mut super::StateHash) {
        let words = match *self {
            Self::LatencySpikes { from_ns, period_ns, length_ns, extra_ns } => {
                [1, from_ns, period_ns, length_ns, extra_ns]
            }
            Self::MediaError { from_ns, offset_bytes, length_bytes, operations } => {
                [2, from_ns, offset_bytes, length_bytes, operations as u64]
            }
            Self::Throttling { from_ns, until_ns, stretch_permille } => {
                [3, from_ns, until_ns.unwrap_or(u64::MAX), stretch_permille.into(), 0]
            }
            Self::Stall { from_ns, until_ns } => [4, from_ns, until_ns.unwrap_or(u64::MAX), 0, 0],
            Self::Disappearance { from_ns, in_flight } => [5, from_ns, in_flight as u64, 0, 0],
        };
        hash.add_all(words);
    }
}
