//! The kernel's own threads, which `io_uring` hands an operation to that can't be begun without blocking.

use std::sync::atomic::{AtomicBool, Ordering};

use io_uring::IoUring;
use rustix::thread::sched_yield;

/// How often the kernel is asked for completions before the worker sleeps, while helpers are busy: some 20 us.
const ASK_MAX: u32 = 64;

/// What is known of the helpers of a job, to the workers that need them and to whoever watches them.
#[derive(Debug, Default)]
pub struct Helpers {
    /// Where they may run.
    pub cpus: Vec<u32>,
    /// Whether they are at work most of the time, so that a target does not wait for anything but them.
    pub are_busy: AtomicBool,
}

impl Helpers {
    /// Lets those of a ring run where they may. They would be held where the thread is that made the ring, and share its CPU
    /// with it. Kernels from Linux 6.2 on hold them there even so, until each is moved by itself.
    pub fn place(&self, ring: &IoUring) {
        // SAFETY: a set of CPUs is a plain array of bits, and no bits are an empty one.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for cpu in self.cpus.iter().filter(|cpu| **cpu < libc::CPU_SETSIZE.cast_unsigned()) {
            // SAFETY: the set has a bit for that number.
            unsafe { libc::CPU_SET(*cpu as usize, &mut set) };
        }
        // Kernels before Linux 5.14 hold them nowhere, and know no such call.
        let _ = ring.submitter().register_iowq_aff(&set);
    }

    /// Asks for completions without sleeping for a while, where helpers are busy; whether there is one. A helper that has
    /// to wake the worker for each operation spends more on that than on the operation.
    #[inline]
    pub fn ask(&self, ring: &mut IoUring) -> bool {
        self.are_busy.load(Ordering::Relaxed)
            && (0..ASK_MAX).any(|_| {
                let is_done = ring.submit().is_ok() && !ring.completion().is_empty();
                if !is_done {
                    // Should a helper have to share this CPU after all, it goes first.
                    sched_yield();
                }
                is_done
            })
    }
}
