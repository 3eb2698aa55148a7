//! Runs one job at a time, with a thread for each worker. In: a checked job and open targets. Out: intervals while it
//! runs, then one result.

mod calibration;
mod collector;
mod context;
mod cpu_monitor;
mod decisions;
mod device_counts;
mod drive_watch;
mod frequency_monitor;
mod granted;
mod kernel_threads;
mod memory_needed;
mod monitor;
mod placement;
mod processor_monitor;
mod result;
mod run_job;
mod simulated;
mod thread;
mod total;
mod verify_pass;
mod worker_pool;
mod worker_watchdog;

pub use calibration::{CALIBRATION_SPAN_BYTES, calibration};
pub use collector::Collector;
pub use context::JobContext;
pub use device_counts::{DeviceCounts, RequestCounts};
pub use frequency_monitor::{CpuFrequency, FrequencySource};
pub use result::{
    CpuUse, DriveState, EngineFacts, Interval, JobResult, Outcome, ShareTotals, TargetShare, ThreadCpu, Times,
};
pub use run_job::run_job;
pub use simulated::{SimulatedContext, run_simulated_job};
pub use verify_pass::{Verification, verify};
