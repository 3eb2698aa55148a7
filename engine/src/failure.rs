//! Failures as reported to the front end: a stable class, a message, and the kernel's errno if there is one.

use std::io;

use serde::Serialize;

use crate::record::errno_name;

/// The classes of failure. The front end has a hint for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A line that is not a command. Remedy: use a front end and an engine of the same build.
    Protocol,
    /// A command that needs an open target was sent before one was opened.
    NoTarget,
    /// The target cannot be opened, for a reason without a class of its own.
    TargetOpen,
    /// The path does not exist.
    TargetMissing,
    /// The file exists already and was to be created.
    TargetExists,
    /// The path is not a regular file.
    NotRegular,
    /// The path is not a block device.
    NotDevice,
    /// A block device was to be opened for writing, which the engine never does.
    DeviceWrite,
    /// The device is not an NVMe namespace that accepts passthrough commands.
    NoNamespace,
    /// Permission denied.
    NoRights,
    /// The file system is full, or the quota is exceeded.
    NoSpace,
    /// The file system does not support direct I/O.
    DirectRefused,
    /// The alignment that direct I/O requires cannot be determined.
    AlignmentUnknown,
    /// A job that cannot be run as requested.
    BadJob,
    /// A simulated drive that cannot be built as requested.
    BadModel,
    /// The kernel refused to set the engine up.
    EngineRefused,
    /// Another process holds the target's lock.
    Held,
    /// The target changed after it was opened.
    Changed,
    /// The device was removed from the computer, or given up by the kernel.
    Gone,
    /// Operations did not complete.
    Stuck,
    /// A requested class of operations completed nothing.
    NothingCompleted,
    /// A limit that the user set for the run was reached: bytes written, temperature or spare blocks.
    Limit,
    /// The ledger cannot be used.
    Ledger,
    /// The device cannot be purged as requested: the drive does not support it, or it would reach other namespaces.
    PurgeRefused,
    /// The write cache of the device cannot be set: the drive has none, or refuses it.
    CacheRefused,
    /// An operation failed with an error that ends the job.
    Io,
}

/// A failure, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The class of the failure.
    pub kind: FailureKind,
    /// What happened, in one sentence.
    pub message: String,
    /// The kernel's errno.
    pub errno: Option<i32>,
    /// Where on the target.
    pub offset_bytes: Option<u64>,
}

impl Failure {
    /// A failure without an errno.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), errno: None, offset_bytes: None }
    }

    /// Combines this failure with an earlier one. A failure of kind `Stuck` takes precedence, because nothing may wait
    /// for the target after it; the other message is appended. Then one of kind `Gone`, the later of two. Otherwise the
    /// first failure is kept, unless it is `NothingCompleted`, which the second one explains.
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        let (stuck, other) = match (self.kind, before.kind) {
            (FailureKind::Stuck, FailureKind::Stuck) => return before,
            (FailureKind::Stuck, _) => (self, before),
            (_, FailureKind::Stuck) => (before, self),
            (FailureKind::Gone, _) | (_, FailureKind::NothingCompleted) => return self,
            _ => return before,
        };
        Self {
            kind: stuck.kind,
            message: format!("{}; also: {}", stuck.message, other.message),
            errno: stuck.errno.or(other.errno),
            offset_bytes: stuck.offset_bytes.or(other.offset_bytes),
        }
    }

    /// A failure of a system call, where `what` describes the operation.
    #[must_use]
    pub fn from_io(kind: FailureKind, what: &str, error: &io::Error) -> Self {
        let errno = error.raw_os_error();
        let name = errno.map_or_else(|| error.to_string(), errno_text);
        Self { kind, message: format!("{what}: {name}"), errno, offset_bytes: None }
    }
}

/// The symbol of the errno, or the error's own text.
#[must_use]
pub fn symbol(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), |errno| errno_name(errno).to_owned())
}

/// The text of an errno, with its symbol.
#[must_use]
pub fn errno_text(errno: i32) -> String {
    let text = io::Error::from_raw_os_error(errno).to_string();
    let words = text.split(" (os error").next().unwrap_or(&text).to_owned();
    format!("{words} ({})", errno_name(errno))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(kinds: [FailureKind; 2]) -> Failure {
        let [before, after] = kinds.map(|kind| Failure::new(kind, format!("{kind:?}")));
        after.after(Some(before))
    }

    #[test]
    fn a_stuck_target_is_reported_first() {
        for kinds in [[FailureKind::Io, FailureKind::Stuck], [FailureKind::Stuck, FailureKind::Io]] {
            let found = combined(kinds);
            assert_eq!((found.kind, found.message.as_str()), (FailureKind::Stuck, "Stuck; also: Io"));
        }
    }

    #[test]
    fn otherwise_the_first_failure_is_kept() {
        assert_eq!(combined([FailureKind::Io, FailureKind::NoSpace]).message, "Io");
        assert_eq!(combined([FailureKind::Stuck, FailureKind::Stuck]).message, "Stuck");
        assert_eq!(combined([FailureKind::NothingCompleted, FailureKind::Changed]).message, "Changed");
    }

    #[test]
    fn a_device_that_is_gone_explains_the_errors_before() {
        assert_eq!(combined([FailureKind::Io, FailureKind::Gone]).message, "Gone");
        assert_eq!(combined([FailureKind::Gone, FailureKind::Io]).message, "Gone");
        assert_eq!(combined([FailureKind::Stuck, FailureKind::Gone]).message, "Stuck; also: Gone");
    }
}
