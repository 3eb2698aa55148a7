//! The result of a job, with the field names of the stored record.

use std::collections::BTreeMap;

use serde::Serialize;

use super::device_counts::DeviceCounts;
use super::frequency_monitor::CpuFrequency;
use crate::failure::Failure;
use crate::health::DriveHealth;
use crate::host::ClockPair;
use crate::job::Engine;
use crate::record::{BUCKETS_PER_OCTAVE, Class, ClassTally, Fault, Histogram, Phase, SlowIo, Tally, TimeDistribution};
use crate::worker::Censored;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Completed as requested.
    Finished,
    /// Stopped from outside.
    Cut,
    /// Ended early with a failure.
    Failed,
}

/// CPU time of one worker thread over the measurement time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadCpu {
    /// Which worker.
    pub worker: u32,
    /// The CPU that it was pinned to.
    pub cpu_pinned: Option<u32>,
    /// In user mode.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
    /// Voluntary context switches.
    pub switches_voluntary: u64,
    /// Involuntary context switches.
    pub switches_involuntary: u64,
    /// Migrations to another CPU since it started; None if the kernel does not report them.
    pub migrations: Option<u64>,
}

/// CPU time over the measurement time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuUse {
    /// By worker.
    pub threads: Vec<ThreadCpu>,
    /// Of the whole process, in user mode.
    pub process_user_ns: u64,
    /// Of the whole process, in the kernel.
    pub process_system_ns: u64,
    /// Of the io-wq workers; None for engines other than `io_uring`.
    pub kernel_workers_ns: Option<u64>,
    /// Of the SQPOLL threads; None for engines other than `io_uring`.
    pub sqpoll_threads_ns: Option<u64>,
    /// Stolen by the hypervisor.
    pub steal_ns: u64,
    /// The frequency of the workers' CPUs; None if the kernel does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<CpuFrequency>,
}

/// The engine's actual set-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineFacts {
    /// How I/O reached the kernel.
    pub engine: Engine,
    /// Worker threads.
    pub workers: u32,
    /// Ring set-up flags that the kernel accepted.
    pub ring_flags: Vec<&'static str>,
    /// How completions were detected.
    pub poll_mode: &'static str,
    /// Whether buffers were registered.
    pub fixed_buffers: bool,
    /// Whether the file was registered.
    pub fixed_file: bool,
    /// The largest submission batch.
    pub batch_max: u32,
    /// The clock used for all times.
    pub clock_source: &'static str,
    /// The largest number of io-wq workers at one time.
    pub kernel_workers: u32,
    /// SQPOLL threads that existed when their workers ended.
    pub sqpoll_threads: u32,
    /// How often a submission had to wake a sleeping SQPOLL thread, since the start of the warm-up.
    pub sqpoll_wakeups: u64,
    /// Features that were requested and not granted.
    pub fallbacks: Vec<String>,
    /// The size of the I/O buffers of all workers; None in virtual time, which moves no data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_bytes: Option<u64>,
}

/// The result of a job without its intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobResult {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// Length of the measurement time.
    pub measured_ns: u64,
    /// How often intervals had to be merged.
    pub intervals_merged: u64,
    /// Totals of each target, in the order in which they were opened.
    pub targets: Vec<TargetShare>,
    /// Operations in flight at the end.
    pub censored: Censored,
    /// The slowest operations.
    pub slowest: Vec<SlowIo>,
    /// Errors and short transfers.
    pub faults: Vec<Fault>,
    /// Reap interval: from one poll of the completion queue to the next, if the worker did not wait in between. None
    /// where the system call is the operation itself, and in virtual time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reap_granularity: Option<Times>,
    /// The longest timed poll of the completion queue; None if none was timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep_ns_max: Option<u64>,
    /// The kernel's statistics of the devices below the targets over the measurement time, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceCounts>,
    /// CPU time; None in virtual time.
    pub cpu: Option<CpuUse>,
    /// Start of the measurement.
    pub clock_start: ClockPair,
    /// End of the measurement.
    pub clock_end: ClockPair,
    /// The engine's actual set-up.
    pub engine: EngineFacts,
    /// The drives below the targets, or the simulated drives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DriveState>,
}

/// A drive before and after a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriveState {
    /// The kernel's name of the disk; empty for a simulated drive.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub disk: String,
    /// State hash of a simulated drive, in hexadecimal: drives with the same hash behave the same from then on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state_hash: String,
    /// Its health before the job; None for a simulated drive, whose state only changes in jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<DriveHealth>,
    /// Its health after the job.
    pub health: DriveHealth,
}

/// Totals of one target over the measurement time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetShare {
    /// Operations in flight, integrated over time.
    pub in_flight_ns: u64,
    /// See [`Interval::backlog_ns`].
    pub backlog_ns: u64,
    /// Counts by class; empty classes are omitted.
    pub operations: BTreeMap<Class, ShareTotals>,
}

/// Totals of one class on one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShareTotals {
    /// Operations.
    pub count: u64,
    /// Bytes transferred.
    pub bytes: u64,
    /// Sum of the latencies.
    pub latency_ns_sum: u64,
    /// The longest latency.
    pub latency_ns_max: u64,
}

impl TargetShare {
    /// Adds a tally of a worker on the target. Warm-up tallies are ignored.
    pub fn add(&mut self, tally: &Tally) {
        if tally.phase != Phase::Measure {
            return;
        }
        // A job with an amount can run so long that sums overflow: they saturate.
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

/// A tally in the form of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// Warm-up or measurement.
    pub phase: Phase,
    /// The first interval that it covers.
    pub interval_first: u64,
    /// The last one.
    pub interval_last: u64,
    /// When the first began.
    pub start_ns: u64,
    /// When the last ended.
    pub end_ns: u64,
    /// Operations in flight, integrated over time.
    pub in_flight_ns: u64,
    /// The part of `in_flight_ns` in which operations had completed but were not reaped yet: estimated from every 64th
    /// round.
    pub backlog_ns: u64,
    /// The largest number of io-wq workers at one time in this interval; None for engines other than `io_uring`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_workers: Option<u32>,
    /// Counts by class; empty classes are omitted.
    pub operations: BTreeMap<Class, Totals>,
}

/// Totals of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Operations.
    pub count: u64,
    /// Bytes transferred.
    pub bytes: u64,
    /// Sum of the latencies.
    pub latency_ns_sum: u64,
    /// The shortest latency.
    pub latency_ns_min: u64,
    /// The longest latency.
    pub latency_ns_max: u64,
    /// Histogram of the latencies.
    pub latency: Buckets,
    /// Response latency, from intended start to completion; None in a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Times>,
    /// Lag from intended start to submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<Times>,
    /// The engine's part of the lag: from intended start, or from the time at which the queue had room if that was
    /// later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_lag: Option<Times>,
}

/// A distribution of times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    /// Sum.
    pub ns_sum: u64,
    /// The shortest.
    pub ns_min: u64,
    /// The longest.
    pub ns_max: u64,
    /// Histogram.
    pub histogram: Buckets,
}

impl Times {
    /// None for an empty distribution.
    #[must_use]
    pub fn of(distribution: &TimeDistribution) -> Option<Self> {
        let histogram = Buckets::from(&distribution.buckets);
        let some = !histogram.bucket.is_empty();
        some.then_some(Self {
            ns_sum: distribution.ns_sum,
            ns_min: distribution.ns_min,
            ns_max: distribution.ns_max,
            histogram,
        })
    }
}

/// The non-empty buckets of a histogram.
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
