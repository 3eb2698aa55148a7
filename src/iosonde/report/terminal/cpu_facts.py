"""What a repeat needed of the CPUs, and at which frequency they ran."""

from iosonde.analysis.power import UW_PER_W
from iosonde.charts.quantities import NO_VALUE, significant
from iosonde.records import CellRecord
from iosonde.report.power_table import POWER_HEADS
from iosonde.units import format_duration, format_frequency
from iosonde.vocabulary import FrequencySource


def cpu_text(record: CellRecord) -> str:
    """The CPU time of the workers as shares of the measurement time."""
    if record.cpu is None or not record.measured_ns:
        return "unknown"
    user = sum(thread.user_ns for thread in record.cpu.threads) / record.measured_ns * 100
    system = sum(thread.system_ns for thread in record.cpu.threads) / record.measured_ns * 100
    return f"{user:.0f} % user + {system:.0f} % system"


def frequency_text(record: CellRecord) -> str:
    """The frequency of the workers' CPUs, and where it comes from."""
    found = None if record.cpu is None else record.cpu.frequency
    if found is None:
        return "unknown"
    low, high = found.frequency_hz_min, found.frequency_hz_max
    limits = "" if low == high else f" ({format_frequency(low)} to {format_frequency(high)})"
    where = "/proc/cpuinfo" if found.source is FrequencySource.CPUINFO else found.source
    readings = "1 reading" if found.readings == 1 else f"{found.readings} readings"
    cpus = "1 CPU" if found.cpus == 1 else f"{found.cpus} CPUs"
    return f"{format_frequency(found.frequency_hz_mean)}{limits}, {readings} of {cpus} from {where}"


def power_text(record: CellRecord) -> str:
    """The mean power of each source, with the number of its samples."""
    texts = [
        f"{POWER_HEADS[each.source].lower()} {significant(each.power_uw / UW_PER_W)} W ({each.samples} samples)"
        for each in record.power
    ]
    return ", ".join(texts) or NO_VALUE


def steal_text(record: CellRecord) -> str:
    """The CPU time that the hypervisor gave to other guests."""
    if record.cpu is None:
        return "unknown"
    return format_duration(record.cpu.steal_ns) if record.cpu.steal_ns else "none"


def switches_text(record: CellRecord) -> str:
    """Context switches and CPU migrations of the workers."""
    if record.cpu is None:
        return "unknown"
    waits = sum(thread.switches_voluntary for thread in record.cpu.threads)
    pushed = sum(thread.switches_involuntary for thread in record.cpu.threads)
    moves = [thread.migrations for thread in record.cpu.threads if thread.migrations is not None]
    moved = f", {sum(moves):,} CPU migrations" if moves else ""
    return f"{waits:,} voluntary, {pushed:,} involuntary{moved}"


def pins_text(record: CellRecord) -> str:
    """The CPU of each worker, ``no`` if the scheduler chose it."""
    if record.cpu is None:
        return "unknown"
    return " ".join("no" if thread.cpu_pinned is None else str(thread.cpu_pinned) for thread in record.cpu.threads)
