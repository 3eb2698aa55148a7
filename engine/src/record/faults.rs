//! Operations that went wrong, counted by kind, class and error number.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Class;

/// How an operation went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// It failed for good.
    Error,
    /// It moved less than asked.
    Short,
    /// It was submitted again.
    Retry,
}

/// All operations that went wrong in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// How.
    pub kind: FaultKind,
    /// What.
    pub operation: Class,
    /// The kernel's error number; 0 for a short transfer.
    #[serde(flatten)]
    pub errno: Errno,
    /// How many.
    pub count: u64,
    /// On which target, from 0.
    pub target: u32,
    /// Where the first one was.
    pub offset_bytes_first: u64,
}

/// An error number, which goes out with its symbol.
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

/// Three kinds, five classes and some two dozen error numbers that block I/O can give: never reached in practice,
/// and beyond it a fault is added to the last entry rather than lost.
const KINDS_MAX: usize = 64;

impl Faults {
    /// An empty table, with all the room that it will ever need.
    #[must_use]
    pub fn new() -> Self {
        Self { kinds: Vec::with_capacity(KINDS_MAX) }
    }

    /// Counts one operation that went wrong.
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

    /// Adds the faults of a worker on a target to these.
    pub fn add(&mut self, other: &Self, target: u32) {
        for fault in &other.kinds {
            self.merge(&Fault { target, ..*fault });
        }
    }

    /// Operations that failed or fell short; retries are not among them.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.kinds.iter().filter(|fault| fault.kind != FaultKind::Retry).map(|fault| fault.count).sum()
    }

    /// Each kind of fault.
    #[must_use]
    pub fn kinds(&self) -> &[Fault] {
        &self.kinds
    }
}

/// The symbol of an error number, as the kernel's headers spell it; empty for 0.
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
