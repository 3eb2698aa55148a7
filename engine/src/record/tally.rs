//! The counts of one interval, by class of operation.

use serde::Serialize;

use super::Histogram;
use super::histogram::BUCKETS;

/// A class of operations with separate statistics. A commit is a write with its flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A trim (discard).
    Trim,
    /// An fdatasync.
    Flush,
    /// From a write's submission to the completion of its flush.
    Commit,
}

impl Class {
    /// Every class, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Trim, Self::Flush, Self::Commit];
}

/// The phase of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Warm-up: recorded, but not part of the results.
    Warmup,
    /// Measurement.
    Measure,
}

/// The counts of one class. Minimum, maximum and sum are exact.
#[derive(Clone, Debug)]
pub struct ClassTally {
    /// Completed operations.
    pub count: u64,
    /// Bytes transferred.
    pub bytes: u64,
    /// Sum of the service latencies.
    pub latency_ns_sum: u64,
    /// The shortest; `u64::MAX` if there is none.
    pub latency_ns_min: u64,
    /// The longest.
    pub latency_ns_max: u64,
    /// Histogram of the latencies.
    pub latency: Histogram,
    /// Response latency: from intended start to completion; empty in a closed loop.
    pub response: TimeDistribution,
    /// Lag: from intended start to submission, because the queue was full or the engine was late.
    pub lag: TimeDistribution,
    /// Host lag: the part of the lag in which the queue had room, so that only the engine was late.
    pub host_lag: TimeDistribution,
}

/// A distribution of times. Minimum, maximum and sum are exact.
#[derive(Clone, Debug)]
pub struct TimeDistribution {
    /// Sum.
    pub ns_sum: u64,
    /// The shortest; `u64::MAX` if there is none.
    pub ns_min: u64,
    /// The longest.
    pub ns_max: u64,
    /// Histogram.
    pub buckets: Histogram,
}

impl TimeDistribution {
    /// An empty distribution with the given histogram.
    #[must_use]
    pub fn new(buckets: Histogram) -> Self {
        Self { ns_sum: 0, ns_min: u64::MAX, ns_max: 0, buckets }
    }

    /// Records one time. The sum saturates: an open loop can be late by hours at millions of operations per second.
    #[inline]
    pub fn record(&mut self, time_ns: u64) {
        self.ns_sum = self.ns_sum.saturating_add(time_ns);
        self.ns_min = self.ns_min.min(time_ns);
        self.ns_max = self.ns_max.max(time_ns);
        self.buckets.record(time_ns);
    }

    /// Adds another distribution.
    pub fn add(&mut self, other: &Self) {
        self.ns_sum = self.ns_sum.saturating_add(other.ns_sum);
        self.ns_min = self.ns_min.min(other.ns_min);
        self.ns_max = self.ns_max.max(other.ns_max);
        self.buckets.add(&other.buckets);
    }

    fn clear(&mut self) {
        let mut buckets = std::mem::replace(&mut self.buckets, Histogram::absent());
        buckets.clear();
        *self = Self::new(buckets);
    }
}

impl ClassTally {
    fn new(latency: Histogram, [response, lag, host_lag]: [TimeDistribution; 3]) -> Self {
        Self {
            count: 0,
            bytes: 0,
            latency_ns_sum: 0,
            latency_ns_min: u64::MAX,
            latency_ns_max: 0,
            latency,
            response,
            lag,
            host_lag,
        }
    }

    /// Records one operation.
    #[inline]
    pub fn record(&mut self, latency_ns: u64, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
        self.latency_ns_sum += latency_ns;
        self.latency_ns_min = self.latency_ns_min.min(latency_ns);
        self.latency_ns_max = self.latency_ns_max.max(latency_ns);
        self.latency.record(latency_ns);
    }

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.latency_ns_sum = self.latency_ns_sum.saturating_add(other.latency_ns_sum);
        self.latency_ns_min = self.latency_ns_min.min(other.latency_ns_min);
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
        self.latency.add(&other.latency);
        self.response.add(&other.response);
        self.lag.add(&other.lag);
        self.host_lag.add(&other.host_lag);
    }

    fn clear(&mut self) {
        let mut latency = std::mem::replace(&mut self.latency, Histogram::absent());
        latency.clear();
        self.response.clear();
        self.lag.clear();
        self.host_lag.clear();
        self.latency = latency;
        (self.count, self.bytes, self.latency_ns_sum) = (0, 0, 0);
        (self.latency_ns_min, self.latency_ns_max) = (u64::MAX, 0);
    }
}

/// All completions of one interval, or of several that were merged.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Warm-up or measurement.
    pub phase: Phase,
    /// The first interval that it covers.
    pub interval_first: u64,
    /// The last one.
    pub interval_last: u64,
    /// Start of the first interval, on the engine's clock.
    pub start_ns: u64,
    /// End of the last interval.
    pub end_ns: u64,
    /// Operations in flight, integrated over time.
    pub in_flight_ns: u64,
    /// The part of `in_flight_ns` in which operations had completed but were not reaped yet, estimated from a sample
    /// of the worker's rounds.
    pub backlog_ns: u64,
    classes: [ClassTally; Class::ALL.len()],
}

impl Tally {
    /// An empty tally with histograms for the given classes only. An open loop (`paced`) also has distributions of
    /// response latency and lag.
    #[must_use]
    pub fn new(wanted: &[Class], paced: bool) -> Self {
        let room = |wanted: bool| if wanted { Histogram::new() } else { Histogram::absent() };
        Self {
            phase: Phase::Warmup,
            interval_first: 0,
            interval_last: 0,
            start_ns: 0,
            end_ns: 0,
            in_flight_ns: 0,
            backlog_ns: 0,
            classes: Class::ALL.map(|class| {
                let is_asked = wanted.contains(&class);
                let distribution = || TimeDistribution::new(room(is_asked && paced));
                ClassTally::new(room(is_asked), [distribution(), distribution(), distribution()])
            }),
        }
    }

    /// The memory of a tally for these classes, in bytes.
    #[must_use]
    pub fn bytes(wanted: &[Class], paced: bool) -> u64 {
        let histograms = wanted.len() * if paced { 4 } else { 1 };
        (size_of::<Self>() + histograms * BUCKETS * size_of::<u64>()) as u64
    }

    /// Starts a new interval.
    pub fn begin(&mut self, phase: Phase, interval: u64, start_ns: u64) {
        self.phase = phase;
        self.interval_first = interval;
        self.interval_last = interval;
        self.start_ns = start_ns;
        self.end_ns = start_ns;
    }

    /// Limits the backlog to the operations in flight. The estimate can exceed them because the first poll of an
    /// interval also covers time of the previous interval.
    pub fn close(&mut self) {
        self.backlog_ns = self.backlog_ns.min(self.in_flight_ns);
    }

    /// Records one operation of a class that the job has.
    #[inline]
    pub fn record(&mut self, class: Class, latency_ns: u64, bytes: u64) {
        self.classes[class as usize].record(latency_ns, bytes);
    }

    /// Records the response latency and lag of an operation in an open loop.
    #[inline]
    pub fn record_open_loop(&mut self, class: Class, response_ns: u64, lag_ns: u64, host_lag_ns: u64) {
        let counts = &mut self.classes[class as usize];
        counts.response.record(response_ns);
        counts.lag.record(lag_ns);
        counts.host_lag.record(host_lag_ns);
    }

    /// Adds another tally, and extends the covered time span.
    pub fn add(&mut self, other: &Self) {
        assert_eq!(self.phase, other.phase, "warm-up and measurement are never merged");
        self.interval_first = self.interval_first.min(other.interval_first);
        self.interval_last = self.interval_last.max(other.interval_last);
        self.start_ns = self.start_ns.min(other.start_ns);
        self.end_ns = self.end_ns.max(other.end_ns);
        self.in_flight_ns = self.in_flight_ns.saturating_add(other.in_flight_ns);
        self.backlog_ns = self.backlog_ns.saturating_add(other.backlog_ns);
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            mine.add(theirs);
        }
    }

    /// Resets all counts.
    pub fn clear(&mut self) {
        (self.in_flight_ns, self.backlog_ns) = (0, 0);
        for class in &mut self.classes {
            if class.count > 0 {
                class.clear();
            }
        }
    }

    /// The counts of one class.
    #[must_use]
    pub fn class(&self, class: Class) -> &ClassTally {
        &self.classes[class as usize]
    }
}
