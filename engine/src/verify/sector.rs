//! The seal of a sector: where it belongs, which write of which run it comes from, and a checksum of all of it.
//!
//! A sector begins with 32 bytes, in little-endian order: `iosv`, a CRC-32C of the sector without these first 8 bytes, the
//! run, the offset of the sector, and the sequence number of the write. CRC-32C finds every change of up to five bits in
//! so short a text (its Hamming distance is 6 up to 5,243 bits: Koopman 2002), and processors have an instruction for it.

/// What is sealed by itself: the smallest unit at which a device tears a write.
pub const SECTOR_BYTES: usize = 512;
/// Bytes of the seal.
pub const SEAL_BYTES: usize = 32;
const MAGIC: [u8; 4] = *b"iosv";
/// What the checksum covers begins here.
const COVERED_FROM: usize = 8;

/// What a sector says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Which run, and which of its targets.
    pub run: u64,
    /// Where it belongs.
    pub offset_bytes: u64,
    /// Which write it comes from.
    pub sequence: u64,
}

/// Writes a sector's seal into it.
pub fn seal_sector(sector: &mut [u8], seal: Seal) {
    debug_assert_eq!(sector.len(), SECTOR_BYTES);
    sector[8..16].copy_from_slice(&seal.run.to_le_bytes());
    sector[16..24].copy_from_slice(&seal.offset_bytes.to_le_bytes());
    sector[24..32].copy_from_slice(&seal.sequence.to_le_bytes());
    let checksum = crc32c::crc32c(&sector[COVERED_FROM..]);
    sector[..4].copy_from_slice(&MAGIC);
    sector[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// What was found in a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A seal of this run that fits its content.
    Whole(Seal),
    /// Something of this run whose content was changed.
    Broken,
    /// Nothing of this run.
    Foreign,
}

/// Reads a sector's seal, looking for those of one run.
#[must_use]
pub fn read_sector(sector: &[u8], run: u64) -> Found {
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| sector[at + byte]));
    let seal = Seal { run: word(8), offset_bytes: word(16), sequence: word(24) };
    let is_sealed = sector[..4] == MAGIC;
    if !is_sealed && seal.run != run {
        return Found::Foreign;
    }
    let checksum = u32::from_le_bytes(std::array::from_fn(|byte| sector[4 + byte]));
    let is_whole = is_sealed && crc32c::crc32c(&sector[COVERED_FROM..]) == checksum;
    match (is_whole, seal.run == run) {
        (true, true) => Found::Whole(seal),
        // An earlier run's, or another target's.
        (true, false) => Found::Foreign,
        (false, _) => Found::Broken,
    }
}
