"""Rules about the host: its clocks, the CPUs that it gave to the run, and whether they were the limit."""

from collections.abc import Iterator

from iosonde.analysis.clocks import furthest_drift_ppm
from iosonde.analysis.states import has_steal, steal_share
from iosonde.findings.case import Case, HostCase, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Poll

# NTP slews a clock by at most 500 parts in a million; beyond that the clock source itself is in doubt.
DRIFT_PPM_MAX = 500
WALL_STEP_NS_MAX = SECOND_NS
# Without a system call a read takes 15 to 60 ns; with one, and a timer of the chip set behind it, 200 to 2,000.
CLOCK_READ_NS_MAX = 200
# Above this share of a CPU, operations queue inside the engine (the bound that kbench uses is 60 % for a whole host).
BUSY_MAX = 0.90


def clock_drift(case: Case) -> Iterator[Finding]:
    """The clock that measured ran unlike the hardware's, or the wall clock was set meanwhile."""
    worst_ppm = abs(furthest_drift_ppm(case.run.cells) or 0.0)
    stepped = any(_wall_was_set(record) for record in case.run.cells)
    if worst_ppm > DRIFT_PPM_MAX:
        yield Finding(
            id="clock-drift",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The kernel's clock ran up to {worst_ppm:.0f} parts in a million unlike the hardware's: every time "
                "here is off by as much."
            ),
            evidence=(("drift", f"{worst_ppm:.0f} ppm"), ("bound", f"{DRIFT_PPM_MAX} ppm")),
            advice="Look at the clock source and the time service of the host.",
            deciding_test="The same run after the clock has settled.",
        )
    if stepped:
        yield Finding(
            id="wall-clock-set",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement="The wall clock was set while the run went on; durations and latencies do not depend on it.",
            evidence=(),
            advice="Don't line this run up with other logs by wall time.",
            deciding_test="",
        )


def _wall_was_set(record: CellRecord) -> bool:
    if record.clock_start is None or record.clock_end is None:
        return False
    engine_ns = record.clock_end.engine_ns - record.clock_start.engine_ns
    wall_ns = record.clock_end.wall_ns - record.clock_start.wall_ns
    return abs(wall_ns - engine_ns) > WALL_STEP_NS_MAX


def slow_clock(case: Case) -> Iterator[Finding]:
    """Reading the clock is a system call on a host, or takes as long."""
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
            f"Reading the clock takes {read_ns:,} ns on {host.name_in('this host')}{named}. Each operation of a "
            "shallow queue is stamped by two reads: about one of them is in its latency, and both are in the engine's "
            "own cost."
        ),
        evidence=(
            ("a read of the clock", f"{read_ns:,} ns"),
            ("bound", f"{CLOCK_READ_NS_MAX} ns"),
            *((("clock source", source),) if source else ()),
        ),
        advice=(
            "Take that much off latencies of a few microseconds. Let the kernel use its fastest source, where it "
            "trusts that: /sys/devices/system/clocksource/clocksource0/available_clocksource lists them."
        ),
        deciding_test="The same run with clock source tsc (kvm-clock in a virtual machine, arch_sys_counter on ARM).",
    )


def cpu_quota(case: Case) -> Iterator[Finding]:
    """A control group gives the run only a share of the CPUs of a host."""
    if case.is_simulated:
        return  # Nothing waits for a CPU in virtual time.
    for host in case.hosts:
        quota, allowed = host.facts.cpu_quota, host.facts.cpus_allowed
        if quota is not None and quota < allowed:
            yield Finding(
                id="cpu-quota",
                severity=Severity.DOUBTFUL,
                confidence=Confidence.LIKELY,
                statement=(
                    f"A control group gives {host.name_in('this run', 'the run on')} {quota:.2f} CPUs of {allowed}: "
                    "once they are spent it stands still until the next period, and that wait is in the latency."
                ),
                evidence=(("CPU quota", f"{quota:.2f} CPUs"), ("CPUs allowed", str(allowed))),
                advice="Distrust tails first, and figures at depth next; raise the container's CPU limit for a run.",
                deciding_test="The same run without a CPU limit.",
            )


def one_cpu(case: Case) -> Iterator[Finding]:
    """There is one CPU for the engine, the front and the kernel's part."""
    for host in case.hosts:
        if host.facts.cpus_allowed == 1 and host.has_storage:
            yield Finding(
                id="one-cpu",
                severity=Severity.NOTE,
                confidence=Confidence.LIKELY,
                statement=(
                    f"{host.name_in('The run', 'The run on')} may use one CPU only: engine, interrupts and everything "
                    "else on it wait for one another, and the wait is in the latency."
                ),
                evidence=(("CPUs allowed", "1"),),
                advice="Allow at least two CPUs (taskset, the container's cpuset) for tails that are the target's.",
                deciding_test="The same run with two CPUs.",
            )


def far_from_device(case: Case) -> Iterator[Finding]:
    """Workers ran on another NUMA node than the one that the device hangs on."""
    places = {target.cpus_near for target in case.run.targets}
    near = next(iter(places)) if len(places) == 1 else ()
    far = case.records_where(lambda record: bool(near) and _pinned_beside(record, near))
    device = case.run.header.target.device
    if far and device is not None:
        yield Finding(
            id="far-from-device",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{device.name} hangs on NUMA node {device.numa_node}, and this run may use no CPU of it: each "
                "operation crosses over from another node."
            ),
            evidence=(("NUMA node", str(device.numa_node)), ("CPUs near it", " ".join(map(str, near)))),
            advice="Allow CPUs of that node (taskset, numactl, the container's cpuset).",
            deciding_test="The same run on CPUs of that node.",
            cells=distinct(record.cell for record in far),
        )


def _pinned_beside(record: CellRecord, near: tuple[int, ...]) -> bool:
    threads = () if record.cpu is None else record.cpu.threads
    return any(thread.cpu_pinned is not None and thread.cpu_pinned not in near for thread in threads)


def steal(case: Case) -> Iterator[Finding]:
    """A hypervisor gave CPU time to others, and figures rest on what was measured meanwhile."""
    robbed = [record for record in case.used if has_steal(record)]
    if robbed:
        worst = max(robbed, key=steal_share)
        yield Finding(
            id="steal",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"The hypervisor gave CPU time to others, up to {steal_share(worst):.1%} of what the workers had "
                f"({count_of(len(robbed), 'measurement')}): latency then holds waits that are not the target's."
            ),
            evidence=tuple((record.cell, f"{steal_share(record):.1%}") for record in robbed[:10]),
            advice="Distrust the tail of these cells first.",
            deciding_test="The same run at a quieter time.",
            cells=distinct(record.cell for record in robbed),
        )


def host_limited(case: Case) -> Iterator[Finding]:
    """The engine's own thread was busy nearly all the time."""
    busy = case.records_where(
        lambda record: _shows_the_host(record) and not _is_awake_by_design(record) and _busy(record) > BUSY_MAX
    )
    if busy:
        worst = max(busy, key=_busy)
        cells = distinct(record.cell for record in busy)
        yield Finding(
            id="host-limited",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"The engine's thread was busy {_told_busy(worst)} of the time in {worst.cell}: the limit of "
                f"{count_of(len(cells), 'cell')} may be this CPU, not the target."
            ),
            evidence=tuple((record.cell, _told_busy(record)) for record in busy[:10]),
            advice="Take the figure for what one core of this host can drive; more --jobs use more cores.",
            deciding_test="The same cell with twice the jobs at half the queue depth, or on a faster CPU.",
            cells=cells,
        )


def busy_by_design(case: Case) -> Iterator[Finding]:
    """The engine's thread was awake all the time because that is how it was asked to work."""
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
                f"The engine's thread was awake all the time in {name_some(cells)}, as polling and open loops are: "
                "CPU time does not tell whether this host was the limit."
            ),
            evidence=tuple((record.cell, _told_busy(record)) for record in awake[:10]),
            advice="Go by the engine's own lag in an open loop; compare with --poll interrupt in a closed one.",
            deciding_test="",
            cells=cells,
        )


def _shows_the_host(record: CellRecord) -> bool:
    """On rings that lead nowhere there is nothing else to be busy with."""
    return record.own_engine is not None and record.own_engine.engine not in {Engine.NULL, Engine.NOP}


def _is_awake_by_design(record: CellRecord) -> bool:
    """Who polls the device never sleeps, and in an open loop the thread waits for arrivals awake."""
    polls = record.own_engine is not None and record.own_engine.poll_mode == Poll.IOPOLL
    return polls or record.workload.is_open_loop


def _busy(record: CellRecord) -> float:
    user, system = _busiest(record)
    return user + system


def _busiest(record: CellRecord) -> tuple[float, float]:
    """The shares of the time that the busiest of the cell's threads spent in user mode and in the kernel."""
    if not record.measured_ns or record.cpu is None or not record.cpu.threads:
        return 0.0, 0.0
    thread = max(record.cpu.threads, key=lambda each: each.user_ns + each.system_ns)
    return thread.user_ns / record.measured_ns, thread.system_ns / record.measured_ns


def _told_busy(record: CellRecord) -> str:
    user, system = _busiest(record)
    return f"{user + system:.0%} ({user:.0%} user, {system:.0%} system)"
