//! The files with `unsafe` code, and its purpose.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

const ALLOWED: [(&str, &str); 17] = [
    ("guard/ioctl.rs", "size, read-only flag and sequence number of a device"),
    ("guard/probe.rs", "libblkid, which is loaded when it is needed"),
    ("host.rs", "getrusage"),
    ("memory.rs", "mappings"),
    ("nvme/ioctl.rs", "the ioctls for the namespace ID and for admin commands"),
    ("purge/block.rs", "the ioctls for discards and for partition tables"),
    ("ring/buffers.rs", "memory that the kernel also accesses"),
    ("ring/ring_fd.rs", "io_uring_enter with a registered ring fd"),
    ("ring/io_wq.rs", "a CPU set for io-wq workers"),
    ("ring/kernel.rs", "lifetime of what io_uring accesses"),
    ("ring/nop.rs", "an entry without memory"),
    ("ring/passthrough.rs", "an entry for an NVMe read"),
    ("ring/psync.rs", "pread, pwrite, fallocate, discards and fdatasync"),
    ("ring/uring.rs", "entries for reads, writes, trims and flushes"),
    ("sim/ssd/prefetch.rs", "a prefetch instruction"),
    ("verify/ledger.rs", "words of a mapping, as atomics"),
    ("watchdog/progress.rs", "cachestat, which has no wrapper"),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = read_dir(folder).expect("the engine's source").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == "unsafe")
}

#[test]
fn only_the_listed_files_have_unsafe_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let found: BTreeSet<String> = sources(&root)
        .iter()
        .filter(|path| read_to_string(path).expect("text").lines().any(is_unsafe))
        .map(|path| path.strip_prefix(&root).expect("a file below it").display().to_string())
        .collect();
    let allowed: BTreeSet<String> = ALLOWED.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(found, allowed);
}
