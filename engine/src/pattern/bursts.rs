//! Bursts of operations with think time after each.

use serde::Deserialize;

use crate::job::Job;

/// A burst and the think time after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// Operations of a worker in one burst.
    pub operations: u64,
    /// Think time after the completion of the last operation.
    pub think_ns: u64,
}

/// One worker's position in its bursts.
#[derive(Clone, Debug)]
pub struct Bursts {
    burst: Burst,
    left: u64,
    next_ns: u64,
}

impl Bursts {
    /// The bursts of a worker; None for a steady stream.
    #[must_use]
    pub fn of(job: &Job) -> Option<Self> {
        job.burst.map(|burst| Self { burst, left: burst.operations, next_ns: 0 })
    }

    /// The earliest time of the next submission; `u64::MAX` until the burst has completed.
    #[inline]
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        if self.left > 0 { self.next_ns } else { u64::MAX }
    }

    /// Counts one submission of the burst.
    #[inline]
    pub fn take(&mut self) {
        self.left -= 1;
    }

    /// Reports that nothing is in flight. If the burst is complete, the think time starts.
    #[inline]
    pub fn all_completed(&mut self, now_ns: u64) {
        if self.left == 0 {
            self.left = self.burst.operations;
            self.next_ns = now_ns.saturating_add(self.burst.think_ns);
        }
    }
}
