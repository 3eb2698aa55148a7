//! The only files that a session under test can open: a few in a scratch directory. The path in a command selects one
//! of them; the path itself is never opened.

use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use iosonde_engine::failure::{Failure, FailureKind};
use iosonde_engine::guard::Inspection;
use iosonde_engine::protocol::LedgerSpec;
use iosonde_engine::purge::Survey;
use iosonde_engine::session::TargetOpener;
use iosonde_engine::target::{CreatedFile, DeviceOptions, FileOptions, Target, create};
use iosonde_engine::verify::Ledger;
use iosonde_engine::write_cache::{CacheFacts, Kept, Restored};
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use tempfile::TempDir;

/// The number of targets, and of ledgers.
const FILES: u8 = 4;
/// The largest target.
const TARGET_BYTES_MAX: u64 = 4 << 20;
/// The largest ledger that the front writes: for the largest target with the smallest steps, and a page.
const LEDGER_BYTES_MAX: u64 = (64 << 10) + 4096;
/// The prefix of lines for the front itself, which are not sent to the engine.
const OWN: &[u8] = b"{\"#\":";

/// The directory of one session. It is removed with its content.
pub struct Scratch(TempDir);

impl Scratch {
    /// A new directory.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    /// Access of a session to these files only.
    pub fn opener(&self) -> ScratchOpener {
        ScratchOpener(self.path())
    }
}

/// See [`Scratch::opener`].
pub struct ScratchOpener(PathBuf);

impl ScratchOpener {
    fn target(&self, told: &Path) -> PathBuf {
        self.0.join(file_name("target", told.as_os_str().as_bytes()))
    }

    fn ledger_path(&self, told: &Path) -> PathBuf {
        self.0.join(file_name("ledger", told.as_os_str().as_bytes()))
    }
}

impl TargetOpener for ScratchOpener {
    fn create(&self, path: &Path, mark: Option<&str>) -> Result<CreatedFile, Failure> {
        create(&self.target(path), mark)
    }

    fn open_created(&self, path: &Path, created: CreatedFile, options: FileOptions) -> Result<Target, Failure> {
        if options.create_bytes.is_some_and(|size_bytes| size_bytes > TARGET_BYTES_MAX) {
            return Err(Failure::new(FailureKind::NoSpace, "no room for so large a file"));
        }
        Target::open_created(&self.target(path), created, options)
    }

    // A file that is open already is refused without waiting.
    fn open_file(&self, path: &Path, options: FileOptions) -> Result<Target, Failure> {
        let path = self.target(path);
        if let Ok(file) = File::open(&path)
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
        {
            return Err(Failure::new(FailureKind::Held, "it is open already"));
        }
        Target::open(&path, options)
    }

    fn open_device(&self, _: &Path, _: &DeviceOptions) -> Result<Target, Failure> {
        Err(Failure::new(FailureKind::NoRights, "no devices here"))
    }

    fn inspect_device(&self, _: &Path) -> Result<Inspection, Failure> {
        Err(Failure::new(FailureKind::NoRights, "no devices here"))
    }

    fn survey_device(&self, _: &Path) -> Result<Survey, Failure> {
        Err(Failure::new(FailureKind::NoRights, "no devices here"))
    }

    fn survey_cache(&self, _: &Path) -> Result<CacheFacts, Failure> {
        Err(Failure::new(FailureKind::NoRights, "no devices here"))
    }

    fn restore_cache(&self, _: &Kept) -> Result<Restored, Failure> {
        Err(Failure::new(FailureKind::NoRights, "no devices here"))
    }

    fn open_ledger(&self, spec: LedgerSpec, target: &Target) -> Result<Ledger, Failure> {
        let spec = match spec {
            LedgerSpec::Kept { path, run, step_bytes, size_bytes } => {
                LedgerSpec::Kept { path: path.map(|path| self.ledger_path(&path)), run, step_bytes, size_bytes }
            }
            LedgerSpec::Left { path } => LedgerSpec::Left { path: self.ledger_path(&path) },
        };
        spec.open(target)
    }
}

/// Whether a line is for the front itself.
pub fn is_own(line: &[u8]) -> bool {
    line.starts_with(OWN)
}

/// Executes a line for the front itself: `{"#":"write","file":"1","words":[…],"length_bytes":8192}` writes to the start
/// of a ledger, `{"#":"resize","file":"1","length_bytes":4096}` changes the size of a target and
/// `{"#":"remove","file":"1"}` removes it. Invalid lines are ignored.
pub fn act(folder: &Path, line: &[u8]) {
    let Ok(told) = serde_json::from_slice::<Value>(line) else { return };
    let name = told["file"].as_str().unwrap_or("");
    let length_bytes = told["length_bytes"].as_u64().unwrap_or(0);
    let target = folder.join(file_name("target", name.as_bytes()));
    match told["#"].as_str() {
        Some("write") => {
            let words = told["words"].as_array().map_or(&[][..], Vec::as_slice);
            let path = folder.join(file_name("ledger", name.as_bytes()));
            write(&path, words, length_bytes.min(LEDGER_BYTES_MAX));
        }
        Some("resize") => {
            if let Ok(file) = OpenOptions::new().write(true).open(target) {
                file.set_len(length_bytes.min(TARGET_BYTES_MAX)).expect("a size");
            }
        }
        Some("remove") => drop(std::fs::remove_file(target)),
        _ => {}
    }
}

// A ledger in use may be written, but not truncated: its words are mapped.
fn write(path: &Path, words: &[Value], length_bytes: u64) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.as_u64().unwrap_or(0).to_le_bytes()).collect();
    let room = usize::try_from(LEDGER_BYTES_MAX).expect("it is small");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).expect("a file of the folder");
    file.write_all_at(&bytes[..bytes.len().min(room)], 0).expect("room for a ledger");
    let length = file.metadata().expect("an open file").len();
    file.set_len(length.max(length_bytes)).expect("a size");
}

fn file_name(kind: &str, told: &[u8]) -> String {
    format!("{kind}-{}", told.last().copied().unwrap_or(0) % FILES)
}
