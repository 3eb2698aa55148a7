//! Where the engine is allowed what the compiler can't check, and what for.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

const ALLOWED: [(&str, &str); 14] = [
    ("host.rs", "getrusage"),
    ("memory.rs", "mappings"),
    ("ring/buffers.rs", "memory that the kernel reads and writes as well"),
    ("ring/entrance.rs", "the call that drives a ring, by its place among the thread's"),
    ("ring/helpers.rs", "a set of CPUs for the kernel's threads"),
    ("ring/kernel.rs", "what io_uring may touch, and how long it is kept"),
    ("ring/nop.rs", "an entry without memory"),
    ("ring/passthrough.rs", "an entry for a read by NVMe"),
    ("ring/psync.rs", "pread, pwrite, fallocate and fdatasync"),
    ("ring/uring.rs", "entries for reads, writes, trims and flushes"),
    ("sim/ssd/prefetch.rs", "a hint to the processor"),
    ("target/namespace.rs", "an ioctl that asks for a number"),
    ("verify/ledger.rs", "words of a mapping, as atomics"),
    ("watchdog/signs.rs", "cachestat, which has no wrapper"),
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
fn unsafe_code_stands_in_the_files_that_are_known_for_it_and_in_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let found: BTreeSet<String> = sources(&root)
        .iter()
        .filter(|path| read_to_string(path).expect("text").lines().any(is_unsafe))
        .map(|path| path.strip_prefix(&root).expect("a file below it").display().to_string())
        .collect();
    let allowed: BTreeSet<String> = ALLOWED.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(found, allowed);
}
