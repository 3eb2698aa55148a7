//! Opening and inspecting targets in a session.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Session, open_target};
use crate::clock::Clock;
use crate::failure::{Failure, FailureKind};
use crate::health::{Disks, number_of_path};
use crate::host::memory_bytes_free;
use crate::job::TARGETS_MAX;
use crate::protocol::{Event, TargetSpec};
use crate::sim::{Drive, FaultPlan, Model, check_faults};
use crate::target::{Target, TargetKind};
use crate::watchdog::{ProgressSource, waiting_for};

impl Session<'_> {
    // Opens a target, with its drive if it is simulated.
    pub(super) fn open(&mut self, id: u64, spec: TargetSpec) -> Result<Event, Failure> {
        if self.targets.len() >= TARGETS_MAX as usize {
            let message = format!("the maximum of {TARGETS_MAX} targets is already open");
            return Err(Failure::new(FailureKind::Protocol, message));
        }
        let is_simulated = matches!(spec, TargetSpec::Simulation { .. });
        if self.targets.iter().any(|target| (target.kind == TargetKind::Simulation) != is_simulated) {
            let message = "simulated drives run in virtual time and cannot be open together with other targets";
            return Err(Failure::new(FailureKind::Protocol, message));
        }
        let target = if let TargetSpec::Simulation { model, seed, faults } = spec {
            self.open_simulated(&model, seed, &faults)?
        } else {
            let opener = Arc::clone(&self.opener);
            let work = move |made: &mut dyn FnMut(open_target::Created)| open_target::open(opener.as_ref(), spec, made);
            self.run_watched(self.deadlines[0], work, &mut |session, (identity, marked)| {
                session.send(&Event::Made { id, identity, marked });
                ControlFlow::Continue(())
            })??
        };
        let event = Event::opened(id, &target);
        self.targets.push(target);
        Ok(event)
    }

    // Inspects a block device.
    pub(super) fn inspect(&mut self, id: u64, path: PathBuf) -> Result<Event, Failure> {
        let opener = Arc::clone(&self.opener);
        let work = move |_: &mut dyn FnMut(())| open_target::inspect(opener.as_ref(), &path);
        let inspection = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))??;
        Ok(Event::Inspected { id, inspection })
    }

    // Reads the health of the drives below a path.
    pub(super) fn health(&mut self, id: u64, path: PathBuf) -> Result<Event, Failure> {
        let work = move |_: &mut dyn FnMut(())| {
            waiting_for(format!("reading the health of the drives below {}", path.display()), ProgressSource::None);
            let number = number_of_path(&path)
                .map_err(|error| Failure::from_io(FailureKind::TargetOpen, &path.display().to_string(), &error))?;
            Ok(Disks::below(&[number]).health())
        };
        let drives = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))?;
        Ok(Event::Health { id, drives: drives? })
    }

    fn open_simulated(&mut self, model: &Model, seed: u64, faults: &[FaultPlan]) -> Result<Target, Failure> {
        model.check()?;
        let (needed, free) = (model.memory_bytes(), memory_bytes_free());
        if needed > free {
            let message = format!(
                "this drive needs {needed} bytes of memory, but {free} are free; increase capacity_scale to use less memory"
            );
            return Err(Failure::new(FailureKind::BadModel, message));
        }
        let drive = Drive::new(model, seed);
        let size_bytes = drive.simulated().size_bytes();
        check_faults(faults, size_bytes)?;
        self.virtual_clock.check(0)?;
        self.drives.push(drive.with_faults(faults, self.virtual_clock.now()));
        Ok(Target::simulation(size_bytes))
    }
}
