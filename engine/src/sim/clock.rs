//! Virtual time.

use std::cell::Cell;
use std::rc::Rc;

use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};

/// A clock that stands still until it is advanced. Copies show the same time.
#[derive(Clone, Debug, Default)]
pub struct VirtualClock(Rc<Cell<u64>>);

impl VirtualClock {
    /// The clock's name in the record.
    pub const SOURCE: &'static str = "virtual";

    /// The end of virtual time. Completion times of drives may be later without overflow.
    pub const END_NS: u64 = 1 << 62;

    /// Refuses a duration that would exceed the end.
    pub fn check(&self, duration_ns: u64) -> Result<(), Failure> {
        if self.0.get().saturating_add(duration_ns) < Self::END_NS {
            return Ok(());
        }
        let message = format!("virtual time ends at {} ns", Self::END_NS);
        Err(Failure::new(FailureKind::BadJob, message))
    }

    /// Advances the clock.
    pub fn move_to(&self, now_ns: u64) {
        debug_assert!(now_ns >= self.0.get());
        self.0.set(now_ns);
    }
}

impl Clock for VirtualClock {
    #[inline]
    fn now(&self) -> u64 {
        self.0.get()
    }
}
