//! The worker: keeps a queue full and records completions. In: a ring, a clock, a stream of accesses. Out: tallies by
//! interval, and a final report. Its decisions are in a state machine without clock and ring. One driver runs it in
//! real time on a ring, and the simulation loop runs it in virtual time.

mod batch;
mod end;
mod looks;
mod machine;
mod real;
mod recorder;
mod verdict;
mod window;

pub use batch::BatchSize;
pub use end::{Censored, WorkerEnd};
pub use looks::Looks;
pub use machine::{DRAIN_NS_MAX, Machine, MachineParts, SILENCE_NS_MAX, Step};
pub use real::{Worker, WorkerParts};
pub use recorder::{Recorder, Spares, recorder_pair};
pub use verdict::RETRY_NS_MAX;
pub use window::Window;
