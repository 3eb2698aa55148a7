//! What a block holds: nothing, a sentinel, or something else.

use std::hash::{DefaultHasher, Hasher};

use serde::Serialize;

use crate::random::Random;

/// The part of a block that is told apart.
pub const SECTOR_BYTES: usize = 512;
const MAGIC: &[u8; 16] = b"iosonde-sentinel";
const NUMBERS_END: usize = 32;

/// Bytes by what they hold, in whole sectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_field_names)] // Units come last in names.
pub struct Content {
    /// In sectors of zeros.
    pub zero_bytes: u64,
    /// In sectors of ones.
    pub one_bytes: u64,
    /// In other sectors.
    pub other_bytes: u64,
}

impl Content {
    /// Counts the sectors of a block.
    pub fn count(&mut self, block: &[u8]) {
        for sector in block.chunks(SECTOR_BYTES) {
            let length = sector.len() as u64;
            match uniform(sector) {
                Some(0) => self.zero_bytes += length,
                Some(0xFF) => self.one_bytes += length,
                _ => self.other_bytes += length,
            }
        }
    }
}

/// The byte that a block consists of; None if there are several.
pub fn uniform(block: &[u8]) -> Option<u8> {
    let first = *block.first()?;
    block.iter().all(|byte| *byte == first).then_some(first)
}

/// A digest, to compare blocks within this process.
pub fn digest(block: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(block);
    hasher.finish()
}

/// Fills a block with sentinels: sectors that say the run and their place, and are random otherwise.
pub fn write_sentinel(block: &mut [u8], run: u64, offset_bytes: u64) {
    for (number, sector) in block.chunks_exact_mut(SECTOR_BYTES).enumerate() {
        let place = offset_bytes + (number * SECTOR_BYTES) as u64;
        sector[..16].copy_from_slice(MAGIC);
        sector[16..24].copy_from_slice(&run.to_le_bytes());
        sector[24..NUMBERS_END].copy_from_slice(&place.to_le_bytes());
        let mut random = Random::new(run ^ place);
        for word in sector[NUMBERS_END..].chunks_exact_mut(8) {
            word.copy_from_slice(&random.bits().to_le_bytes());
        }
    }
}

/// Whether a block has a sentinel of this run in any of its sectors, wherever it was written.
pub fn has_sentinel(block: &[u8], run: u64) -> bool {
    block.chunks_exact(SECTOR_BYTES).any(|sector| sector.starts_with(MAGIC) && sector[16..24] == run.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_counted_by_what_they_hold() {
        let mut block = vec![0; 4 * SECTOR_BYTES];
        block[SECTOR_BYTES..2 * SECTOR_BYTES].fill(0xFF);
        block[3 * SECTOR_BYTES - 1] = 1;
        let mut content = Content::default();
        content.count(&block);
        assert_eq!(content, Content { zero_bytes: 1024, one_bytes: 512, other_bytes: 512 });
    }

    #[test]
    fn a_sentinel_is_found_in_any_sector_and_only_that_of_its_own_run() {
        let mut block = vec![0; 4096];
        write_sentinel(&mut block, 7, 8192);
        assert!(uniform(&block).is_none());
        let mut moved = vec![0; 4096];
        moved[1024..1536].copy_from_slice(&block[..512]);
        assert!(has_sentinel(&moved, 7));
        assert!(!has_sentinel(&moved, 8));
        assert!(!has_sentinel(&vec![0; 4096], 7));
    }

    #[test]
    fn no_two_sectors_of_sentinels_are_alike() {
        let mut block = vec![0; 1 << 16];
        write_sentinel(&mut block, 7, 0);
        let digests: std::collections::BTreeSet<u64> = block.chunks(SECTOR_BYTES).map(digest).collect();
        assert_eq!(digests.len(), block.len() / SECTOR_BYTES);
    }
}
