//! The way to a simulated drive: a ring whose other end is the loop that moves the time.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use crate::ring::{Completion, Request, Ring, RingTruth};

/// What lies between a ring and the drive: requests that go there, completions that came back.
#[derive(Debug, Default)]
pub struct Port {
    /// On their way to the drive.
    pub requests: Vec<Request>,
    /// On their way back.
    pub completions: VecDeque<Completion>,
}

/// A ring that leads to a port. It never waits: whoever steps the worker moves the time.
#[derive(Debug)]
pub struct SimRing(Rc<RefCell<Port>>);

impl SimRing {
    /// A ring with its port.
    #[must_use]
    pub fn new() -> (Self, Rc<RefCell<Port>>) {
        let port = Rc::new(RefCell::new(Port::default()));
        (Self(Rc::clone(&port)), port)
    }
}

impl Ring for SimRing {
    #[inline]
    fn push(&mut self, request: Request) {
        self.0.borrow_mut().requests.push(request);
    }

    #[inline]
    fn submit(&mut self, _wait_for: u32, _timeout_ns: u64) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn reap(&mut self, into: &mut Vec<Completion>, most: usize) {
        let mut port = self.0.borrow_mut();
        let taken = most.min(port.completions.len());
        into.extend(port.completions.drain(..taken));
    }

    fn truth(&self) -> RingTruth {
        RingTruth {
            ring_flags: Vec::new(),
            poll_mode: "none",
            fixed_buffers: false,
            fixed_file: false,
            fallbacks: Vec::new(),
        }
    }
}
