//! Purging devices in a session, and reading them back.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Session, open_target};
use crate::failure::{Failure, FailureKind};
use crate::protocol::Event;
use crate::purge::{Extent, Method, check, purge, read_back, sample};
use crate::target::Target;
use crate::watchdog::{ProgressSource, waiting_for};

/// Interval between two progress reports.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

impl Session<'_> {
    // Asks a block device how it can be purged.
    pub(super) fn survey(&mut self, id: u64, path: PathBuf) -> Result<Event, Failure> {
        let opener = Arc::clone(&self.opener);
        let work = move |_: &mut dyn FnMut(())| open_target::survey(opener.as_ref(), &path);
        let survey = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))??;
        Ok(Event::Surveyed { id, survey })
    }

    // Reads places of all targets, and writes sentinels.
    pub(super) fn sample(&mut self, id: u64, method: Option<Method>, extent: Extent) -> Result<Event, Failure> {
        self.samples.clear();
        let stop = Arc::clone(&self.stop_control.stop);
        let found = self.with_targets(id, move |targets, progress| {
            waiting_for("asking the drive", ProgressSource::None);
            check(method, targets)?;
            let mut limited = Limited::new(to_read(targets, extent));
            sample(targets, extent, &stop, &mut |done| limited.pass_on(done, progress))
        })?;
        let (samples, targets) = found.into_iter().unzip();
        self.samples = samples;
        Ok(Event::Sampled { id, targets })
    }

    // Purges the first target, and with it all others.
    pub(super) fn purge(&mut self, id: u64, method: Method) -> Result<Event, Failure> {
        if self.samples.is_empty() || self.samples.len() != self.targets.len() {
            let message = "the open targets were not sampled, so their purge could not be verified";
            return Err(Failure::new(FailureKind::NoTarget, message));
        }
        let stop = Arc::clone(&self.stop_control.stop);
        let ended = self.with_targets(id, move |targets, progress| purge(method, targets, &stop, progress))?;
        Ok(Event::Purged { id, purge: Box::new(ended) })
    }

    // Reads the places of all targets again.
    pub(super) fn read_back(&mut self, id: u64) -> Result<Event, Failure> {
        let stop = Arc::clone(&self.stop_control.stop);
        let samples = std::mem::take(&mut self.samples);
        let (samples, targets) = self.with_targets(id, move |targets, progress| {
            let mut limited = Limited::new(samples.iter().map(crate::purge::Samples::bytes).sum());
            let found = read_back(targets, &samples, &stop, &mut |done| limited.pass_on(done, progress));
            found.map(|found| (samples, found))
        })?;
        self.samples = samples;
        Ok(Event::ReadBack { id, targets })
    }

    // Runs work on all targets, and passes its progress on.
    fn with_targets<T: Send + 'static>(
        &mut self,
        id: u64,
        work: impl FnOnce(&[Target], &mut dyn FnMut(Option<u64>)) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        if !self.drives.is_empty() {
            return Err(Failure::new(FailureKind::BadJob, "simulated drives cannot be purged"));
        }
        let targets = std::mem::take(&mut self.targets);
        let whole = move |say: &mut dyn FnMut(Option<u64>)| {
            let result = work(&targets, say);
            (targets, result)
        };
        let (targets, result) = self.run_watched(self.deadlines[0], whole, &mut |session, done_permille| {
            session.send(&Event::Purging { id, done_permille });
            ControlFlow::Continue(())
        })?;
        self.targets = targets;
        result
    }
}

// The bytes that a sample reads, about: those of the places.
fn to_read(targets: &[Target], extent: Extent) -> u64 {
    let each = |target: &Target| extent.places.map_or(target.size_bytes, |places| u64::from(places) * 4096);
    targets.iter().map(each).sum()
}

// Progress reports at intervals.
struct Limited {
    total: u64,
    told: Instant,
}

impl Limited {
    fn new(total: u64) -> Self {
        Self { total: total.max(1), told: Instant::now() }
    }

    fn pass_on(&mut self, done: u64, progress: &mut dyn FnMut(Option<u64>)) {
        if self.told.elapsed() >= PROGRESS_EVERY {
            self.told = Instant::now();
            let permille = u128::from(done.min(self.total)) * 1000 / u128::from(self.total);
            progress(u64::try_from(permille).ok());
        }
    }
}
