//! Operations that come in bursts, with a rest behind each.

use serde::Deserialize;

use crate::job::Job;

/// A burst and the rest behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// Operations of a worker that follow each other.
    pub operations: u64,
    /// How long it rests then, from the completion of the last one.
    pub think_ns: u64,
}

/// How far one worker has come with its bursts.
#[derive(Clone, Debug)]
pub struct Bursts {
    burst: Burst,
    left: u64,
    next_ns: u64,
}

impl Bursts {
    /// The bursts of a worker; None where the job does not rest.
    #[must_use]
    pub fn of(job: &Job) -> Option<Self> {
        job.burst.map(|burst| Self { burst, left: burst.operations, next_ns: 0 })
    }

    /// From when on the next operation may be submitted; `u64::MAX` until the burst has come back.
    #[inline]
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        if self.left > 0 { self.next_ns } else { u64::MAX }
    }

    /// Takes one operation of the burst.
    #[inline]
    pub fn take(&mut self) {
        self.left -= 1;
    }

    /// Says that nothing is in flight any more. Behind a whole burst the rest begins.
    #[inline]
    pub fn is_back(&mut self, now_ns: u64) {
        if self.left == 0 {
            self.left = self.burst.operations;
            self.next_ns = now_ns.saturating_add(self.burst.think_ns);
        }
    }
}
