//! What an operation that went wrong means for the job.

use crate::failure::{Failure, FailureKind, described};
use crate::record::{Class, FaultKind};

/// How long an operation is submitted again after EAGAIN, from its first submission on. A device whose queue is full says
/// so for a while; one that says so for half a minute takes nothing any more.
pub const RETRY_NS_MAX: u64 = 30_000_000_000;
/// Operations that may be lost before the job ends: enough to pass over a bad stretch of a medium, not enough to spin
/// on a device that is gone.
pub const LOST_MAX: u64 = 1000;

/// An operation that did not do what it was asked to.
#[derive(Clone, Copy, Debug)]
pub struct Mishap {
    /// What it was.
    pub class: Class,
    /// Where.
    pub offset_bytes: u64,
    /// What the kernel said: bytes moved, or an error number negated.
    pub result: i32,
    /// How long ago it was submitted for the first time.
    pub age_ns: u64,
}

impl Mishap {
    /// The kernel's error number; 0 for a short transfer.
    #[must_use]
    pub fn errno(&self) -> i32 {
        (-self.result).max(0)
    }

    /// How it is counted.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        match self.errno() {
            0 => FaultKind::Short,
            libc::EAGAIN | libc::EINTR if self.age_ns < RETRY_NS_MAX => FaultKind::Retry,
            _ => FaultKind::Error,
        }
    }

    /// Why the job must end, if it must; `lost` counts this operation too.
    #[must_use]
    pub fn ends_job(&self, lost: u64) -> Option<Failure> {
        let offset = self.offset_bytes;
        let errno = self.errno();
        let (kind, message) = if self.result == 0 {
            // Only at the end of a file does the kernel move nothing and call it a success.
            (FailureKind::Changed, format!("the target ends before offset {offset}: it was made shorter meanwhile"))
        } else if fatal(errno) {
            let full = matches!(errno, libc::ENOSPC | libc::EDQUOT);
            let kind = if full { FailureKind::NoSpace } else { FailureKind::Io };
            (kind, format!("{} at offset {offset}: {}", name(self.class), described(errno)))
        } else if errno > 0 && matches!(self.class, Class::Flush | Class::Commit) {
            // The kernel reports a failed write-back once, and forgets which writes it was about.
            let message = format!("fdatasync failed: {}; after that, a success proves nothing", described(errno));
            (FailureKind::Io, message)
        } else if lost > LOST_MAX {
            (FailureKind::Io, format!("more than {LOST_MAX} operations went wrong, the last one at offset {offset}"))
        } else {
            return None;
        };
        let mut failure = Failure::new(kind, message);
        failure.errno = (errno > 0).then_some(errno);
        failure.offset_bytes = Some(offset);
        Some(failure)
    }
}

/// Errors that the next operation would meet as well. EAGAIN is one once nobody tries again.
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
