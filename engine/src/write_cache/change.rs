//! Changes a write cache so that the kernel flushes it at all times at which the drive uses it.

use std::fs::File;
use std::io;

use super::control::{Control, kernel_view, set_kernel_view};
use super::{CacheFacts, CacheState, refusal};
use crate::failure::Failure;
use crate::guard::Node;
use crate::watchdog::{ProgressSource, waiting_for};

const WRITE_BACK: &str = "write back";
const WRITE_THROUGH: &str = "write through";

/// A device whose cache can be set.
pub struct Device<'a> {
    /// Its name in messages.
    pub name: String,
    /// An open handle of it.
    pub file: &'a File,
    /// The kernel's description.
    pub node: Node,
    /// How its cache is set.
    pub control: Control,
}

impl Device<'_> {
    /// What the drive and the kernel report.
    pub fn facts(&self) -> Result<CacheFacts, Failure> {
        waiting_for(format!("asking {} about its write cache", self.name), ProgressSource::None);
        let drive = self.control.read(self.file).map_err(|error| self.failed("it cannot be read back", &error))?;
        Ok(CacheFacts { drive: Some(drive), kernel: kernel_view(&self.node), refused: None })
    }

    /// Sets the cache, and what the kernel takes it for.
    pub fn set(&self, state: CacheState) -> Result<CacheFacts, Failure> {
        let view = if state == CacheState::On { WRITE_BACK } else { WRITE_THROUGH };
        self.set_with_view(state, view)
    }

    /// Sets the cache, with another view of the kernel than that of the drive.
    pub fn set_with_view(&self, state: CacheState, view: &str) -> Result<CacheFacts, Failure> {
        let before = self.facts()?;
        if before.drive == Some(state) && before.kernel.as_deref() == Some(view) {
            return Ok(before);
        }
        // From here on the kernel sends flushes. It may refuse that while the drive reports no cache, and then there is
        // nothing to flush.
        let flushes = self.view(WRITE_BACK);
        if before.drive == Some(CacheState::On) {
            flushes?;
        }
        waiting_for(format!("flushing the write cache of {}", self.name), ProgressSource::None);
        self.file.sync_all().map_err(|error| self.failed("it cannot be flushed", &error))?;
        waiting_for(format!("setting the write cache of {}", self.name), ProgressSource::None);
        let set = self.control.write(self.file, state).map_err(|error| self.failed("the drive refuses it", &error));
        let after = self.facts()?;
        set?;
        if after.drive != Some(state) {
            let message = "the drive reports the other setting after it was set";
            return Err(refusal(&self.name, message));
        }
        if let Err(failure) = self.view(view) {
            if state == CacheState::On && before.drive == Some(CacheState::Off) {
                // Without flushes of the kernel, data would be lost that its user takes for durable.
                self.control.write(self.file, CacheState::Off).map_err(|error| self.failed("it stays on", &error))?;
            }
            return Err(failure);
        }
        self.facts()
    }

    // Sets the kernel's view, and reads it back.
    fn view(&self, wanted: &str) -> Result<(), Failure> {
        if kernel_view(&self.node).as_deref() == Some(wanted) {
            return Ok(());
        }
        let set = set_kernel_view(&self.node, wanted);
        let now = kernel_view(&self.node);
        if now.as_deref() == Some(wanted) {
            return Ok(());
        }
        let told = set.err().map_or_else(String::new, |error| format!(": {error}"));
        let message = format!("the kernel does not take it for {wanted:?} (queue/write_cache){told}");
        Err(refusal(&self.name, &message))
    }

    fn failed(&self, what: &str, error: &io::Error) -> Failure {
        Failure { errno: error.raw_os_error(), ..refusal(&self.name, &format!("{what}: {error}")) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, read_to_string, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    const VIEW: &str = "queue/write_cache";

    fn disk(folder: &Path, cache: &str, view: &str) -> Node {
        create_dir_all(folder.join("queue")).expect("it is new");
        write(folder.join("cache_type"), cache).expect("it is ours");
        write(folder.join(VIEW), view).expect("it is ours");
        Node { number: 1, folder: folder.to_owned(), start_bytes: 0, size_bytes: 1 << 20, partition: None }
    }

    fn device<'a>(file: &'a File, node: &Node) -> Device<'a> {
        let control = Control::of(node, file).expect("an attribute");
        Device { name: "/dev/sda".into(), file, node: node.clone(), control }
    }

    #[test]
    fn drive_and_kernel_have_the_setting() {
        let (folder, file) = (tempfile::tempdir().expect("a folder"), tempfile::tempfile().expect("a file"));
        // What the kernel takes the cache for may be wrong before.
        let node = disk(folder.path(), "write back", "write through");
        let device = device(&file, &node);
        for (state, text) in [(CacheState::Off, "write through"), (CacheState::On, "write back")] {
            let facts = device.set(state).expect("it can be set");
            assert_eq!((facts.drive, facts.kernel.as_deref()), (Some(state), Some(text)));
            assert_eq!(read_to_string(folder.path().join("cache_type")).expect("text"), text);
        }
        let facts = device.set_with_view(CacheState::On, "write through").expect("as it was");
        assert_eq!(facts.kernel.as_deref(), Some("write through"));
    }

    #[test]
    fn a_cache_that_the_kernel_would_not_flush_is_not_left_on() {
        let (folder, file) = (tempfile::tempdir().expect("a folder"), tempfile::tempfile().expect("a file"));
        let node = disk(folder.path(), "write through", "write through");
        set_permissions(folder.path().join(VIEW), PermissionsExt::from_mode(0o444)).expect("it is ours");
        if write(folder.path().join(VIEW), "write through").is_ok() {
            return; // Root may write it all the same.
        }
        let failure = device(&file, &node).set(CacheState::On).expect_err("it is refused");
        assert!(failure.message.contains("the kernel does not take it for"), "{}", failure.message);
        assert_eq!(read_to_string(folder.path().join("cache_type")).expect("text"), "write through");
    }
}
