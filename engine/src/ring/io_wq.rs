//! io-wq workers: the kernel threads to which `io_uring` passes operations that would block.

use std::sync::atomic::{AtomicBool, Ordering};

use io_uring::IoUring;
use rustix::thread::sched_yield;

/// The maximum number of polls for a completion before the worker sleeps, while io-wq workers are busy: about 20 µs.
const SPIN_MAX: u32 = 64;

/// The io-wq workers of a job: state shared between its workers and the monitor.
#[derive(Debug, Default)]
pub struct IoWqWorkers {
    /// The CPUs for io-wq workers.
    pub cpus: Vec<u32>,
    /// Whether the io-wq workers are busy most of the time, so that they are the bottleneck.
    pub are_busy: AtomicBool,
}

impl IoWqWorkers {
    /// Sets the affinity of a ring's io-wq workers. By default, they stay on the CPU of the thread that created the
    /// ring, and compete with it. From Linux 6.2 on, they still start on that CPU, and have to be moved one by one.
    pub fn set_affinity(&self, ring: &IoUring) {
        // SAFETY: a CPU set is a plain array of bits, and all zeroes is the empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for cpu in self.cpus.iter().filter(|cpu| **cpu < libc::CPU_SETSIZE.cast_unsigned()) {
            // SAFETY: the set has a bit for that CPU.
            unsafe { libc::CPU_SET(*cpu as usize, &mut set) };
        }
        // Kernels before Linux 5.14 do not have this call, but do not pin io-wq workers either.
        let _ = ring.submitter().register_iowq_aff(&set);
    }

    /// Polls for a completion without sleeping if io-wq workers are busy. Returns whether there is one. If the worker
    /// slept, an io-wq worker would spend more time on waking it for each operation than on the operation.
    #[inline]
    pub fn spin_for_completion(&self, ring: &mut IoUring) -> bool {
        self.are_busy.load(Ordering::Relaxed)
            && (0..SPIN_MAX).any(|_| {
                let is_done = ring.submit().is_ok() && !ring.completion().is_empty();
                if !is_done {
                    // Lets an io-wq worker run first if it shares this CPU.
                    sched_yield();
                }
                is_done
            })
    }
}
