//! The write caches of devices in a session.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use crate::failure::{Failure, FailureKind};
use crate::protocol::Event;
use crate::watchdog::{ProgressSource, waiting_for};
use crate::write_cache::{CacheState, Kept, set_caches};

impl Session<'_> {
    // Asks a block device about its write cache.
    pub(super) fn survey_cache(&mut self, id: u64, path: PathBuf) -> Result<Event, Failure> {
        let opener = Arc::clone(&self.opener);
        let work = move |_: &mut dyn FnMut(())| {
            waiting_for(format!("asking {} about its write cache", path.display()), ProgressSource::None);
            opener.survey_cache(&path)
        };
        let cache = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))??;
        Ok(Event::CacheSurveyed { id, cache })
    }

    // Sets the write caches of all targets.
    pub(super) fn set_caches(&mut self, id: u64, states: Vec<Option<CacheState>>) -> Result<Event, Failure> {
        if !self.drives.is_empty() {
            return Err(Failure::new(FailureKind::BadJob, "the cache of a simulated drive is set by its model"));
        }
        let targets = std::mem::take(&mut self.targets);
        let work = move |_: &mut dyn FnMut(())| {
            let result = set_caches(&targets, &states);
            (targets, result)
        };
        let (targets, result) = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))?;
        self.targets = targets;
        Ok(Event::CachesSet { id, caches: result? })
    }

    // Restores the write cache of a device that need not be open.
    pub(super) fn restore_cache(&mut self, id: u64, kept: Kept) -> Result<Event, Failure> {
        let opener = Arc::clone(&self.opener);
        let work = move |_: &mut dyn FnMut(())| {
            waiting_for(format!("restoring the write cache of {}", kept.name), ProgressSource::None);
            opener.restore_cache(&kept)
        };
        let restored = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))??;
        Ok(Event::CacheRestored { id, restored })
    }
}
