//! Host statistics around a measurement: CPU time, context switches, steal, clocks.

use std::path::Path;

use rustix::process::{Resource, getrlimit};
use rustix::time::ClockId;
use serde::Serialize;

use crate::clock::{Clock, read};

/// One point in time on three clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockPair {
    /// The engine's clock.
    pub engine_ns: u64,
    /// The wall clock, since 1970.
    pub wall_ns: u64,
    /// The raw hardware clock, without NTP adjustment.
    pub raw_ns: u64,
}

impl ClockPair {
    /// The current time.
    pub fn now(clock: &impl Clock) -> Self {
        Self { engine_ns: clock.now(), wall_ns: read(ClockId::Realtime), raw_ns: read(ClockId::MonotonicRaw) }
    }
}

/// CPU time and context switches so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user mode.
    pub user_ns: u64,
    /// CPU time in the kernel.
    pub system_ns: u64,
    /// Voluntary context switches.
    pub switches_voluntary: u64,
    /// Involuntary context switches.
    pub switches_involuntary: u64,
}

impl Usage {
    /// Of the calling thread.
    #[must_use]
    pub fn of_thread() -> Self {
        Self::of(libc::RUSAGE_THREAD)
    }

    /// Of the whole process, including io-wq workers.
    #[must_use]
    pub fn of_process() -> Self {
        Self::of(libc::RUSAGE_SELF)
    }

    fn of(who: libc::c_int) -> Self {
        // SAFETY: all zeroes is a valid rusage.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live rusage. With these two arguments the call cannot fail.
        unsafe { libc::getrusage(who, &raw mut usage) };
        Self {
            user_ns: nanoseconds(usage.ru_utime),
            system_ns: nanoseconds(usage.ru_stime),
            switches_voluntary: usage.ru_nvcsw.cast_unsigned(),
            switches_involuntary: usage.ru_nivcsw.cast_unsigned(),
        }
    }

    /// The difference from an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            switches_voluntary: self.switches_voluntary.saturating_sub(earlier.switches_voluntary),
            switches_involuntary: self.switches_involuntary.saturating_sub(earlier.switches_involuntary),
        }
    }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_usec.cast_unsigned() * 1_000
}

/// Migrations of the calling thread to another CPU; None if the kernel does not report them.
#[must_use]
pub fn migrations() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/sched").ok()?;
    let line = text.lines().find(|line| line.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// CPU time stolen by the hypervisor, over all CPUs since boot; 0 if the kernel does not report it.
#[must_use]
pub fn steal_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    steal_in(&text, rustix::param::clock_ticks_per_second())
}

fn steal_in(stat: &str, ticks_per_s: u64) -> u64 {
    let ticks: u64 = stat.lines().next().and_then(|line| line.split_whitespace().nth(8)?.parse().ok()).unwrap_or(0);
    ticks_ns(ticks, ticks_per_s)
}

// Multiplies in 128 bits: on a machine with many CPUs, months of ticks would overflow 64 bits.
fn ticks_ns(ticks: u64, ticks_per_s: u64) -> u64 {
    let ns = u128::from(ticks) * 1_000_000_000 / u128::from(ticks_per_s.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// What a CPU did since boot besides running threads, in whole clock ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTimes {
    /// The number of the CPU.
    pub cpu: u32,
    /// Time stolen by the hypervisor.
    pub steal_ns: u64,
    /// Time in hard and soft interrupts.
    pub interrupt_ns: u64,
}

/// The times of all CPUs that are online; none if the kernel does not report them.
#[must_use]
pub fn processor_times() -> Vec<ProcessorTimes> {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks_per_s = rustix::param::clock_ticks_per_second();
    text.lines().filter_map(|line| processor_in(line, ticks_per_s)).collect()
}

// A line such as `cpu0 user nice system idle iowait irq softirq steal …`.
fn processor_in(line: &str, ticks_per_s: u64) -> Option<ProcessorTimes> {
    let (cpu, ticks) = line.strip_prefix("cpu")?.split_once(' ')?;
    let ticks: Vec<u64> = ticks.split_ascii_whitespace().map_while(|each| each.parse().ok()).collect();
    let ns = |ticks| ticks_ns(ticks, ticks_per_s);
    Some(ProcessorTimes {
        cpu: cpu.parse().ok()?,
        steal_ns: ns(*ticks.get(7)?),
        interrupt_ns: ns(ticks[5].saturating_add(ticks[6])),
    })
}

/// Memory that this process can still allocate: the host's available memory, bounded by the process's limits.
/// `u64::MAX` if unknown.
#[must_use]
pub fn memory_bytes_free() -> u64 {
    let facts = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = facts.lines().find_map(|line| line.strip_prefix("MemAvailable:")?.split_whitespace().next());
    let available = available.and_then(|number| number.parse::<u64>().ok()).map_or(u64::MAX, |kib| kib * 1024);
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Vec<u64> = pages.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    // RLIMIT_AS bounds all mappings, RLIMIT_DATA those for data and stacks.
    let left = |resource, used: Option<&u64>| {
        let used = used.copied().unwrap_or(0) * rustix::param::page_size() as u64;
        getrlimit(resource).current.map_or(u64::MAX, |limit| limit.saturating_sub(used))
    };
    available.min(left(Resource::As, pages.first())).min(left(Resource::Data, pages.get(5)))
}

/// The purpose of a kernel thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelThreadKind {
    /// Executes an operation that would block (io-wq).
    Worker,
    /// Polls the submission queue (SQPOLL).
    Submitter,
}

/// A kernel thread that `io_uring` has started for this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelThread {
    /// Its purpose.
    pub kind: KernelThreadKind,
    /// Its thread ID.
    pub thread: u32,
    /// Its CPU time; 0 if the kernel does not report it.
    pub cpu_ns: u64,
}

impl KernelThreadKind {
    fn named(name: &str) -> Option<Self> {
        if name.starts_with("iou-wrk") {
            Some(Self::Worker)
        } else if name.starts_with("iou-sqp") {
            Some(Self::Submitter)
        } else {
            None
        }
    }
}

/// The kernel threads that `io_uring` has started for this process.
#[must_use]
pub fn kernel_threads() -> Vec<KernelThread> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let found = tasks.flatten().filter_map(|task| {
        let kind = KernelThreadKind::named(&std::fs::read_to_string(task.path().join("comm")).ok()?)?;
        let thread = task.file_name().to_str()?.parse().ok()?;
        Some(KernelThread { kind, thread, cpu_ns: cpu_ns(&task.path().join("schedstat")) })
    });
    found.collect()
}

// The first field is the time on a CPU.
fn cpu_ns(schedstat: &Path) -> u64 {
    let text = std::fs::read_to_string(schedstat).unwrap_or_default();
    text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{ProcessorTimes, processor_in, steal_in};

    #[test]
    fn a_cpu_has_its_steal_and_both_kinds_of_interrupts() {
        let expected = ProcessorTimes { cpu: 12, steal_ns: 80_000_000, interrupt_ns: 130_000_000 };
        assert_eq!(processor_in("cpu12 1 2 3 4 5 6 7 8 0 0", 100), Some(expected));
        for line in ["cpu  1 2 3 4 5 6 7 8 0 0", "cpu1 1 2 3", "intr 1 2 3 4 5 6 7 8 9"] {
            assert_eq!(processor_in(line, 100), None);
        }
    }

    #[test]
    fn steal_does_not_overflow_after_years_on_many_cpus() {
        let stat = "cpu  1 2 3 4 5 6 7 20000000000 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";
        assert_eq!(steal_in(stat, 100), 200_000_000_000_000_000);
        assert_eq!(steal_in(&stat.replace("20000000000", &u64::MAX.to_string()), 100), u64::MAX);
        assert_eq!(steal_in("", 100), 0);
    }
}
