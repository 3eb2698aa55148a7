//! The Sanitize Status log page.

use serde::Serialize;

use super::identify::{u16_at, u32_at};

/// The size of the page.
pub const LOG_BYTES: usize = 512;
/// The progress of a sanitize operation that has ended (SPROG).
pub const PROGRESS_END: u64 = 65_536;
const NO_ESTIMATE: u32 = u32::MAX;

/// The state of the last sanitize operation (SSTAT bits 2:0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SanitizeState {
    /// The subsystem was never sanitized.
    Never,
    /// It completed.
    Completed,
    /// It is running.
    InProgress,
    /// It failed.
    Failed,
    /// It completed, and deallocated blocks that it was to keep allocated.
    CompletedDeallocated,
    /// A value that the specification does not define.
    Unknown,
}

/// The times that a drive estimates for a sanitize operation; None if it does not report one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SanitizeEstimates {
    /// Of the overwrite.
    pub overwrite_s: Option<u32>,
    /// Of the block erase.
    pub block_s: Option<u32>,
    /// Of the crypto erase.
    pub crypto_s: Option<u32>,
}

/// The page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SanitizeLog {
    /// The state of the last sanitize operation.
    pub state: SanitizeState,
    /// Its progress, of [`PROGRESS_END`].
    pub progress: u32,
    /// Completed passes of an overwrite.
    pub passes: u16,
    /// Whether nothing was written since the drive was made or last sanitized (SSTAT bit 8).
    pub is_erased: bool,
    /// The command that started it (SCDW10).
    pub command: u32,
    /// The times that the drive estimates.
    pub estimates: SanitizeEstimates,
}

impl SanitizeLog {
    /// From the page.
    #[must_use]
    pub fn parse(page: &[u8; LOG_BYTES]) -> Self {
        let status = u16_at(page, 2);
        let estimate = |at| Some(u32_at(page, at)).filter(|seconds| *seconds != NO_ESTIMATE);
        Self {
            state: match status & 0b111 {
                0 => SanitizeState::Never,
                1 => SanitizeState::Completed,
                2 => SanitizeState::InProgress,
                3 => SanitizeState::Failed,
                4 => SanitizeState::CompletedDeallocated,
                _ => SanitizeState::Unknown,
            },
            progress: u32::from(u16_at(page, 0)),
            passes: status >> 3 & 0x1F,
            is_erased: status & 1 << 8 != 0,
            command: u32_at(page, 4),
            estimates: SanitizeEstimates { overwrite_s: estimate(8), block_s: estimate(12), crypto_s: estimate(16) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_state_progress_passes_and_estimates() {
        let mut page = [0; LOG_BYTES];
        page[..12].copy_from_slice(&[0x00, 0x80, 0b0000_1010, 0x01, 0x0A, 0, 0, 0, 0x10, 0x0E, 0, 0]);
        page[12..16].copy_from_slice(&NO_ESTIMATE.to_le_bytes());
        page[16..20].copy_from_slice(&2_u32.to_le_bytes());
        let found = SanitizeLog::parse(&page);
        assert_eq!((found.state, found.progress, found.passes), (SanitizeState::InProgress, 32_768, 1));
        assert!(found.is_erased);
        assert_eq!(found.command, 10);
        let estimates = SanitizeEstimates { overwrite_s: Some(3600), block_s: None, crypto_s: Some(2) };
        assert_eq!(found.estimates, estimates);
    }

    #[test]
    fn a_state_of_a_later_specification_is_unknown() {
        let states = [0, 1, 2, 3, 4, 5, 7].map(|value| {
            let mut page = [0; LOG_BYTES];
            page[2] = value;
            SanitizeLog::parse(&page).state
        });
        assert_eq!(
            states,
            [
                SanitizeState::Never,
                SanitizeState::Completed,
                SanitizeState::InProgress,
                SanitizeState::Failed,
                SanitizeState::CompletedDeallocated,
                SanitizeState::Unknown,
                SanitizeState::Unknown,
            ]
        );
    }
}
