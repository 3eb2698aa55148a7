//! What a worker records: histograms, the slowest operations, faults. In: one completed operation at a time, without
//! allocation, locks or floats. Out: totals that can be summed.

mod faults;
mod histogram;
mod slowest;
mod tally;

pub use faults::{Errno, Fault, FaultKind, Faults, errno_name};
pub use histogram::{BUCKETS, BUCKETS_PER_OCTAVE, Histogram, bucket_of};
pub use slowest::{HostPart, ProcessorPart, SLOWEST, SlowIo, Slowest};
pub use tally::{Class, ClassTally, Phase, Tally, TimeDistribution};
