//! What a controller and a namespace say of themselves: the Identify data structures of the NVMe base and NVM command
//! set specifications.

use serde::Serialize;

/// The size of an Identify data structure.
pub const IDENTIFY_BYTES: usize = 4096;
/// The number of IDs in a namespace list.
pub const LIST_LENGTH: usize = IDENTIFY_BYTES / 4;

/// The capabilities of a controller, from Identify Controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a bit of the controller.
pub struct Controller {
    /// Its serial number.
    pub serial: String,
    /// Its model.
    pub model: String,
    /// Its firmware revision.
    pub firmware: String,
    /// Whether its subsystem may have other controllers (CMIC bit 1).
    pub is_shared: bool,
    /// Format NVM is supported (OACS bit 1).
    pub formats: bool,
    /// Namespaces can be created and attached (OACS bit 3), so the list of allocated namespaces is available.
    pub manages_namespaces: bool,
    /// A format applies to all namespaces (FNA bit 0).
    pub formats_all: bool,
    /// A secure erase by Format NVM applies to all namespaces (FNA bit 1).
    pub erases_all: bool,
    /// Format NVM supports the cryptographic erase (FNA bit 2).
    pub crypto_formats: bool,
    /// Sanitize supports the crypto erase (SANICAP bit 0).
    pub sanitizes_crypto: bool,
    /// Sanitize supports the block erase (SANICAP bit 1).
    pub sanitizes_block: bool,
    /// Sanitize supports the overwrite (SANICAP bit 2).
    pub sanitizes_overwrite: bool,
}

impl Controller {
    /// From the data structure.
    #[must_use]
    pub fn parse(data: &[u8; IDENTIFY_BYTES]) -> Self {
        let (oacs, fna) = (u16_at(data, 256), data[524]);
        let sanicap = u32_at(data, 328);
        Self {
            serial: text(&data[4..24]),
            model: text(&data[24..64]),
            firmware: text(&data[64..72]),
            is_shared: data[76] & 1 << 1 != 0,
            formats: oacs & 1 << 1 != 0,
            manages_namespaces: oacs & 1 << 3 != 0,
            formats_all: fna & 1 != 0,
            erases_all: fna & 1 << 1 != 0,
            crypto_formats: fna & 1 << 2 != 0,
            sanitizes_crypto: sanicap & 1 != 0,
            sanitizes_block: sanicap & 1 << 1 != 0,
            sanitizes_overwrite: sanicap & 1 << 2 != 0,
        }
    }

    /// Whether it supports the Sanitize command.
    #[must_use]
    pub fn sanitizes(&self) -> bool {
        self.sanitizes_block || self.sanitizes_crypto || self.sanitizes_overwrite
    }
}

/// What reads of a deallocated block return (DLFEAT bits 2:0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeallocatedReads {
    /// The drive does not say: old data is permitted.
    NotReported,
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
}

/// The size and format of a namespace, from Identify Namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NamespaceFormat {
    /// Its size in logical blocks (NSZE).
    pub size_blocks: u64,
    /// Logical blocks that are allocated (NUSE).
    pub used_blocks: u64,
    /// The index of the LBA format in use (FLBAS bits 3:0 and 6:5).
    pub lba_format: u8,
    /// The logical block size.
    pub block_bytes: u32,
    /// Metadata per logical block.
    pub metadata_bytes: u16,
    /// Whether metadata follows the data of its block (FLBAS bit 4).
    pub metadata_extended: bool,
    /// The type of protection information, 0 for none (DPS bits 2:0).
    pub protection_type: u8,
    /// Whether protection information is in the first bytes of the metadata (DPS bit 3).
    pub protection_first: bool,
    /// What reads of a deallocated block return.
    pub deallocated_reads: DeallocatedReads,
    /// The remaining part of a running format, in percent (FPI); None if the drive does not report it.
    pub format_remaining_percent: Option<u8>,
}

impl NamespaceFormat {
    /// From the data structure; None if the block size in it is none.
    #[must_use]
    pub fn parse(data: &[u8; IDENTIFY_BYTES]) -> Option<Self> {
        let flbas = data[26];
        let lba_format = flbas & 0xF | (flbas >> 5 & 0b11) << 4;
        let descriptor = u32_at(data, 128 + 4 * usize::from(lba_format));
        let block_bytes = 1_u32.checked_shl(descriptor >> 16 & 0xFF).filter(|bytes| *bytes >= 512)?;
        Some(Self {
            size_blocks: u64_at(data, 0),
            used_blocks: u64_at(data, 16),
            lba_format,
            block_bytes,
            metadata_bytes: (descriptor & 0xFFFF) as u16,
            metadata_extended: flbas & 1 << 4 != 0,
            protection_type: data[29] & 0b111,
            protection_first: data[29] & 1 << 3 != 0,
            deallocated_reads: match data[33] & 0b111 {
                1 => DeallocatedReads::Zeros,
                2 => DeallocatedReads::Ones,
                _ => DeallocatedReads::NotReported,
            },
            format_remaining_percent: (data[32] & 1 << 7 != 0).then_some(data[32] & 0x7F),
        })
    }

    /// Whether another has the same size, LBA format, metadata and protection information.
    #[must_use]
    pub fn is_kept_by(&self, after: &Self) -> bool {
        let settings = |each: &Self| {
            (each.size_blocks, each.lba_format, each.block_bytes, each.metadata_bytes, each.metadata_extended)
        };
        settings(self) == settings(after)
            && (self.protection_type, self.protection_first) == (after.protection_type, after.protection_first)
    }
}

/// The IDs of a namespace list: ascending, and ended by 0.
#[must_use]
pub fn namespace_list(data: &[u8; IDENTIFY_BYTES]) -> Vec<u32> {
    (0..LIST_LENGTH).map(|number| u32_at(data, 4 * number)).take_while(|id| *id != 0).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches(|letter: char| letter == '\0' || letter.is_whitespace()).to_owned()
}

/// A little-endian number of 16 bits.
pub fn u16_at(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([data[at], data[at + 1]])
}

/// A little-endian number of 32 bits.
pub fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from(u16_at(data, at)) | u32::from(u16_at(data, at + 2)) << 16
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from(u32_at(data, at)) | u64::from(u32_at(data, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(set: &[(usize, u8)]) -> [u8; IDENTIFY_BYTES] {
        let mut data = [0; IDENTIFY_BYTES];
        for (at, value) in set {
            data[*at] = *value;
        }
        data
    }

    #[test]
    fn a_capability_is_the_bit_that_the_specification_gives_it() {
        let none = Controller::parse(&bytes(&[]));
        assert!(!none.formats && !none.crypto_formats && !none.sanitizes() && !none.formats_all && !none.erases_all);
        let format = Controller::parse(&bytes(&[(256, 0b1010), (524, 0b101), (76, 0b10)]));
        assert!(format.formats && format.manages_namespaces && format.crypto_formats && format.is_shared);
        assert!(format.formats_all && !format.erases_all && !format.sanitizes());
        let sanitize = Controller::parse(&bytes(&[(328, 0b110), (524, 0b10)]));
        assert!(sanitize.sanitizes_block && sanitize.sanitizes_overwrite && !sanitize.sanitizes_crypto);
        assert!(sanitize.erases_all && !sanitize.formats);
    }

    #[test]
    fn the_format_in_use_has_six_bits_of_index_in_two_places() {
        // Index 17 is 1 in the low bits and 1 in the high bits; its descriptor is at 128 + 4 * 17.
        let data = bytes(&[(0, 8), (16, 3), (26, 0b0011_0001), (196, 8), (198, 12), (29, 0b1001), (33, 2), (32, 0xE4)]);
        let found = NamespaceFormat::parse(&data).expect("a format");
        assert_eq!((found.lba_format, found.block_bytes, found.metadata_bytes), (17, 4096, 8));
        assert_eq!((found.size_blocks, found.used_blocks), (8, 3));
        assert!(found.metadata_extended && found.protection_first);
        assert_eq!((found.protection_type, found.deallocated_reads), (1, DeallocatedReads::Ones));
        assert_eq!(found.format_remaining_percent, Some(100));
        assert!(found.is_kept_by(&NamespaceFormat { used_blocks: 0, format_remaining_percent: None, ..found }));
        assert!(!found.is_kept_by(&NamespaceFormat { metadata_bytes: 0, ..found }));
    }

    #[test]
    fn a_format_without_a_block_size_is_none() {
        assert_eq!(NamespaceFormat::parse(&bytes(&[])), None);
        assert_eq!(NamespaceFormat::parse(&bytes(&[(130, 200)])), None);
    }

    #[test]
    fn a_namespace_list_ends_at_0() {
        assert_eq!(namespace_list(&bytes(&[(0, 1), (4, 7), (12, 9)])), [1, 7]);
        assert_eq!(namespace_list(&[1; IDENTIFY_BYTES]).len(), LIST_LENGTH);
    }
}
