//! Parts that many requests share: the link, the channels, the controller.

use crate::sim::StateHash;

const SECOND_NS: u128 = 1_000_000_000;

/// How long bytes take on their way, as a fraction of 2^32: a multiplication a request.
#[derive(Clone, Copy, Debug)]
pub struct Pace(u64);

impl Pace {
    /// A number of bytes a second.
    #[allow(clippy::cast_possible_truncation)] // At least a kilobyte a second: below 2^52.
    pub fn new(bytes_per_s: u64) -> Self {
        Self(((SECOND_NS << 32) / u128::from(bytes_per_s)) as u64)
    }

    /// The time that bytes take.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // A request is below 4 GiB.
    pub fn ns(self, bytes: u64) -> u64 {
        ((u128::from(self.0) * u128::from(bytes)) >> 32) as u64
    }
}

/// A wire: one thing at a time.
///
/// What will be ready later (data behind a read of the media) reserves its share when it arrives and does not keep the
/// wire from others until then: the wire is never idle because of what is not there yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wire {
    free_ns: u64,
}

impl Wire {
    /// Moves something that is there at `at_ns`. When it is over.
    #[inline]
    pub fn carry(&mut self, at_ns: u64, length_ns: u64) -> u64 {
        self.free_ns = self.free_ns.max(at_ns) + length_ns;
        self.free_ns
    }

    /// Moves something that is asked for at `at_ns` and there at `ready_ns`. When it is over.
    #[inline]
    pub fn carry_later(&mut self, at_ns: u64, ready_ns: u64, length_ns: u64) -> u64 {
        self.carry(at_ns, length_ns).max(ready_ns + length_ns)
    }

    /// Adds it to a hash.
    pub fn add_to(self, hash: &mut StateHash) {
        hash.add(self.free_ns);
    }
}

/// The controller: so many commands at a time, each for the same time, so that taking turns is first come first served.
#[derive(Clone, Debug)]
pub struct Controller {
    cores: Vec<Wire>,
    next: usize,
}

impl Controller {
    /// A controller that is free.
    pub fn new(cores: u32) -> Self {
        Self { cores: vec![Wire::default(); cores as usize], next: 0 }
    }

    /// Handles a command. When that is done.
    #[inline]
    pub fn handle(&mut self, at_ns: u64, length_ns: u64) -> u64 {
        let done_ns = self.cores[self.next].carry(at_ns, length_ns);
        self.next = if self.next + 1 == self.cores.len() { 0 } else { self.next + 1 };
        done_ns
    }

    /// Adds it to a hash.
    pub fn add_to(&self, hash: &mut StateHash) {
        hash.add(self.next as u64);
        self.cores.iter().for_each(|core| core.add_to(hash));
    }
}
