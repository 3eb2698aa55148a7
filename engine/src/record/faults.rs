//! Failed, short and retried operations, counted by kind, class and errno.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Class;

/// The kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The operation failed.
    Error,
    /// The operation transferred less than requested.
    Short,
    /// The error was transient, and the operation was submitted again.
    Retry,
}

/// All faults of one kind, class, errno and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The class of operations.
    pub operation: Class,
    /// The kernel's errno; 0 for a short transfer.
    #[serde(flatten)]
    pub errno: Errno,
    /// How often it occurred.
    pub count: u64,
    /// The target's number, from 0.
    pub target: u32,
    /// The offset of the first one.
    pub offset_bytes_first: u64,
}

/// An errno, serialised with its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Serialize for Errno {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("errno", &self.0)?;
        map.serialize_entry("errno_name", errno_name(self.0))?;
        map.end()
    }
}

/// A bounded table of faults.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    kinds: Vec<Fault>,
}

/// The capacity of the table. Three kinds, five classes and about two dozen errnos are possible, so the table does not
/// fill up in practice. If it does, further faults are added to the last entry, so that the total stays correct.
const KINDS_MAX: usize = 64;

impl Faults {
    /// An empty table with its full capacity allocated.
    #[must_use]
    pub fn new() -> Self {
        Self { kinds: Vec::with_capacity(KINDS_MAX) }
    }

    /// Counts one fault.
    #[cold]
    pub fn record(&mut self, kind: FaultKind, operation: Class, errno: i32, offset_bytes: u64) {
        self.merge(&Fault {
            kind,
            operation,
            errno: Errno(errno),
            count: 1,
            target: 0,
            offset_bytes_first: offset_bytes,
        });
    }

    fn merge(&mut self, fault: &Fault) {
        let known = self.kinds.iter().position(|known| {
            Fault { count: 0, offset_bytes_first: 0, ..*known } == Fault { count: 0, offset_bytes_first: 0, ..*fault }
        });
        match known {
            Some(place) => self.kinds[place].count += fault.count,
            None if self.kinds.len() < KINDS_MAX => self.kinds.push(*fault),
            None => self.kinds[KINDS_MAX - 1].count += fault.count,
        }
    }

    /// Adds the faults of a worker on a target.
    pub fn add(&mut self, other: &Self, target: u32) {
        for fault in &other.kinds {
            self.merge(&Fault { target, ..*fault });
        }
    }

    /// Failed and short operations, without retries.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.kinds.iter().filter(|fault| fault.kind != FaultKind::Retry).map(|fault| fault.count).sum()
    }

    /// All entries.
    #[must_use]
    pub fn kinds(&self) -> &[Fault] {
        &self.kinds
    }
}

/// The symbol of an errno as in the kernel's headers; empty for 0.
#[must_use]
pub fn errno_name(errno: i32) -> &'static str {
    match errno {
        0 => "",
        libc::EPERM => "EPERM",
        libc::ENOENT => "ENOENT",
        libc::EINTR => "EINTR",
        libc::EIO => "EIO",
        libc::ENXIO => "ENXIO",
        libc::EBADF => "EBADF",
        libc::EAGAIN => "EAGAIN",
        libc::ENOMEM => "ENOMEM",
        libc::EACCES => "EACCES",
        libc::EFAULT => "EFAULT",
        libc::EBUSY => "EBUSY",
        libc::EEXIST => "EEXIST",
        libc::ENODEV => "ENODEV",
        libc::ENOTDIR => "ENOTDIR",
        libc::EISDIR => "EISDIR",
        libc::EINVAL => "EINVAL",
        libc::EMFILE => "EMFILE",
        libc::EFBIG => "EFBIG",
        libc::ENOSPC => "ENOSPC",
        libc::EROFS => "EROFS",
        libc::EPIPE => "EPIPE",
        libc::ENAMETOOLONG => "ENAMETOOLONG",
        libc::ENOSYS => "ENOSYS",
        libc::ELOOP => "ELOOP",
        libc::ENODATA => "ENODATA",
        libc::ETIME => "ETIME",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::ETIMEDOUT => "ETIMEDOUT",
        libc::EREMOTEIO => "EREMOTEIO",
        libc::EDQUOT => "EDQUOT",
        libc::ECANCELED => "ECANCELED",
        libc::ENOTCONN => "ENOTCONN",
        libc::ECONNABORTED => "ECONNABORTED",
        libc::ESHUTDOWN => "ESHUTDOWN",
        libc::ESTALE => "ESTALE",
        libc::ENOMEDIUM => "ENOMEDIUM",
        libc::ENOLINK => "ENOLINK",
        libc::EILSEQ => "EILSEQ",
        _ => "other",
    }
}
