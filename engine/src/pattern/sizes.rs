//! Block sizes of operations.

use super::shuffled_deck::ShuffledDeck;
use crate::job::{Job, SIZES_MAX};

/// A block size with derived values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The size in bytes.
    pub bytes: u32,
    /// The size in steps of a sequential stream.
    pub steps: u64,
    /// The number of such blocks in the test region.
    pub blocks: u64,
    /// The number of such blocks in a block of the largest size.
    pub each: u64,
}

/// One block size, or a mix in exact shares.
#[derive(Clone, Debug)]
pub struct Sizes {
    only: Size,
    several: Option<Box<(ShuffledDeck<SIZES_MAX>, [Size; SIZES_MAX])>>,
}

impl Sizes {
    /// The block sizes of a job.
    #[must_use]
    pub fn new(job: &Job, seed: u64) -> Self {
        let size = |bytes: u32| Size {
            bytes,
            steps: u64::from(bytes) / job.step_bytes(),
            blocks: job.span_bytes / u64::from(bytes),
            each: u64::from(job.block_size_bytes / bytes),
        };
        let (mut weights, mut sizes) = ([0; SIZES_MAX], [Size::default(); SIZES_MAX]);
        for (kind, share) in job.block_sizes.iter().enumerate() {
            (weights[kind], sizes[kind]) = (share.weight, size(share.size_bytes));
        }
        let several = (!job.block_sizes.is_empty()).then(|| Box::new((ShuffledDeck::new(weights, seed), sizes)));
        Self { only: size(job.block_size_bytes), several }
    }

    /// Draws the next size.
    #[inline]
    pub fn draw(&mut self) -> Size {
        match &mut self.several {
            None => self.only,
            Some(several) => several.1[several.0.draw()],
        }
    }
}
