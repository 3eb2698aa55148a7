//! What a job gives, in the words of the record.

use std::collections::BTreeMap;

use serde::Serialize;

use super::device_counts::DeviceCounts;
use crate::failure::Failure;
use crate::host::ClockPair;
use crate::job::Engine;
use crate::record::{BUCKETS_PER_OCTAVE, Class, ClassTally, Fault, Histogram, Phase, SlowIo, Spread, Tally};
use crate::sim::Health;
use crate::worker::Censored;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As asked.
    Finished,
    /// Stopped from outside.
    Cut,
    /// Without what was asked.
    Failed,
}

/// CPU time of one worker thread while it measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadCpu {
    /// Which worker.
    pub worker: u32,
    /// The CPU that it was tied to.
    pub cpu_pinned: Option<u32>,
    /// In user mode.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
    /// Times that it gave the CPU up.
    pub switches_voluntary: u64,
    /// Times that the CPU was taken from it.
    pub switches_involuntary: u64,
    /// Times that it went to another CPU since it was started; None where the kernel does not say.
    pub migrations: Option<u64>,
}

/// CPU time while measuring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuUse {
    /// By worker.
    pub threads: Vec<ThreadCpu>,
    /// Of the whole process, in user mode.
    pub process_user_ns: u64,
    /// Of the whole process, in the kernel.
    pub process_system_ns: u64,
    /// Of the kernel threads that `io_uring` handed operations to; None for other engines.
    pub kernel_workers_ns: Option<u64>,
    /// Of the kernel's submission threads (SQPOLL); None for other engines.
    pub sqpoll_threads_ns: Option<u64>,
    /// What a hypervisor gave to others.
    pub steal_ns: u64,
}

/// What the engine was granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineTruth {
    /// How I/O reached the kernel.
    pub engine: Engine,
    /// Threads that drove it.
    pub workers: u32,
    /// Set-up flags that the kernel took.
    pub ring_flags: Vec<&'static str>,
    /// How completions were found.
    pub poll_mode: &'static str,
    /// Whether buffers were registered.
    pub fixed_buffers: bool,
    /// Whether the file was registered.
    pub fixed_file: bool,
    /// Operations handed over in one go, at most.
    pub batch_max: u32,
    /// The clock behind every time.
    pub clock_source: &'static str,
    /// Kernel threads that `io_uring` handed operations to, at most at a time.
    pub kernel_workers: u32,
    /// The kernel's submission threads (SQPOLL) that workers had when they ended.
    pub sqpoll_threads: u32,
    /// How often one of these slept when operations were handed over, from the start of the warm-up on.
    pub sqpoll_wakeups: u64,
    /// What was asked for and not granted.
    pub fallbacks: Vec<String>,
    /// The size of the I/O buffers of all workers together; None in virtual time, which has no data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_bytes: Option<u64>,
}

/// All of a job but its intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobResult {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// Time that counts.
    pub measured_ns: u64,
    /// How often intervals had to be added together.
    pub intervals_merged: u64,
    /// What each target gave, in the order in which they were opened.
    pub targets: Vec<TargetShare>,
    /// What was in flight at the end.
    pub censored: Censored,
    /// The slowest operations.
    pub slowest: Vec<SlowIo>,
    /// What went wrong.
    pub faults: Vec<Fault>,
    /// From one look at what had come back to the next, where the worker did not wait in between; None where a call to
    /// the kernel is the operation itself, or in virtual time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reap_granularity: Option<Times>,
    /// The longest look at what had come back that was timed; None where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep_ns_max: Option<u64>,
    /// What the kernel counted meanwhile at the devices below the targets, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceCounts>,
    /// CPU time; None in virtual time.
    pub cpu: Option<CpuUse>,
    /// When measuring began.
    pub clock_start: ClockPair,
    /// When it ended.
    pub clock_end: ClockPair,
    /// What the engine was granted.
    pub engine: EngineTruth,
    /// What simulated drives are like afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DriveState>,
}

/// What a simulated drive is like after a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriveState {
    /// A number that two drives share only if they will do the same from now on, in hexadecimal digits.
    pub state_hash: String,
    /// Its counters.
    pub health: Health,
}

/// What one of several targets gave while it was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetShare {
    /// Operations in flight, integrated over time.
    pub in_flight_ns: u64,
    /// See [`Interval::backlog_ns`].
    pub backlog_ns: u64,
    /// Counts by class; a class without any is left out.
    pub operations: BTreeMap<Class, ShareTotals>,
}

/// The counts of one class on one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShareTotals {
    /// Operations.
    pub count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Their latencies, added up.
    pub latency_ns_sum: u64,
    /// The longest.
    pub latency_ns_max: u64,
}

impl TargetShare {
    /// Adds what a worker on the target has counted; what belongs to the warm-up does not count.
    pub fn add(&mut self, tally: &Tally) {
        if tally.phase != Phase::Measure {
            return;
        }
        // A job with an amount can take so long that sums are full: they stay there.
        self.in_flight_ns = self.in_flight_ns.saturating_add(tally.in_flight_ns);
        self.backlog_ns = self.backlog_ns.saturating_add(tally.backlog_ns);
        for class in Class::ALL {
            let counts = tally.class(class);
            if counts.count > 0 {
                let totals = self.operations.entry(class).or_default();
                totals.count += counts.count;
                totals.bytes += counts.bytes;
                totals.latency_ns_sum = totals.latency_ns_sum.saturating_add(counts.latency_ns_sum);
                totals.latency_ns_max = totals.latency_ns_max.max(counts.latency_ns_max);
            }
        }
    }

    /// Operations of one class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        self.operations.get(&class).map_or(0, |totals| totals.count)
    }
}

/// A tally, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// Whether it counts.
    pub phase: Phase,
    /// The first interval that it holds.
    pub interval_first: u64,
    /// The last one.
    pub interval_last: u64,
    /// When the first began.
    pub start_ns: u64,
    /// When the last ended.
    pub end_ns: u64,
    /// Operations in flight, integrated over time.
    pub in_flight_ns: u64,
    /// The part of them that had completed and that the engine had not taken yet: an estimate, from one round in 64.
    pub backlog_ns: u64,
    /// Kernel threads that `io_uring` had for its operations meanwhile, at most; None for other engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_workers: Option<u32>,
    /// Counts by class; a class without any is left out.
    pub operations: BTreeMap<Class, Totals>,
}

/// The counts of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Operations.
    pub count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Their latencies, added up.
    pub latency_ns_sum: u64,
    /// The shortest.
    pub latency_ns_min: u64,
    /// The longest.
    pub latency_ns_max: u64,
    /// All of them.
    pub latency: Buckets,
    /// From when operations were wanted to their completions; None where they were not wanted at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Times>,
    /// From when operations were wanted to their submissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<Times>,
    /// The part of the lag that is the engine's: from when operations were wanted and the queue had a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_lag: Option<Times>,
}

/// A distribution of times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    /// Added up.
    pub ns_sum: u64,
    /// The shortest.
    pub ns_min: u64,
    /// The longest.
    pub ns_max: u64,
    /// All of them.
    pub histogram: Buckets,
}

impl Times {
    /// None of nothing.
    #[must_use]
    pub fn of(spread: &Spread) -> Option<Self> {
        let histogram = Buckets::from(&spread.buckets);
        let some = !histogram.bucket.is_empty();
        some.then_some(Self { ns_sum: spread.ns_sum, ns_min: spread.ns_min, ns_max: spread.ns_max, histogram })
    }
}

/// A histogram's filled buckets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Buckets {
    kind: &'static str,
    layout: Layout,
    /// Their numbers, ascending.
    pub bucket: Vec<usize>,
    /// Their counts.
    pub count: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Layout {
    kind: &'static str,
    buckets_per_octave: u64,
}

impl From<&Tally> for Interval {
    fn from(tally: &Tally) -> Self {
        let filled =
            Class::ALL.into_iter().map(|class| (class, tally.class(class))).filter(|(_, counts)| counts.count > 0);
        Self {
            phase: tally.phase,
            interval_first: tally.interval_first,
            interval_last: tally.interval_last,
            start_ns: tally.start_ns,
            end_ns: tally.end_ns,
            in_flight_ns: tally.in_flight_ns,
            backlog_ns: tally.backlog_ns,
            kernel_workers: None,
            operations: filled.map(|(class, counts)| (class, Totals::from(counts))).collect(),
        }
    }
}

impl From<&ClassTally> for Totals {
    fn from(counts: &ClassTally) -> Self {
        Self {
            count: counts.count,
            bytes: counts.bytes,
            latency_ns_sum: counts.latency_ns_sum,
            latency_ns_min: counts.latency_ns_min,
            latency_ns_max: counts.latency_ns_max,
            latency: Buckets::from(&counts.latency),
            response: Times::of(&counts.response),
            lag: Times::of(&counts.lag),
            host_lag: Times::of(&counts.host_lag),
        }
    }
}

impl From<&Histogram> for Buckets {
    fn from(histogram: &Histogram) -> Self {
        let (bucket, count) = histogram.filled().unzip();
        Self {
            kind: "histogram",
            layout: Layout { kind: "log_linear", buckets_per_octave: BUCKETS_PER_OCTAVE },
            bucket,
            count,
        }
    }
}
