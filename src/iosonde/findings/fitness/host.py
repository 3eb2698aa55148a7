"""The host: what of it would spoil a measurement."""

from collections.abc import Iterator
from typing import Final

from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.records import HostFacts, HostState
from iosonde.units import format_duration, format_size

GROUP: Final = "Host"
LOAD_SHARE_MAX: Final = 0.5
"""With a load above this share of the CPUs, workers have to wait for a CPU."""

STEAL_PERCENT_MAX: Final = 1.0
DEEP_NS_MIN: Final = 50_000
"""Leaving an idle state that takes this long is visible in the latency of a fast drive."""

LOCKABLE_BYTES_MIN: Final = 64 << 20
"""Enough for the registered buffers of 16,384 operations of 4 KiB."""

FAST_CLOCKS: Final = frozenset({"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"})


def host_lines(facts: HostFacts, state: HostState) -> Iterator[FitnessLine]:
    """A line for each fact of the host."""
    cores = "" if facts.cores is None else f", {facts.cores} cores"
    yield _line("CPU", f"{facts.cpu_model or facts.architecture}, {facts.cpus_online} CPUs{cores}")
    if facts.cpus_allowed < facts.cpus_online:
        yield _line("CPUs allowed", str(facts.cpus_allowed), State.NOTE, "this process may not use all CPUs", "taskset")
    yield _line("memory", format_size(facts.memory_bytes))
    yield _line("kernel", facts.kernel)
    yield from _frequency(facts)
    yield _idle(state)
    if state.smt == "on":
        yield _line(
            "SMT", "on", State.NOTE, "two workers may share a core", "echo off > /sys/devices/system/cpu/smt/control"
        )
    elif state.smt:
        yield _line("SMT", state.smt)
    if state.mitigations:
        many = f"{len(state.mitigations)} active"
        yield _line("mitigations", many, State.NOTE, "they make system calls slower", "kernel option mitigations=off")
    yield _clock(facts)
    if state.io_uring_refused:
        yield _line(
            "io_uring",
            state.io_uring_refused,
            State.WARNING,
            "only psync is available, with one thread for each operation",
            "sysctl kernel.io_uring_disabled=0",
        )
    else:
        yield _line("io_uring", "available")
    yield _lockable(state)
    yield from _load(facts, state)
    if facts.virtual_machine:
        yield _line("virtual machine", facts.virtual_machine, State.NOTE, "results are those of the virtual disk")
    if facts.container:
        yield _line(
            "container",
            facts.container,
            State.NOTE,
            "it may share its drive, page cache and CPUs with others; a directory without a volume is on an overlay",
            "mount the directory to measure as a volume",
        )
    if facts.cpu_quota is not None:
        yield _line(
            "CPU quota",
            f"{facts.cpu_quota:g} CPUs",
            State.WARNING,
            "the control group throttles the workers",
            "cpu.max of the control group",
        )
    if facts.memory_limit_bytes is not None:
        yield _line("memory limit", format_size(facts.memory_limit_bytes), State.NOTE, "a limit of the control group")


def _line(subject: str, value: str, state: State = State.OK, reason: str = "", command: str = "") -> FitnessLine:
    return FitnessLine(GROUP, subject, value, state, reason, command)


def _frequency(facts: HostFacts) -> Iterator[FitnessLine]:
    driver = f" ({facts.frequency_driver})" if facts.frequency_driver else ""
    if not facts.governor:
        yield _line("frequency governor", "unknown", State.UNKNOWN, "the kernel does not report it")
    elif facts.governor == "performance":
        yield _line("frequency governor", f"{facts.governor}{driver}")
    else:
        yield _line(
            "frequency governor",
            f"{facts.governor}{driver}",
            State.WARNING,
            "the CPU slows down while it waits for I/O",
            "cpupower frequency-set --governor performance",
        )
    if facts.turbo:
        reason = "the frequency depends on temperature and load" if facts.turbo == "on" else ""
        yield _line("turbo", facts.turbo, State.NOTE if reason else State.OK, reason)


def _idle(state: HostState) -> FitnessLine:
    deep = [each for each in state.idle_states if not each.disabled and each.exit_latency_ns >= DEEP_NS_MIN]
    if not state.idle_states:
        return _line("idle states", "none reported", State.UNKNOWN, "a virtual machine does not show those of its host")
    if not deep:
        return _line("idle states", "none takes 50 µs or more to leave")
    worst = max(deep, key=lambda each: each.exit_latency_ns)
    return _line(
        "idle states",
        f"{worst.name} takes {format_duration(worst.exit_latency_ns)} to leave",
        State.NOTE,
        "an idle CPU adds this to the latency at depth 1",
        "iosonde run --hold-cstates, or cpupower idle-set --disable-by-latency 50",
    )


def _clock(facts: HostFacts) -> FitnessLine:
    if not facts.clock_source:
        return _line("clock source", "unknown", State.UNKNOWN, "the kernel does not report it")
    if facts.clock_source in FAST_CLOCKS:
        return _line("clock source", facts.clock_source)
    return _line(
        "clock source",
        facts.clock_source,
        State.WARNING,
        "reading this clock is a system call or slower",
        "kernel option clocksource=tsc",
    )


def _lockable(state: HostState) -> FitnessLine:
    if state.lockable_bytes is None:
        return _line("lockable memory", "unlimited")
    short = state.lockable_bytes < LOCKABLE_BYTES_MIN
    return _line(
        "lockable memory",
        format_size(state.lockable_bytes),
        State.NOTE if short else State.OK,
        "too little for registered buffers at high depths" if short else "",
        "ulimit -l unlimited" if short else "",
    )


def _load(facts: HostFacts, state: HostState) -> Iterator[FitnessLine]:
    if state.load_1m is not None:
        busy = state.load_1m > LOAD_SHARE_MAX * facts.cpus_allowed
        yield _line(
            "load",
            f"{state.load_1m:.2f}",
            State.WARNING if busy else State.OK,
            "other processes use the CPUs" if busy else "",
            "top" if busy else "",
        )
    if state.steal_percent is not None:
        stolen = state.steal_percent >= STEAL_PERCENT_MAX
        yield _line(
            "steal time",
            f"{state.steal_percent:.1f} %",
            State.WARNING if stolen else State.OK,
            "the hypervisor gives this time to others" if stolen else "",
        )
