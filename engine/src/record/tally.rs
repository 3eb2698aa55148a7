//! The counts of one interval, by class of operation.

use serde::Serialize;

use super::Histogram;
use super::histogram::BUCKETS;

/// A class of operations with figures of its own. A commit is a write and the flush after it, taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Data from the target.
    Read,
    /// Data to the target.
    Write,
    /// Data that the target may forget.
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

/// Whether an interval counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Recorded, not counted.
    Warmup,
    /// What the figures come from.
    Measure,
}

/// The counts of one class. Minimum, maximum and sum are exact.
#[derive(Clone, Debug)]
pub struct ClassTally {
    /// Operations that completed.
    pub count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Their service latencies, added up.
    pub latency_ns_sum: u64,
    /// The shortest; `u64::MAX` while there is none.
    pub latency_ns_min: u64,
    /// The longest.
    pub latency_ns_max: u64,
    /// All of them, in buckets.
    pub latency: Histogram,
    /// From when an operation was wanted to its completion; nothing where none was wanted at a time.
    pub response: Spread,
    /// From when an operation was wanted to its submission: the queue was full, or the engine itself late.
    pub lag: Spread,
    /// From when an operation was wanted and a place in the queue was free to its submission: how late the engine was.
    pub host_lag: Spread,
}

/// A distribution of times. Minimum, maximum and sum are exact.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Added up.
    pub ns_sum: u64,
    /// The shortest; `u64::MAX` while there is none.
    pub ns_min: u64,
    /// The longest.
    pub ns_max: u64,
    /// All of them, in buckets.
    pub buckets: Histogram,
}

impl Spread {
    /// Nothing yet, in a histogram that has room for it or does not.
    #[must_use]
    pub fn new(buckets: Histogram) -> Self {
        Self { ns_sum: 0, ns_min: u64::MAX, ns_max: 0, buckets }
    }

    /// Counts one time. A sum that is full stays there: an open loop can be behind for hours, with millions a second.
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
    fn new(latency: Histogram, [response, lag, host_lag]: [Spread; 3]) -> Self {
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

    /// Counts one operation.
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

/// All that completed in one interval, or in several that had to be added together.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Whether it counts.
    pub phase: Phase,
    /// The first interval that it holds.
    pub interval_first: u64,
    /// The last one.
    pub interval_last: u64,
    /// When the first began, on the engine's clock.
    pub start_ns: u64,
    /// When the last ended.
    pub end_ns: u64,
    /// Operations in flight, integrated over time.
    pub in_flight_ns: u64,
    /// The part of them that had completed and that the worker had not taken yet, estimated from a sample of its rounds.
    pub backlog_ns: u64,
    classes: [ClassTally; Class::ALL.len()],
}

impl Tally {
    /// An empty tally with room for the classes that a job asks for, and no others. One that is `paced` has room for
    /// times from when operations were wanted.
    #[must_use]
    pub fn new(asked: &[Class], paced: bool) -> Self {
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
                let is_asked = asked.contains(&class);
                let spread = || Spread::new(room(is_asked && paced));
                ClassTally::new(room(is_asked), [spread(), spread(), spread()])
            }),
        }
    }

    /// The memory that such a tally takes.
    #[must_use]
    pub fn bytes(asked: &[Class], paced: bool) -> u64 {
        let histograms = asked.len() * if paced { 4 } else { 1 };
        (size_of::<Self>() + histograms * BUCKETS * size_of::<u64>()) as u64
    }

    /// Starts anew, as the given interval.
    pub fn begin(&mut self, phase: Phase, interval: u64, start_ns: u64) {
        self.phase = phase;
        self.interval_first = interval;
        self.interval_last = interval;
        self.start_ns = start_ns;
        self.end_ns = start_ns;
    }

    /// Settles what was estimated: a look that ended in this interval may have told of the one before as well, and no more
    /// can have been done and not taken than was in flight.
    pub fn close(&mut self) {
        self.backlog_ns = self.backlog_ns.min(self.in_flight_ns);
    }

    /// Counts one operation of a class that the job asks for.
    #[inline]
    pub fn record(&mut self, class: Class, latency_ns: u64, bytes: u64) {
        self.classes[class as usize].record(latency_ns, bytes);
    }

    /// Writes down when an operation of a paced job was done, and when it was submitted, from when it was wanted.
    #[inline]
    pub fn respond(&mut self, class: Class, response_ns: u64, lag_ns: u64, host_lag_ns: u64) {
        let counts = &mut self.classes[class as usize];
        counts.response.record(response_ns);
        counts.lag.record(lag_ns);
        counts.host_lag.record(host_lag_ns);
    }

    /// Adds what another tally counted, and widens the time that this one covers.
    pub fn add(&mut self, other: &Self) {
        assert_eq!(self.phase, other.phase, "warm-up and measuring are never added together");
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

    /// Forgets all counts.
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
