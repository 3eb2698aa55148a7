//! Signatures that libblkid can miss, because it wants a whole and valid structure: one of ZFS's four labels, a md
//! superblock at the end, a copy of a partition table whose first one is gone, a superblock that is damaged. Data behind
//! a damaged superblock can still be rescued. Magic numbers of two bytes are left to libblkid: random data has them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const KIB: u64 = 1 << 10;
/// ZFS has two labels of this size at the start and two at the end, at multiples of it.
const ZFS_LABEL_BYTES: u64 = 256 * KIB;
/// In a label, the ring of uberblocks begins here, after a blank, a boot header and name-value pairs.
const ZFS_RING_BYTES: u64 = 128 * KIB;
/// An uberblock begins at a multiple of its size, which is at least this.
const ZFS_BLOCK_BYTES: usize = 1 << 10;
const ZFS_MAGIC: u64 = 0x00ba_b10c;
const MD_MAGIC: u32 = 0xa92b_4efc;
const GPT_MAGIC: &[u8] = b"EFI PART";
const SECTOR_SIZES: [u64; 2] = [512, 4096];
/// Magic numbers with their places from the start of the device.
const MAGICS: [(&str, u64, &[u8]); 19] = [
    ("LUKS", 0, b"LUKS\xba\xbe"),
    ("LUKS (second header)", 16 * KIB, b"SKUL\xba\xbe"),
    ("XFS", 0, b"XFSB"),
    ("btrfs", 0x1_0040, b"_BHRfS_M"),
    ("bcache or bcachefs", 0x1018, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    ("F2FS", 0x400, b"\x10\x20\xf5\xf2"),
    ("NTFS", 3, b"NTFS    "),
    ("exFAT", 3, b"EXFAT   "),
    ("FAT", 54, b"FAT1"),
    ("FAT32", 82, b"FAT32   "),
    ("BitLocker", 3, b"-FVE-FS-"),
    ("ISO 9660", 0x8001, b"CD001"),
    ("VMFS", 0x10_0000, b"\x0d\xd0\x01\xc0"),
    ("Ceph BlueStore", 0, b"bluestore block device"),
    ("Oracle ASM", 32, b"ORCLDISK"),
    ("Stratis", 528, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("swap", 4086, b"SWAPSPACE2"),
    ("hibernation", 4086, b"S1SUSPEND"),
    ("bcachefs (older)", 0x1018, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
];
/// LVM looks for its label in any of the first four sectors.
const LVM_MAGIC: &[u8] = b"LABELONE";
const LVM_SECTORS: u64 = 4;

// A part of a device, which is read relative to its start.
struct Part<'a> {
    file: &'a File,
    start_bytes: u64,
}

impl Part<'_> {
    fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read_exact_at(into, self.start_bytes + at)
    }
}

/// What is at the ends of a device, or of a part of it.
pub fn signatures(file: &File, start_bytes: u64, size_bytes: u64) -> io::Result<Vec<String>> {
    let part = Part { file, start_bytes };
    let file = &part;
    let mut found = Vec::new();
    for (number, at) in zfs_labels(size_bytes).into_iter().enumerate() {
        if has_zfs_label(file, at)? {
            found.push(format!("ZFS label {number} at byte {at}"));
        }
    }
    for (version, at) in md_superblocks(size_bytes) {
        let magic = read_array::<4>(file, at)?;
        if [u32::from_le_bytes(magic), u32::from_be_bytes(magic)].contains(&MD_MAGIC) {
            found.push(format!("a md superblock of version {version} at byte {at}"));
        }
    }
    for (name, at, magic) in MAGICS {
        if has(file, size_bytes, at, magic)? {
            found.push(format!("a signature of {name} at byte {at}"));
        }
    }
    for at in (0..LVM_SECTORS).map(|sector| sector * 512) {
        if has(file, size_bytes, at, LVM_MAGIC)? {
            found.push(format!("a label of LVM at byte {at}"));
        }
    }
    for sector_bytes in SECTOR_SIZES {
        for (name, at) in [("partition table", Some(sector_bytes)), ("backup", size_bytes.checked_sub(sector_bytes))] {
            let Some(at) = at.filter(|at| at.is_multiple_of(512) && at + sector_bytes <= size_bytes) else { continue };
            if read_array::<8>(file, at)? == GPT_MAGIC {
                found.push(format!("a GPT {name} at byte {at}"));
            }
        }
    }
    Ok(found)
}

fn has(file: &Part, size_bytes: u64, at: u64, magic: &[u8]) -> io::Result<bool> {
    if at + magic.len() as u64 > size_bytes {
        return Ok(false);
    }
    let mut bytes = vec![0; magic.len()];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes == magic)
}

fn zfs_labels(size_bytes: u64) -> Vec<u64> {
    let end = size_bytes / ZFS_LABEL_BYTES * ZFS_LABEL_BYTES;
    let two = 2 * ZFS_LABEL_BYTES;
    let places = [Some(0), Some(ZFS_LABEL_BYTES), end.checked_sub(two), end.checked_sub(ZFS_LABEL_BYTES)];
    let mut found: Vec<u64> = places.into_iter().flatten().filter(|at| at + ZFS_LABEL_BYTES <= size_bytes).collect();
    found.dedup();
    found
}

fn has_zfs_label(file: &Part, at: u64) -> io::Result<bool> {
    let mut ring = vec![0; usize::try_from(ZFS_LABEL_BYTES - ZFS_RING_BYTES).unwrap_or(0)];
    file.read_exact_at(&mut ring, at + ZFS_RING_BYTES)?;
    Ok(ring.chunks_exact(ZFS_BLOCK_BYTES).any(|block| {
        let magic = block[..8].try_into().unwrap_or_default();
        [u64::from_le_bytes(magic), u64::from_be_bytes(magic)].contains(&ZFS_MAGIC)
    }))
}

/// Where each version of md keeps its superblock.
fn md_superblocks(size_bytes: u64) -> Vec<(&'static str, u64)> {
    let last = (size_bytes / (64 * KIB) * (64 * KIB)).checked_sub(64 * KIB);
    let near_end = size_bytes.checked_sub(8 * KIB).map(|at| at / (4 * KIB) * (4 * KIB));
    let places = [("0.90", last), ("1.0", near_end), ("1.1", Some(0)), ("1.2", Some(4 * KIB))];
    places
        .into_iter()
        .filter_map(|(version, at)| Some((version, at?)))
        .filter(|(_, at)| at + 512 <= size_bytes)
        .collect()
}

fn read_array<const N: usize>(file: &Part, at: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 8 << 20;

    fn with(bytes: &[u8], at: u64) -> Vec<String> {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(SIZE).expect("a size");
        file.write_all_at(bytes, at).expect("a signature");
        signatures(&file, 0, SIZE).expect("readable")
    }

    #[test]
    fn each_zfs_label_is_found_in_either_byte_order() {
        for (number, at) in zfs_labels(SIZE).into_iter().enumerate() {
            for magic in [ZFS_MAGIC.to_le_bytes(), ZFS_MAGIC.to_be_bytes()] {
                assert_eq!(with(&magic, at + ZFS_RING_BYTES + 5 * KIB), [format!("ZFS label {number} at byte {at}")]);
            }
        }
        assert_eq!(zfs_labels(SIZE).len(), 4);
    }

    #[test]
    fn each_md_superblock_is_found() {
        for (version, at) in md_superblocks(SIZE) {
            assert_eq!(
                with(&MD_MAGIC.to_le_bytes(), at),
                [format!("a md superblock of version {version} at byte {at}")]
            );
        }
        assert_eq!(md_superblocks(SIZE), [("0.90", SIZE - 65536), ("1.0", SIZE - 8192), ("1.1", 0), ("1.2", 4096)]);
    }

    #[test]
    fn each_magic_number_is_found() {
        for (name, at, magic) in MAGICS {
            assert_eq!(with(magic, at), [format!("a signature of {name} at byte {at}")]);
        }
        assert_eq!(with(LVM_MAGIC, 1536), ["a label of LVM at byte 1536"]);
    }

    #[test]
    fn both_copies_of_a_gpt_are_found_with_either_sector_size() {
        for at in [512, 4096, SIZE - 512, SIZE - 4096] {
            let found = with(GPT_MAGIC, at);
            assert_eq!(found.len(), 1, "{at}: {found:?}");
            assert!(found[0].ends_with(&format!("at byte {at}")), "{found:?}");
        }
    }

    #[test]
    fn zeros_and_small_devices_have_no_signature() {
        assert_eq!(with(&[0], 0), Vec::<String>::new());
        for size in [0, 512, 1024, 4096, 65536, 300 << 10] {
            let file = tempfile::tempfile().expect("a file");
            file.set_len(size).expect("a size");
            assert_eq!(signatures(&file, 0, size).expect("readable"), Vec::<String>::new(), "{size}");
        }
    }
}
