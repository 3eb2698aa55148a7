//! Time that somebody moves.

use std::cell::Cell;
use std::rc::Rc;

use crate::clock::Clock;

/// A clock that stands still until it is moved; copies show the same time.
#[derive(Clone, Debug, Default)]
pub struct VirtualClock(Rc<Cell<u64>>);

impl VirtualClock {
    /// What the record calls this clock.
    pub const SOURCE: &'static str = "virtual";

    /// Moves it on. Time never runs backwards.
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
