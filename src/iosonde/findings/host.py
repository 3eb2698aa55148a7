"""Rules about the host: its clocks, the CPUs that the run could use, and whether they were the limit."""

from collections.abc import Iterator

from iosonde.analysis.clocks import largest_drift_ppm
from iosonde.analysis.states import has_steal, steal_share
from iosonde.findings.case import Case, HostCase, count_of, distinct, name_some, of_trial
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine
from iosonde.units import SECOND_NS, format_percent
from iosonde.vocabulary import Poll

# ntpd slews a clock by at most 500 ppm; chronyd can slew it faster.
DRIFT_PPM_MAX = 500
WALL_STEP_NS_MAX = SECOND_NS
# A clock read takes 15 to 60 ns through the vDSO, and 200 to 2,000 ns as a system call that reads a chipset timer.
CLOCK_READ_NS_MAX = 200
# Above this share of a CPU, operations queue in the engine. (kbench uses 60 %, for the whole host.)
BUSY_MAX = 0.90


def clock_drift(case: Case) -> Iterator[Finding]:
    """The kernel clock drifted from the hardware clock, or the wall clock was set during the run."""
    worst_ppm = abs(largest_drift_ppm(case.run.cells) or 0.0)
    stepped = any(_wall_was_set(record) for record in case.run.cells)
    if worst_ppm > DRIFT_PPM_MAX:
        yield Finding(
            id="clock-drift",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The kernel's clock (CLOCK_MONOTONIC) drifted from the raw clock (CLOCK_MONOTONIC_RAW) by up to "
                f"{worst_ppm:,.0f} ppm. All latencies and durations in this run can be wrong by up to this amount."
            ),
            evidence=(("drift", f"{worst_ppm:,.0f} ppm"), ("limit", f"{DRIFT_PPM_MAX} ppm")),
            advice="Check the clock source and the time synchronisation (NTP, PTP) of the host.",
            deciding_test="Run again after the clock has stabilised.",
        )
    if stepped:
        yield Finding(
            id="wall-clock-set",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement="The wall clock was changed during the run. Durations and latencies are not affected.",
            evidence=(),
            advice="Do not use the timestamps of this run to correlate it with other logs.",
            deciding_test="",
        )


def _wall_was_set(record: CellRecord) -> bool:
    if record.clock_start is None or record.clock_end is None:
        return False
    engine_ns = record.clock_end.engine_ns - record.clock_start.engine_ns
    wall_ns = record.clock_end.wall_ns - record.clock_start.wall_ns
    return abs(wall_ns - engine_ns) > WALL_STEP_NS_MAX


def slow_clock(case: Case) -> Iterator[Finding]:
    """A clock read on a host takes as long as a system call."""
    for host in case.hosts:
        read_ns, source = host.engine.clock_read_ns, host.facts.clock_source
        if read_ns is not None and read_ns > CLOCK_READ_NS_MAX:
            yield _slow_clock(host, read_ns, source)


def _slow_clock(host: HostCase, read_ns: int, source: str) -> Finding:
    named = f" (clock source {source})" if source else ""
    return Finding(
        id="slow-clock",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"Reading the clock takes {read_ns:,} ns on {host.name_in('this host')}{named}. At low queue depth, the "
            "engine reads the clock twice per operation. The measured latency includes about one of these reads, and "
            "the engine's CPU time includes both."
        ),
        evidence=(
            ("clock read", f"{read_ns:,} ns"),
            ("limit", f"{CLOCK_READ_NS_MAX} ns"),
            *((("clock source", source),) if source else ()),
        ),
        advice=(
            "For latencies of a few microseconds, subtract the cost of one clock read. Select the fastest clock source "
            "listed in /sys/devices/system/clocksource/clocksource0/available_clocksource."
        ),
        deciding_test="Run again with the clock source tsc (kvm-clock in a virtual machine, arch_sys_counter on ARM).",
    )


def cpu_quota(case: Case) -> Iterator[Finding]:
    """A control group limits the run to less CPU time than the allowed CPUs have."""
    if case.is_simulated:
        return  # In virtual time, nothing waits for a CPU.
    for host in case.hosts:
        quota, allowed = host.facts.cpu_quota, host.facts.cpus_allowed
        if quota is not None and quota < allowed:
            yield Finding(
                id="cpu-quota",
                severity=Severity.DOUBTFUL,
                confidence=Confidence.LIKELY,
                statement=(
                    f"A cgroup CPU quota limits {host.name_in('this run', 'the run on')} to {quota:.2f} of {allowed} "
                    "CPUs. When the quota is exhausted, the kernel throttles the run until the next period, which "
                    "increases latency."
                ),
                evidence=(("CPU quota", f"{quota:.2f} CPUs"), ("CPUs allowed", str(allowed))),
                advice=(
                    "Tail latency is affected most, followed by results at high queue depth. Raise the container's CPU "
                    "limit and run again."
                ),
                deciding_test="Run again without a CPU limit.",
            )


def one_cpu(case: Case) -> Iterator[Finding]:
    """The engine, the front end and the kernel share one CPU."""
    for host in case.hosts:
        if host.facts.cpus_allowed == 1 and host.has_storage:
            yield Finding(
                id="one-cpu",
                severity=Severity.NOTE,
                confidence=Confidence.LIKELY,
                statement=(
                    f"{host.name_in('The run', 'The run on')} is limited to one CPU. The engine, interrupts and all "
                    "other tasks compete for this CPU, which increases latency."
                ),
                evidence=(("CPUs allowed", "1"),),
                advice="To measure tail latency, allow the run to use at least two CPUs (taskset, container cpuset).",
                deciding_test="Run again with two CPUs.",
            )


def far_from_device(case: Case) -> Iterator[Finding]:
    """Workers did not run on the NUMA node of the device."""
    nodes = {target.cpus_near for target in case.run.targets}
    near = next(iter(nodes)) if len(nodes) == 1 else ()
    far = case.records_where(lambda record: bool(near) and _is_pinned_elsewhere(record, near))
    device = case.run.header.target.device
    if far and device is not None:
        yield Finding(
            id="far-from-device",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{device.name} is attached to NUMA node {device.numa_node}, but this run is restricted to CPUs on "
                "other nodes. All I/O crosses NUMA nodes."
            ),
            evidence=(("NUMA node", str(device.numa_node)), ("CPUs on this NUMA node", " ".join(map(str, near)))),
            advice="Allow the run to use CPUs on that node (taskset, numactl, container cpuset).",
            deciding_test="Run again on the CPUs of that node.",
            cells=distinct(record.cell for record in far),
        )


def _is_pinned_elsewhere(record: CellRecord, near: tuple[int, ...]) -> bool:
    threads = () if record.cpu is None else record.cpu.threads
    return any(thread.cpu_pinned is not None and thread.cpu_pinned not in near for thread in threads)


def steal(case: Case) -> Iterator[Finding]:
    """The hypervisor gave CPU time to other guests during repeats that results are computed from."""
    stolen = [record for record in case.used if has_steal(record)]
    if stolen:
        stolen.sort(key=steal_share, reverse=True)
        worst = stolen[0]
        yield Finding(
            id="steal",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"In {case.trials(len(stolen))}, the hypervisor gave CPU time to other guests. Steal time "
                f"reached {format_percent(steal_share(worst), 1)} of the worker threads' elapsed time. The measured "
                "latency includes the resulting delays, which the target did not cause."
            ),
            evidence=tuple(of_trial(record, format_percent(steal_share(record), 1)) for record in stolen[:10]),
            advice="Treat the results of these cells with caution, especially tail latency.",
            deciding_test="Run again when the hypervisor is under less load.",
            cells=distinct(record.cell for record in stolen),
        )


def host_limited(case: Case) -> Iterator[Finding]:
    """An engine thread was busy nearly all the time."""
    busy = case.records_where(
        lambda record: _shows_the_host(record) and not _is_awake_by_design(record) and _busy(record) > BUSY_MAX
    )
    if busy:
        busy = sorted(busy, key=_busy, reverse=True)
        worst = busy[0]
        cells = distinct(record.cell for record in busy)
        yield Finding(
            id="host-limited",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"The bottleneck in {count_of(len(cells), 'cell')} may be the CPU, not the target. In {worst.cell}, "
                f"the engine thread was busy for {_busy_text(worst)} of the time."
            ),
            evidence=tuple(of_trial(record, _busy_text(record)) for record in busy[:10]),
            advice="The results may show the limit of one CPU core. To use more cores, increase --jobs.",
            deciding_test="Run the cell again on a faster CPU, or with twice as many jobs and half the queue depth.",
            cells=cells,
        )


def busy_by_design(case: Case) -> Iterator[Finding]:
    """The engine thread was awake all the time because the requested mode requires it."""
    awake = case.records_where(
        lambda record: _shows_the_host(record) and _is_awake_by_design(record) and _busy(record) > BUSY_MAX
    )
    if awake:
        cells = distinct(record.cell for record in awake)
        yield Finding(
            id="busy-by-design",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"In {name_some(cells)}, the engine thread was continuously busy, which is normal when it polls or "
                "busy-waits for the next arrival. Its CPU time does not show whether the host was the bottleneck."
            ),
            evidence=tuple(of_trial(record, _busy_text(record)) for record in awake[:10]),
            advice="With an arrival rate, check how late the engine submitted operations. With polling, compare with "
            "--poll interrupt.",
            deciding_test="",
            cells=cells,
        )


def _shows_the_host(record: CellRecord) -> bool:
    """Whether a busy thread shows a limit of the host. With the null and nop engines it always is busy."""
    return record.own_engine is not None and record.own_engine.engine not in {Engine.NULL, Engine.NOP}


def _is_awake_by_design(record: CellRecord) -> bool:
    """Whether the thread never sleeps: it polls the device, or waits for the arrivals of an open loop."""
    polls = record.own_engine is not None and record.own_engine.poll_mode == Poll.IOPOLL
    return polls or record.workload.is_open_loop


def _busy(record: CellRecord) -> float:
    user, system = _busiest(record)
    return user + system


def _busiest(record: CellRecord) -> tuple[float, float]:
    """The shares of the measurement time that the cell's busiest thread spent in user mode and in the kernel."""
    if not record.measured_ns or record.cpu is None or not record.cpu.threads:
        return 0.0, 0.0
    thread = max(record.cpu.threads, key=lambda each: each.user_ns + each.system_ns)
    return thread.user_ns / record.measured_ns, thread.system_ns / record.measured_ns


def _busy_text(record: CellRecord) -> str:
    user, system = _busiest(record)
    return f"{format_percent(user + system)} ({format_percent(user)} user, {format_percent(system)} system)"
