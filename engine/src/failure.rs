//! What can go wrong, as the front is told: a stable word, a sentence, and the kernel's error number where there is one.

use std::io;

use serde::Serialize;

use crate::record::errno_name;

/// The classes of failure. The front knows a way out for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A line that is not a command. Mend: the front and the engine come from one build.
    Protocol,
    /// A command that needs an open target, before one was opened.
    NoTarget,
    /// The target can't be opened, for a reason that has no class of its own.
    TargetOpen,
    /// There is nothing at the path.
    TargetMissing,
    /// There is something at the path, and it should have been made.
    TargetExists,
    /// The path leads to something else than a regular file.
    NotRegular,
    /// The path leads to something else than a block device.
    NotDevice,
    /// A block device was to be written. It is only ever read.
    DeviceWrite,
    /// A device that is no namespace of NVMe which commands can be sent to.
    NoNamespace,
    /// The user may not.
    NoRights,
    /// The file system is full, or the quota is spent.
    NoSpace,
    /// The file system does not do direct I/O.
    DirectRefused,
    /// Nobody says what direct I/O must be aligned to.
    AlignmentUnknown,
    /// A job that can't be run as asked.
    BadJob,
    /// A simulated drive that can't be made as asked.
    BadModel,
    /// The kernel refused to set the engine up.
    EngineRefused,
    /// Another process measures it.
    Held,
    /// The target is not what it was when it was opened.
    Changed,
    /// Operations did not come back.
    Stuck,
    /// An asked direction completed nothing.
    NothingCompleted,
    /// What the run keeps of its writes can not be used.
    Ledger,
    /// The kernel answered an operation with an error that ends the job.
    Io,
}

/// A failure, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its class.
    pub kind: FailureKind,
    /// What happened, in a sentence's worth of words.
    pub message: String,
    /// The kernel's error number.
    pub errno: Option<i32>,
    /// Where in the target.
    pub offset_bytes: Option<u64>,
}

impl Failure {
    /// A failure that the kernel had no part in.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), errno: None, offset_bytes: None }
    }

    /// This failure, after `before`. Operations that did not come back are told first, and never hidden: nothing may wait
    /// for the target any more. Of two others the first one counts, but that nothing completed is what others explain.
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        let (stuck, other) = match (self.kind, before.kind) {
            (FailureKind::Stuck, FailureKind::Stuck) => return before,
            (FailureKind::Stuck, _) => (self, before),
            (_, FailureKind::Stuck) => (before, self),
            (_, FailureKind::NothingCompleted) => return self,
            _ => return before,
        };
        Self {
            kind: stuck.kind,
            message: format!("{}; besides, {}", stuck.message, other.message),
            errno: stuck.errno.or(other.errno),
            offset_bytes: stuck.offset_bytes.or(other.offset_bytes),
        }
    }

    /// A failure that the kernel reported while the engine did `what`.
    #[must_use]
    pub fn from_io(kind: FailureKind, what: &str, error: &io::Error) -> Self {
        let errno = error.raw_os_error();
        let name = errno.map_or_else(|| error.to_string(), described);
        Self { kind, message: format!("{what}: {name}"), errno, offset_bytes: None }
    }
}

/// The symbol of the kernel's error number, or what else the error says.
#[must_use]
pub fn symbol(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), |errno| errno_name(errno).to_owned())
}

/// An error number in words, with its symbol.
#[must_use]
pub fn described(errno: i32) -> String {
    let text = io::Error::from_raw_os_error(errno).to_string();
    let words = text.split(" (os error").next().unwrap_or(&text).to_owned();
    format!("{words} ({})", errno_name(errno))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(kinds: [FailureKind; 2]) -> Failure {
        let [before, after] = kinds.map(|kind| Failure::new(kind, format!("{kind:?}")));
        after.after(Some(before))
    }

    #[test]
    fn what_did_not_come_back_is_told_first_whatever_else_failed_before_or_after() {
        for kinds in [[FailureKind::Io, FailureKind::Stuck], [FailureKind::Stuck, FailureKind::Io]] {
            let found = met(kinds);
            assert_eq!((found.kind, found.message.as_str()), (FailureKind::Stuck, "Stuck; besides, Io"));
        }
    }

    #[test]
    fn of_two_others_the_first_counts() {
        assert_eq!(met([FailureKind::Io, FailureKind::NoSpace]).message, "Io");
        assert_eq!(met([FailureKind::Stuck, FailureKind::Stuck]).message, "Stuck");
        assert_eq!(met([FailureKind::NothingCompleted, FailureKind::Changed]).message, "Changed");
    }
}
