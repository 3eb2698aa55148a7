//! Purges devices and reads them back. In: open targets with a grant of the guard, the first of which is to be purged;
//! the others are those that the method reaches as well. Out: how the purge ended, and what was read where.
//!
//! [`sample`] reads places of the devices and writes sentinels, [`purge`] erases, and [`read_back`] reads the same places
//! again. What survived is a fact; what it means is left to the front end.

mod beside;
mod block;
mod content;
mod method;
mod reach;
mod read_back;
mod run;
mod sample;
mod survey;

pub use method::Method;
pub use reach::check;
pub use read_back::{ReadBack, read_back};
pub use run::{DriveState, Purge, PurgeEnd, purge};
pub use sample::{Extent, Sampled, Samples, sample};
pub use survey::{DiscardLimits, NvmeSurvey, Survey, survey_path};
