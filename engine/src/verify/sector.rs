//! The verification header of a sector: its offset, the run and write that it belongs to, and a checksum.
//!
//! A sector starts with 32 bytes, little-endian: `iosv`, a CRC-32C of the sector without these first 8 bytes, the run,
//! the offset of the sector, and the sequence number of the write. CRC-32C detects every change of up to five bits in a
//! sector (its Hamming distance is 6 up to 5,243 bits: Koopman 2002), and processors have an instruction for it.

/// The unit that has a header: the smallest unit at which a device can tear a write.
pub const SECTOR_BYTES: usize = 512;
/// Size of the header.
pub const HEADER_BYTES: usize = 32;
const MAGIC: [u8; 4] = *b"iosv";
/// Start of the data that the checksum covers.
const COVERED_FROM: usize = 8;

/// The header of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorHeader {
    /// The number of the run and target.
    pub run: u64,
    /// Its offset on the target.
    pub offset_bytes: u64,
    /// The sequence number of its write.
    pub sequence: u64,
}

/// Writes the header into a sector.
pub fn write_header(sector: &mut [u8], header: SectorHeader) {
    debug_assert_eq!(sector.len(), SECTOR_BYTES);
    sector[8..16].copy_from_slice(&header.run.to_le_bytes());
    sector[16..24].copy_from_slice(&header.offset_bytes.to_le_bytes());
    sector[24..32].copy_from_slice(&header.sequence.to_le_bytes());
    let checksum = crc32c::crc32c(&sector[COVERED_FROM..]);
    sector[..4].copy_from_slice(&MAGIC);
    sector[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// The content of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A valid header of this run.
    Valid(SectorHeader),
    /// Data of this run with a wrong checksum.
    Corrupt,
    /// No data of this run.
    Foreign,
}

/// Reads a sector's header, and checks that it belongs to a run.
#[must_use]
pub fn read_sector(sector: &[u8], run: u64) -> Found {
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| sector[at + byte]));
    let header = SectorHeader { run: word(8), offset_bytes: word(16), sequence: word(24) };
    let has_magic = sector[..4] == MAGIC;
    if !has_magic && header.run != run {
        return Found::Foreign;
    }
    let checksum = u32::from_le_bytes(std::array::from_fn(|byte| sector[4 + byte]));
    let is_whole = has_magic && crc32c::crc32c(&sector[COVERED_FROM..]) == checksum;
    match (is_whole, header.run == run) {
        (true, true) => Found::Valid(header),
        // Data of an earlier run or another target.
        (true, false) => Found::Foreign,
        (false, _) => Found::Corrupt,
    }
}
