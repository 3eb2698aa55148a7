//! io-wq workers: the kernel threads to which `io_uring` passes operations that would block.

use std::sync::atomic::{AtomicBool, Ordering};

use io_uring::IoUring;
use rustix::thread::sched_yield;

/// Polls for a completion before the worker sleeps while io-wq workers are busy: about 20 µs.
const SPIN_MAX: u32 = 64;

/// The io-wq workers of a job: state shared between its workers and the monitor.
#[derive(Debug, Default)]
pub struct IoWqWorkers {
    /// The CPUs for io-wq workers.
    pub cpus: Vec<u32>,
    /// Whether they run most of the time, so that the target waits for them alone.
    pub are_busy: AtomicBool,
}

impl IoWqWorkers {
    /// Sets the affinity of a ring's io-wq workers. By default they stay on the CPU of the thread that created the
    /// ring, and compete with it. From Linux 6.2 on they still start there, until each is moved.
    pub fn set_affinity(&self, ring: &IoUring) {
        // SAFETY: a CPU set is a plain array of bits, and all zeroes is the empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for cpu in self.cpus.iter().filter(|cpu| **cpu < libc::CPU_SETSIZE.cast_unsigned()) {
            // SAFETY: the set has a bit for that CPU.
            unsafe { libc::CPU_SET(*cpu as usize, &mut set) };
        }
        // Kernels before Linux 5.14 do not pin them, and lack this call.
        let _ = ring.submitter().register_iowq_aff(&set);
    }

    /// Polls for a completion without sleeping while io-wq workers are busy. Returns whether there is one. An io-wq
    /// worker that has to wake the job's worker for each operation spends more time on that than on the operation.
    #[inline]
    pub fn spin_for_completion(&self, ring: &mut IoUring) -> bool {
        self.are_busy.load(Ordering::Relaxed)
            && (0..SPIN_MAX).any(|_| {
                let is_done = ring.submit().is_ok() && !ring.completion().is_empty();
                if !is_done {
                    // If an io-wq worker shares this CPU, it runs first.
                    sched_yield();
                }
                is_done
            })
    }
}
