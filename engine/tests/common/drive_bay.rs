//! Simulated drives with their virtual time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iosonde_engine::cell::{Interval, JobResult, SimulatedContext, run_simulated_job};
use iosonde_engine::job::{Job, Limits};
use iosonde_engine::sim::{Drive, VirtualClock};
use iosonde_engine::target::Target;

/// Drives that keep their state from job to job.
pub struct DriveBay {
    pub drives: Vec<Drive>,
    pub clock: VirtualClock,
}

impl DriveBay {
    pub fn of(drive: Drive) -> Self {
        Self { drives: vec![drive], clock: VirtualClock::default() }
    }

    /// Runs a job after the previous ones. Returns its intervals and its result.
    pub fn run(&mut self, job: &Job) -> (Vec<Interval>, JobResult) {
        self.run_while(job, |_| true)
    }

    /// The same; at each decision the job ends unless `goes_on`.
    pub fn run_while(&mut self, job: &Job, mut goes_on: impl FnMut(u64) -> bool) -> (Vec<Interval>, JobResult) {
        let sizes = self.drives.iter().map(|drive| drive.simulated().size_bytes());
        let targets: Vec<Target> = sizes.map(Target::simulation).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let mut context = SimulatedContext {
            targets: &targets,
            drives: &mut self.drives,
            clock: &self.clock,
            stop: Arc::clone(&stop),
            limits: Limits::default(),
        };
        let mut intervals = Vec::new();
        let mut deciding = |measured_ns| stop.store(!goes_on(measured_ns), Ordering::Relaxed);
        let mut add = |interval| intervals.push(interval);
        let result = run_simulated_job(job, &mut context, &mut |_| {}, &mut add, &mut deciding);
        (intervals, result.expect("the job can be run"))
    }
}
