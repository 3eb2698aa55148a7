//! A cloud volume: a constant base latency behind limits for I/Os and bytes, each with a burst bucket.
//!
//! A request is admitted, in order of arrival, once both limits and the limit of requests in flight allow it. It then
//! completes after the latency of the volume. What the volume does after that is not limited by its media.

mod limit;
mod model;

pub use limit::{Limit, LimitModel};
pub use model::VolumeModel;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{CompletionModel, Health, IoCommand, ScheduledCompletion, StateHash};
use crate::random::Random;
use crate::ring::Operation;

// Negated EINVAL: beyond the end of the volume.
const INVALID: i32 = -22;

/// A volume.
#[derive(Clone, Debug)]
pub struct Volume {
    model: VolumeModel,
    io_limit: Limit,
    byte_limit: Limit,
    // When each request in flight completes, at most as many as may be in flight.
    in_flight: BinaryHeap<Reverse<u64>>,
    admitted_ns: u64,
    random: Random,
    health: Health,
}

impl Volume {
    /// A volume whose buckets are as full as the model says.
    #[must_use]
    pub fn new(model: &VolumeModel, seed: u64) -> Self {
        Self {
            io_limit: Limit::new(&model.io_limit()),
            byte_limit: Limit::new(&model.byte_limit()),
            in_flight: BinaryHeap::new(),
            admitted_ns: 0,
            random: Random::new(seed),
            health: Health::default(),
            model: model.clone(),
        }
    }

    /// I/O credits and bytes in the buckets at a time, without the requests that wait for more.
    #[must_use]
    pub fn bucket_levels(&self, now_ns: u64) -> (u64, u64) {
        (self.io_limit.level(now_ns), self.byte_limit.level(now_ns))
    }

    // The time from which one more request may be in flight. Only completions before it are forgotten.
    fn slot_free_ns(&mut self, now_ns: u64) -> u64 {
        while self.in_flight.peek().is_some_and(|done| done.0 <= now_ns) {
            self.in_flight.pop();
        }
        if self.in_flight.len() < self.model.in_flight_max as usize {
            return now_ns;
        }
        self.in_flight.pop().map_or(now_ns, |done| done.0)
    }

    // Takes the credits of a request of this length; returns when it is admitted.
    fn admit(&mut self, now_ns: u64, length_bytes: u64) -> u64 {
        let from_ns = now_ns.max(self.admitted_ns);
        let from_ns = self.slot_free_ns(from_ns);
        let ios = length_bytes.div_ceil(self.model.io_bytes_max).max(1);
        let ready_ns = self.io_limit.ready_ns(from_ns, ios).max(self.byte_limit.ready_ns(from_ns, length_bytes));
        self.io_limit.take(ready_ns, ios);
        self.byte_limit.take(ready_ns, length_bytes);
        self.admitted_ns = ready_ns;
        ready_ns
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // Below 2^53.
    fn latency_ns(&mut self) -> u64 {
        let sigma = f64::from(self.model.latency_sigma_permille) / 1000.0;
        self.random.log_normal(self.model.latency_ns as f64, sigma) as u64
    }
}

impl CompletionModel for Volume {
    fn size_bytes(&self) -> u64 {
        self.model.size_bytes()
    }

    fn complete(&mut self, now_ns: u64, io: &IoCommand) -> ScheduledCompletion {
        let bytes = u64::from(io.length_bytes);
        if io.offset_bytes + bytes > self.size_bytes() {
            return ScheduledCompletion { done_ns: now_ns + self.latency_ns(), result: INVALID };
        }
        let admitted_ns = match io.operation {
            Operation::Read | Operation::Write | Operation::WriteDsync => self.admit(now_ns, bytes),
            // They move no data, and a flush finds every completed write durable.
            Operation::Trim | Operation::Flush => now_ns,
        };
        match io.operation {
            Operation::Read => self.health.host_read_bytes += bytes,
            Operation::Write | Operation::WriteDsync => self.health.host_written_bytes += bytes,
            Operation::Trim | Operation::Flush => {}
        }
        let done_ns = admitted_ns + self.latency_ns();
        if io.operation.moves_data() {
            self.in_flight.push(Reverse(done_ns));
        }
        ScheduledCompletion { done_ns, result: io.moved_bytes() }
    }

    fn health(&self) -> Health {
        self.health
    }

    fn add_to(&self, hash: &mut StateHash) {
        self.io_limit.add_to(hash);
        self.byte_limit.add_to(hash);
        let mut in_flight: Vec<u64> = self.in_flight.iter().map(|done| done.0).collect();
        in_flight.sort_unstable();
        for done_ns in in_flight {
            hash.add(done_ns);
        }
        hash.add(self.admitted_ns);
        hash.add_random(&self.random);
    }

    // A format erases data. It returns no credits.
    fn format(&mut self, _now_ns: u64) {}
}
