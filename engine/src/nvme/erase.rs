//! Admin commands that destroy data. Only a grant leads to them, and the namespace is that of its handle.

use std::io;

use super::admin::NvmeStatus;
use super::identify::NamespaceFormat;
use super::ioctl::{Passthrough, namespace_id, submit};
use crate::guard::WriteGrant;

const FORMAT: u8 = 0x80;
const SANITIZE: u8 = 0x84;
/// A format of a large drive without a fast erase takes hours. The kernel resets the controller when this time is over.
const FORMAT_MS_MAX: u32 = 24 * 3_600_000;
/// A sanitize command ends when the operation has started.
const SANITIZE_MS_MAX: u32 = 600_000;

/// The secure erase setting of Format NVM (SES).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatErase {
    /// User data erase.
    UserData = 1,
    /// Cryptographic erase.
    Crypto = 2,
}

/// The action of Sanitize (SANACT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SanitizeAction {
    /// Block erase.
    Block = 2,
    /// Overwrite, with one pass of zeros.
    Overwrite = 3,
    /// Crypto erase.
    Crypto = 4,
}

impl SanitizeAction {
    /// Command word 10. The exit is restricted: a sanitize operation that failed can only be repeated, and the drive
    /// does not return to use with data that was not erased. Blocks are deallocated afterwards.
    #[must_use]
    pub fn word10(self) -> u32 {
        let passes = if self == Self::Overwrite { 1 << 4 } else { 0 };
        self as u32 | passes
    }
}

/// Formats the namespace of a grant with a secure erase, and keeps its LBA format, metadata and protection information.
/// Returns when the format has ended.
pub fn format(grant: &WriteGrant, keep: &NamespaceFormat, erase: FormatErase) -> io::Result<Result<(), NvmeStatus>> {
    let command = Passthrough {
        opcode: FORMAT,
        namespace: namespace_id(grant.file())?,
        word10: format_word10(keep, erase),
        timeout_ms: FORMAT_MS_MAX,
        ..Passthrough::default()
    };
    Ok(outcome(submit(grant.file(), command, &mut [])?))
}

/// Starts to sanitize the subsystem of a grant: all of its namespaces. The Sanitize Status log page tells how it ends.
pub fn sanitize(grant: &WriteGrant, action: SanitizeAction) -> io::Result<Result<(), NvmeStatus>> {
    let command = Passthrough {
        opcode: SANITIZE,
        word10: action.word10(),
        timeout_ms: SANITIZE_MS_MAX,
        ..Passthrough::default()
    };
    Ok(outcome(submit(grant.file(), command, &mut [])?))
}

fn outcome(status: u16) -> Result<(), NvmeStatus> {
    if status == 0 { Ok(()) } else { Err(NvmeStatus(status)) }
}

// Command word 10: LBAFL, MSET, PI, PIL, SES, LBAFU.
fn format_word10(keep: &NamespaceFormat, erase: FormatErase) -> u32 {
    let (low, high) = (u32::from(keep.lba_format & 0xF), u32::from(keep.lba_format >> 4));
    low | u32::from(keep.metadata_extended) << 4
        | u32::from(keep.protection_type) << 5
        | u32::from(keep.protection_first) << 8
        | (erase as u32) << 9
        | high << 12
}

#[cfg(test)]
mod tests {
    use super::super::identify::DeallocatedReads;
    use super::*;

    const PLAIN: NamespaceFormat = NamespaceFormat {
        size_blocks: 8,
        used_blocks: 8,
        lba_format: 0,
        block_bytes: 512,
        metadata_bytes: 0,
        metadata_extended: false,
        protection_type: 0,
        protection_first: false,
        deallocated_reads: DeallocatedReads::Zeros,
        format_remaining_percent: None,
    };

    #[test]
    fn a_format_asks_for_a_secure_erase_and_for_the_settings_in_use() {
        assert_eq!(format_word10(&PLAIN, FormatErase::UserData), 0x200);
        assert_eq!(format_word10(&PLAIN, FormatErase::Crypto), 0x400);
        let protected = NamespaceFormat {
            lba_format: 0x12,
            metadata_extended: true,
            protection_type: 3,
            protection_first: true,
            ..PLAIN
        };
        assert_eq!(format_word10(&protected, FormatErase::UserData), 0x1372);
    }

    #[test]
    fn a_sanitize_asks_for_its_action_and_an_overwrite_for_one_pass() {
        let words =
            [SanitizeAction::Block, SanitizeAction::Overwrite, SanitizeAction::Crypto].map(SanitizeAction::word10);
        assert_eq!(words, [2, 0x13, 4]);
    }
}
