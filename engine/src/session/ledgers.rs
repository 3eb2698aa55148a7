//! Reads back what the ledgers of the targets cover.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::Session;
use crate::cell::verify;
use crate::failure::Failure;
use crate::protocol::Event;

impl Session<'_> {
    /// Verifies each target, in the order in which they were opened.
    pub(super) fn verify(&mut self, id: u64) -> Result<Event, Failure> {
        let targets = std::mem::take(&mut self.targets);
        let stop = Arc::clone(&self.stop_control.stop);
        let work = move |progress: &mut dyn FnMut((u32, u64))| {
            let found: Result<Vec<_>, Failure> = (0_u32..)
                .zip(&targets)
                .map(|(number, target)| verify(target, &stop, &mut |read_bytes| progress((number, read_bytes))))
                .collect();
            (targets, found)
        };
        let (targets, found) = self.run_watched(self.deadlines[0], work, &mut |session, (target, read_bytes)| {
            session.send(&Event::Verifying { id, target, read_bytes });
            ControlFlow::Continue(())
        })?;
        self.targets = targets;
        Ok(Event::Verified { id, targets: found? })
    }
}
