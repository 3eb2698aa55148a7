"""From flags to what a campaign wants."""

import secrets

from iosonde.campaign import TargetWish, Wish
from iosonde.errors import UsageError
from iosonde.plans import lab_plan, probe_plan
from iosonde.records import Timing, Workload
from iosonde.units import SECOND_NS, parse_bytes, parse_duration
from iosonde.vocabulary import Access, EngineChoice, Sync

PROFILES = ("lab",)
# Twenty intervals show a drift within a probe; shorter than a tenth of a second they are thin, longer than one few.
INTERVALS = 20
INTERVAL_NS_MIN = SECOND_NS // 10
INTERVAL_NS_MAX = SECOND_NS


def lab_wish(
    target: str,
    *,
    profile: str,
    quick: bool,
    size: str | None,
    overwrite: bool,
    buffered: bool,
    engine: EngineChoice,
    seed: int | None,
) -> Wish:
    """A campaign of the lab profile. Raises UsageError."""
    if profile not in PROFILES:
        raise UsageError(f"there is no profile '{profile}'", f"profiles: {', '.join(PROFILES)}")
    chosen_seed = fresh_seed() if seed is None else seed
    return Wish(
        target=TargetWish(
            word=target,
            size_bytes=None if size is None else parse_bytes(size, "--size"),
            overwrite=overwrite,
            buffered=buffered,
            writes=True,
            quick=quick,
        ),
        engine=engine,
        plan=lambda span_bytes, fill: lab_plan(quick=quick, seed=chosen_seed, span_bytes=span_bytes, fill=fill),
    )


def probe_wish(
    target: str,
    *,
    pattern: Access,
    read_percent: int,
    block_size: str,
    queue_depth: int,
    sync: Sync,
    duration: str,
    warmup: str,
    size: str | None,
    overwrite: bool,
    buffered: bool,
    engine: EngineChoice,
    seed: int | None,
) -> Wish:
    """A campaign of one cell. An existing file that is only read needs no --overwrite, unless it is to be filled."""
    workload = Workload(
        pattern=pattern,
        read_percent=read_percent,
        block_size_bytes=parse_bytes(block_size, "--block-size"),
        queue_depth=queue_depth,
        sync=sync,
    )
    timing = _timing(duration, warmup)
    chosen_seed = fresh_seed() if seed is None else seed
    return Wish(
        target=TargetWish(
            word=target,
            size_bytes=None if size is None else parse_bytes(size, "--size"),
            overwrite=overwrite,
            buffered=buffered,
            writes=workload.writes or overwrite,
            quick=True,
        ),
        engine=engine,
        plan=lambda span_bytes, fill: probe_plan(workload, timing, seed=chosen_seed, span_bytes=span_bytes, fill=fill),
    )


def fresh_seed() -> int:
    """A seed that nobody chose, small enough to stay exact in every JSON reader."""
    return secrets.randbelow(2**53)


def _timing(duration: str, warmup: str) -> Timing:
    measure_ns = parse_duration(duration, "--duration")
    interval_ns = min(max(measure_ns // INTERVALS, INTERVAL_NS_MIN), INTERVAL_NS_MAX)
    return Timing(warmup_ns=parse_duration(warmup, "--warmup"), measure_ns=measure_ns, interval_ns=interval_ns)
