//! Runs one job at a time, with a thread for each worker. In: a checked job and open targets. Out: intervals while it
//! runs, then one result.

mod calibration;
mod collector;
mod conduct;
mod crew;
mod device_counts;
mod granted;
mod kernel_threads;
mod memory_needed;
mod pass;
mod patience;
mod placement;
mod result;
mod setting;
mod simulated;
mod thread;
mod total;
mod watch;

pub use calibration::{CALIBRATION_SPAN_BYTES, calibration};
pub use collector::Collector;
pub use conduct::conduct;
pub use device_counts::{DeviceCounts, RequestCounts};
pub use pass::{Verification, verify};
pub use result::{
    CpuUse, DriveState, EngineTruth, Interval, JobResult, Outcome, ShareTotals, TargetShare, ThreadCpu, Times,
};
pub use setting::Setting;
pub use simulated::{Bench, conduct_simulated};
