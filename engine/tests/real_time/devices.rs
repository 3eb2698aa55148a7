//! Block devices: what is accepted as one, and that none is ever opened for writing. Tests that need a dedicated device
//! are among the front's stories.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};

use iosonde_engine::failure::FailureKind;
use iosonde_engine::target::{DeviceOptions, FileOptions, Target};

const READ: DeviceOptions = DeviceOptions { direct: true, generic: None, claim: None };
const WRITE_OPTIONS: [FileOptions; 3] = [
    FileOptions { write: true, create_bytes: None, direct: false },
    FileOptions { write: true, create_bytes: None, direct: true },
    FileOptions { write: true, create_bytes: Some(1 << 20), direct: false },
];

/// The nodes of all block devices on this host.
fn devices() -> Vec<PathBuf> {
    let entries = fs::read_dir("/dev").into_iter().flatten().flatten();
    let is_block = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|facts| facts.file_type().is_block_device());
    entries.map(|entry| entry.path()).filter(is_block).collect()
}

#[test]
fn only_a_block_device_is_opened_as_a_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, vec![7; 1 << 20]).expect("a file");
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    for path in [folder.path(), &file, &pipe, Path::new("/dev/null")] {
        let refused = Target::open_device(path, &READ).expect_err("no device");
        assert_eq!(refused.kind, FailureKind::NotDevice, "{}", path.display());
    }
    let missing = Target::open_device(&folder.path().join("missing"), &READ).expect_err("nothing there");
    assert_eq!(missing.kind, FailureKind::TargetMissing);
}

#[test]
fn a_block_device_is_not_opened_for_writing_by_its_path_or_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, device) in devices().into_iter().enumerate() {
        let link = folder.path().join(number.to_string());
        symlink(&device, &link).expect("a link");
        for path in [&device, &link] {
            for options in WRITE_OPTIONS {
                let refused = Target::open(path, options).expect_err("a device to write").kind;
                let exists = options.create_bytes.is_some() && refused == FailureKind::TargetExists;
                assert!(exists || refused == FailureKind::DeviceWrite, "{}: {refused:?}", path.display());
            }
        }
    }
}
