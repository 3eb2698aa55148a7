//! The worker: keeps a queue full and records completions. In: a ring, a clock, a stream of accesses. Out: tallies by
//! interval, and a final report. Its decisions are in a state machine without clock and ring. One driver runs it in
//! real time on a ring, and the simulation loop runs it in virtual time.

mod batch;
mod fault;
mod final_report;
mod host_monitor;
mod machine;
mod real;
mod reap_interval;
mod recorder;
mod window;

pub use batch::BatchSize;
pub use fault::RETRY_NS_MAX;
pub use final_report::{Censored, FinalReport};
pub use host_monitor::{HostMonitor, HostReading, HostReadings, Round};
pub use machine::{DRAIN_ALL_NS_MAX, DRAIN_NS_MAX, Machine, MachineParts, SILENCE_NS_MAX, Step};
pub use real::{Worker, WorkerParts};
pub use reap_interval::ReapIntervals;
pub use recorder::{Recorder, TallyReceiver, recorder_pair};
pub use window::Window;
