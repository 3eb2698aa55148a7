//! The worker: keeps a queue full and writes down what comes back. In: a ring, a clock, a stream of accesses. Out: tallies
//! by interval, and what is left at the end. What it decides is a machine of its own, which knows neither; one driver runs it in real
//! time on a ring, and the loop of the simulation another.

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
