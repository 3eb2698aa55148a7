//! Shared components: the link, the channels and the controller.

use crate::sim::StateHash;

const SECOND_NS: u128 = 1_000_000_000;

/// Transfer time per byte, as a 32.32 fixed-point number, so that a request needs only a multiplication.
#[derive(Clone, Copy, Debug)]
pub struct TransferRate(u64);

impl TransferRate {
    /// The transfer time for a throughput in bytes per second.
    #[allow(clippy::cast_possible_truncation)] // At least a kilobyte per second: below 2^52.
    pub fn new(bytes_per_s: u64) -> Self {
        Self(((SECOND_NS << 32) / u128::from(bytes_per_s)) as u64)
    }

    /// The transfer time of a number of bytes.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // A request is below 4 GiB.
    pub fn ns(self, bytes: u64) -> u64 {
        ((u128::from(self.0) * u128::from(bytes)) >> 32) as u64
    }
}

/// A bus that carries one transfer at a time.
///
/// A transfer of data that becomes ready later (after a media read) reserves bus time when the request arrives, and
/// does not block the bus until the data is ready. The bus is never idle because it waits for data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bus {
    free_ns: u64,
}

impl Bus {
    /// Transfers data that is ready at `at_ns`. Returns the end of the transfer.
    #[inline]
    pub fn transfer(&mut self, at_ns: u64, length_ns: u64) -> u64 {
        self.free_ns = self.free_ns.max(at_ns) + length_ns;
        self.free_ns
    }

    /// Transfers data requested at `at_ns` and ready at `ready_ns`. Returns the end of the transfer.
    #[inline]
    pub fn transfer_later(&mut self, at_ns: u64, ready_ns: u64, length_ns: u64) -> u64 {
        self.transfer(at_ns, length_ns).max(ready_ns + length_ns)
    }

    /// Adds the state to a hash.
    pub fn add_to(self, hash: &mut StateHash) {
        hash.add(self.free_ns);
    }
}

/// The controller: parallel cores with a constant time per command, so that round-robin order is first come, first
/// served.
#[derive(Clone, Debug)]
pub struct Controller {
    cores: Vec<Bus>,
    next: usize,
}

impl Controller {
    /// An idle controller.
    pub fn new(cores: u32) -> Self {
        Self { cores: vec![Bus::default(); cores as usize], next: 0 }
    }

    /// Processes a command. Returns its completion time.
    #[inline]
    pub fn handle(&mut self, at_ns: u64, length_ns: u64) -> u64 {
        let done_ns = self.cores[self.next].transfer(at_ns, length_ns);
        self.next = if self.next + 1 == self.cores.len() { 0 } else { self.next + 1 };
        done_ns
    }

    /// Adds the state to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        hash.add(self.next as u64);
        self.cores.iter().for_each(|core| core.add_to(hash));
    }
}
