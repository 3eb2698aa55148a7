//! Consequences of failed operations for the job.

use crate::failure::{Failure, FailureKind, errno_text};
use crate::record::{Class, FaultKind};

/// How long an operation is retried after EAGAIN, counted from its first submission. A full device queue causes EAGAIN
/// for a while, but after half a minute the device does not accept operations any more.
pub const RETRY_NS_MAX: u64 = 30_000_000_000;
/// An operation that did not succeed.
#[derive(Clone, Copy, Debug)]
pub struct FaultyCompletion {
    /// Its class.
    pub class: Class,
    /// Its offset.
    pub offset_bytes: u64,
    /// Bytes transferred, or the negated errno.
    pub result: i32,
    /// Time since its first submission.
    pub age_ns: u64,
}

impl FaultyCompletion {
    /// The errno; 0 for a short transfer.
    #[must_use]
    pub fn errno(&self) -> i32 {
        (-self.result).max(0)
    }

    /// The kind of fault that it is counted as.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        match self.errno() {
            0 => FaultKind::Short,
            libc::EAGAIN | libc::EINTR if self.age_ns < RETRY_NS_MAX => FaultKind::Retry,
            _ => FaultKind::Error,
        }
    }

    /// The failure that ends the job, if any; `failed` includes this operation, and `failed_max` are tolerated.
    #[must_use]
    pub fn ends_job(&self, failed: u64, failed_max: u64) -> Option<Failure> {
        let offset = self.offset_bytes;
        let errno = self.errno();
        let (kind, message) = if self.result == 0 {
            // The kernel successfully transfers 0 bytes only at the end of a file.
            (
                FailureKind::Changed,
                format!("the target ends before offset {offset}: it was truncated during the measurement"),
            )
        } else if fatal(errno) {
            let full = matches!(errno, libc::ENOSPC | libc::EDQUOT);
            let kind = if full { FailureKind::NoSpace } else { FailureKind::Io };
            (kind, format!("{} at offset {offset}: {}", name(self.class), errno_text(errno)))
        } else if errno > 0 && matches!(self.class, Class::Flush | Class::Commit) {
            // The kernel reports a write-back error only once, and does not report which writes failed.
            let message = format!(
                "fdatasync failed: {}; later successful calls do not prove that the data is durable",
                errno_text(errno)
            );
            (FailureKind::Io, message)
        } else if failed > failed_max && failed_max == 0 && errno > 0 {
            (FailureKind::Io, format!("{} at offset {offset}: {}", name(self.class), errno_text(errno)))
        } else if failed > failed_max && failed_max == 0 {
            (FailureKind::Io, format!("{} at offset {offset}: only {} bytes", name(self.class), self.result))
        } else if failed > failed_max {
            (FailureKind::Io, format!("more than {failed_max} operations failed, the last one at offset {offset}"))
        } else {
            return None;
        };
        let mut failure = Failure::new(kind, message);
        failure.errno = (errno > 0).then_some(errno);
        failure.offset_bytes = Some(offset);
        Some(failure)
    }
}

/// Whether the next operation would fail with the same error. EAGAIN and EINTR only arrive here after the retries.
fn fatal(errno: i32) -> bool {
    matches!(
        errno,
        libc::EAGAIN
            | libc::EINTR
            | libc::ENOSPC
            | libc::EDQUOT
            | libc::EROFS
            | libc::EFBIG
            | libc::EBADF
            | libc::EINVAL
            | libc::EFAULT
            | libc::ENODEV
            | libc::ENXIO
            | libc::ENOTCONN
            | libc::ESHUTDOWN
            | libc::ESTALE
            | libc::ENOMEDIUM
            | libc::EPERM
            | libc::EACCES
            | libc::EOPNOTSUPP
    )
}

fn name(class: Class) -> &'static str {
    match class {
        Class::Read => "read",
        Class::Write => "write",
        Class::Trim => "trim",
        Class::Flush | Class::Commit => "flush",
    }
}
