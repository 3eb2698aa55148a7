//! Servers with one shared queue, for which queueing theory has closed-form solutions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Deserialize;

use super::bounds::{multiple_of, refused, within};
use super::{CompletionModel, Health, IoCommand, ScheduledCompletion, StateHash};
use crate::failure::Failure;
use crate::random::Random;
use crate::ring::Operation;

/// The distribution of the service time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Constant.
    Constant,
    /// Exponential: M/M/1 and M/M/c.
    Exponential,
}

/// A queueing model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueingModel {
    /// Nominal capacity in bytes.
    pub size_bytes: u64,
    /// The number of servers.
    pub servers: u32,
    /// The distribution of the service time.
    pub service: Service,
    /// Mean service time in ns.
    pub service_ns: u64,
}

/// The maximum number of servers.
pub const SERVERS_MAX: u32 = 4096;
/// The longest service time: one hour.
pub const SERVICE_NS_MAX: u64 = 3_600_000_000_000;

impl QueueingModel {
    /// Rejects a model that cannot be simulated.
    pub fn check(&self) -> Result<(), Failure> {
        within("servers", self.servers, 1, SERVERS_MAX)?;
        within("service_ns", self.service_ns, 1, SERVICE_NS_MAX)?;
        if self.size_bytes == 0 {
            return Err(refused("size_bytes is 0; it must be a multiple of 4096".to_owned()));
        }
        multiple_of("size_bytes", self.size_bytes, 4096)
    }
}

/// A drive of this model. The first free server takes the next request, in order of arrival.
#[derive(Clone, Debug)]
pub struct Queueing {
    model: QueueingModel,
    // When each server is free again. The servers are interchangeable.
    free_ns: BinaryHeap<Reverse<u64>>,
    random: Random,
    health: Health,
}

impl Queueing {
    /// A drive with all servers idle.
    #[must_use]
    pub fn new(model: &QueueingModel, seed: u64) -> Self {
        Self {
            free_ns: (0..model.servers).map(|_| Reverse(0)).collect(),
            random: Random::new(seed),
            health: Health::default(),
            model: model.clone(),
        }
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // Below 2^53.
    fn service_ns(&mut self) -> u64 {
        match self.model.service {
            Service::Constant => self.model.service_ns,
            Service::Exponential => (self.random.exponential(self.model.service_ns as f64) + 0.5) as u64,
        }
    }
}

impl CompletionModel for Queueing {
    fn size_bytes(&self) -> u64 {
        self.model.size_bytes
    }

    #[inline]
    fn complete(&mut self, now_ns: u64, io: &IoCommand) -> ScheduledCompletion {
        let bytes = u64::from(io.length_bytes);
        match io.operation {
            Operation::Read => self.health.host_read_bytes += bytes,
            Operation::Write | Operation::WriteDsync => self.health.host_written_bytes += bytes,
            Operation::Trim | Operation::Flush => {}
        }
        let service_ns = self.service_ns();
        let mut server = self.free_ns.peek_mut().expect("there is at least one server");
        let done_ns = now_ns.max(server.0) + service_ns;
        server.0 = done_ns;
        ScheduledCompletion { done_ns, result: io.moved_bytes() }
    }

    fn health(&self) -> Health {
        self.health
    }

    fn add_to(&self, hash: &mut StateHash) {
        let mut free_ns: Vec<u64> = self.free_ns.iter().map(|free| free.0).collect();
        free_ns.sort_unstable();
        for free in free_ns {
            hash.add(free);
        }
        hash.add_random(&self.random);
    }

    fn format(&mut self, _now_ns: u64) {}
}
