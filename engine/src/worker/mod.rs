//! The worker: a state machine that keeps a queue full and writes down what comes back. In: a ring, a clock, a stream of
//! accesses. Out: tallies by interval, and what is left at the end. It neither sleeps nor knows what drives it.

mod batch;
mod end;
mod looks;
mod machine;
mod recorder;
mod verdict;
mod window;

pub use batch::BatchSize;
pub use end::{Censored, WorkerEnd};
pub use machine::{DRAIN_NS_MAX, SILENCE_NS_MAX, Step, Worker, WorkerParts};
pub use recorder::{Recorder, Spares, recorder_pair};
pub use verdict::RETRY_NS_MAX;
pub use window::Window;
