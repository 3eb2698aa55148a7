"""From flags, or keyword arguments of the same names, to what a campaign wants."""

import secrets
from collections.abc import Sequence

from iosonde.campaign.campaign import Wish
from iosonde.campaign.target_resolution import TargetWish
from iosonde.errors import UsageError
from iosonde.machine import Host
from iosonde.plans import (
    COUNT_MAX,
    DEFAULT_BUDGET_NS,
    JOBS_MAX,
    OPEN_LOOP_DEPTH,
    PRECISION_PERCENT_MAX,
    PRECISION_PERCENT_MIN,
    QUEUE_DEPTH_MAX,
    SEED_MAX,
    SLOW_FORMS,
    CampaignTable,
    Ground,
    campaign_plan,
    check_rate,
    check_whole,
    load_profile,
    probe_plan,
    read_campaign,
    timing_of,
)
from iosonde.plans.mistakes import read_text
from iosonde.records import Aim, Plan, Workload, parse_pattern, parse_sizes
from iosonde.records.workload import ALL_READS
from iosonde.units import parse_bytes, parse_duration, parse_percent, parse_rate
from iosonde.vocabulary import Arrivals, Data, EngineChoice, Poll, Sync


def campaign_wish(
    targets: Sequence[str],
    *,
    profile: str,
    quick: bool,
    size: str | None,
    overwrite: bool,
    buffered: bool,
    engine: EngineChoice,
    poll: Poll,
    seed: int | None,
    precision: str | None = None,
    budget: str | None = None,
    fixed: bool = False,
    host: Host,
    command: tuple[str, ...] = (),
) -> Wish:
    """A campaign of a profile, or of a file of the user's. Raises UsageError."""
    campaign = _campaign(profile)
    writes = any(read < ALL_READS for table in campaign.experiment for read in table.read)
    chosen_seed = _seed(seed)

    def plan(ground: Ground) -> Plan:
        # What is asked in a quick form is the same everywhere: an order of magnitude.
        slow = SLOW_FORMS.get(profile) if ground.slow and not quick else None
        chosen = campaign if slow is None else load_profile(slow)
        return campaign_plan(chosen, ground, quick=quick, seed=chosen_seed, aim=aim_of(chosen))

    def aim_of(chosen: CampaignTable) -> Aim | None:
        return _aim(chosen, precision, budget, fixed=fixed, quick=quick)

    aim_of(campaign)
    return Wish(
        target=_target_wish(
            targets,
            size,
            overwrite=overwrite,
            buffered=buffered,
            writes=writes,
            quick=quick,
            seed=chosen_seed,
            profile=profile,
        ),
        engine=engine,
        poll=poll,
        plan=plan,
        host=host,
        command=command,
    )


def _campaign(profile: str) -> CampaignTable:
    """What ``--profile`` names: a path has a slash or ends like a file, anything else is a name."""
    if "/" not in profile and not profile.endswith(".toml"):
        return load_profile(profile)
    text = read_text(profile, "a campaign file", "a profile such as lab")
    return read_campaign(text, profile)


def _aim(campaign: CampaignTable, precision: str | None, budget: str | None, *, fixed: bool, quick: bool) -> Aim | None:
    """How well figures are to be known: as the flags say, else as the campaign does; None for fixed times."""
    given = next(
        (flag for flag, value in (("--precision", precision), ("--budget", budget)) if value is not None), None
    )
    if given is not None and (fixed or quick):
        other = "--fixed" if fixed else "--quick"
        raise UsageError(f"{given} and {other} exclude each other: {other} has fixed times", "leave one of them away")
    if fixed or quick:
        return None
    percent = campaign.precision if precision is None else parse_percent(precision, "--precision")
    if percent is None:
        if budget is not None:
            raise UsageError(
                f"--budget {budget} is about how well figures are to be known, and {campaign.name} has fixed times",
                "add --precision, such as --precision 2%, or leave --budget away",
            )
        return None
    if not PRECISION_PERCENT_MIN <= percent <= PRECISION_PERCENT_MAX:
        bounds = f"{PRECISION_PERCENT_MIN:g}% to {PRECISION_PERCENT_MAX:g}%"
        raise UsageError(f"--precision {precision} is not within {bounds}", "give a precision such as 2%")
    budget_ns = campaign.budget if budget is None else parse_duration(budget, "--budget")
    return Aim(precision_percent=percent, budget_ns=budget_ns or DEFAULT_BUDGET_NS)


def probe_wish(
    targets: Sequence[str],
    *,
    pattern: str,
    read_percent: int,
    trim_percent: int,
    block_size: str,
    queue_depth: int | None,
    rate: str | None,
    arrivals: Arrivals | None,
    sync: Sync,
    flush_every: int,
    jobs: int,
    data: Data,
    compressible: int,
    duplicates: int,
    verify: bool,
    offset: str,
    span: str | None,
    burst: int | None,
    think_time: str | None,
    duration: str,
    warmup: str,
    size: str | None,
    overwrite: bool,
    buffered: bool,
    engine: EngineChoice,
    poll: Poll,
    seed: int | None,
    host: Host,
    command: tuple[str, ...] = (),
) -> Wish:
    """A campaign of one cell. An existing file that is only read needs no --overwrite, unless it is to be filled."""
    _check_shares(read_percent, trim_percent, compressible, duplicates)
    _check_counts(flush_every, jobs)
    rate_per_s, arrivals = _pace(rate, arrivals)
    sizes = parse_sizes(block_size, "--block-size")
    burst_operations, think_ns = _rest(burst, think_time)
    workload = Workload(
        pattern=parse_pattern(pattern, "--pattern"),
        read_percent=read_percent,
        trim_percent=trim_percent,
        block_size_bytes=sizes if isinstance(sizes, int) else sizes.largest_bytes,
        block_sizes=None if isinstance(sizes, int) else sizes,
        queue_depth=_depth(queue_depth, rate_per_s),
        sync=sync,
        flush_every=flush_every,
        jobs=jobs,
        data=data,
        compressible_percent=compressible,
        duplicates_percent=duplicates,
        verify=verify,
        targets=len(targets),
        rate_per_s=rate_per_s,
        arrivals=arrivals,
        offset_bytes=parse_bytes(offset, "--offset"),
        span_bytes=None if span is None else parse_bytes(span, "--span"),
        burst_operations=burst_operations,
        think_ns=think_ns,
    )
    timing = timing_of(parse_duration(warmup, "--warmup"), parse_duration(duration, "--duration"))
    chosen, changes = _seed(seed), workload.changes
    target = _target_wish(
        targets, size, overwrite=overwrite, buffered=buffered, writes=changes, quick=True, seed=chosen
    )
    return Wish(target, engine, lambda ground: probe_plan(workload, timing, ground, seed=chosen), host, poll, command)


def _check_shares(read_percent: int, trim_percent: int, compressible: int, duplicates: int) -> None:
    check_whole(read_percent, "--read", 0, ALL_READS)
    check_whole(trim_percent, "--trim", 0, ALL_READS - read_percent)
    check_whole(compressible, "--compressible", 0, 100)
    check_whole(duplicates, "--duplicates", 0, 100)
    if (compressible or duplicates) and read_percent + trim_percent == ALL_READS:
        raise UsageError(
            f"{'--compressible' if compressible else '--duplicates'} is about writes, and there are none",
            f"ask for writes (--read below 100), or leave {'it' if not (compressible and duplicates) else 'both'} away",
        )


def _check_counts(flush_every: int, jobs: int) -> None:
    check_whole(flush_every, "--flush-every", 1, COUNT_MAX)
    check_whole(jobs, "--jobs", 1, JOBS_MAX)


def _depth(queue_depth: int | None, rate_per_s: int | None) -> int:
    """What was asked for, or what fits the kind of loop."""
    if queue_depth is None:
        return 1 if rate_per_s is None else OPEN_LOOP_DEPTH
    check_whole(queue_depth, "--queue-depth", 1, QUEUE_DEPTH_MAX)
    return queue_depth


def _pace(rate: str | None, arrivals: Arrivals | None) -> tuple[int | None, Arrivals | None]:
    """What makes the loop open, or nothing. Arrivals are Poisson's unless somebody says otherwise."""
    if rate is None:
        if arrivals is not None:
            raise UsageError(
                f"--arrivals {arrivals} is about operations that are wanted at a rate, and there is none",
                "add --rate, such as --rate 20k, or leave --arrivals away",
            )
        return None, None
    rate_per_s = parse_rate(rate, "--rate")
    check_rate(rate_per_s)
    return rate_per_s, arrivals or Arrivals.POISSON


def _rest(burst: int | None, think_time: str | None) -> tuple[int | None, int | None]:
    """A burst and the rest behind it, or neither."""
    if burst is None and think_time is None:
        return None, None
    if burst is None or think_time is None:
        given, other = ("--think-time", "--burst 64") if burst is None else ("--burst", "--think-time 10ms")
        raise UsageError(f"{given} says half of how a worker rests", f"add the other half, such as {other}")
    check_whole(burst, "--burst", 1, COUNT_MAX)
    return burst, parse_duration(think_time, "--think-time")


def _target_wish(
    targets: Sequence[str],
    size: str | None,
    *,
    overwrite: bool,
    buffered: bool,
    writes: bool,
    quick: bool,
    seed: int,
    profile: str = "",
) -> TargetWish:
    return TargetWish(
        words=tuple(targets),
        size_bytes=None if size is None else parse_bytes(size, "--size"),
        overwrite=overwrite,
        buffered=buffered,
        # A target that may be overwritten is filled first, whatever is measured then.
        writes=writes or overwrite,
        quick=quick,
        seed=seed,
        writer=f"the profile {profile}" if profile else "what is asked",
        way_to_read="--profile reads" if profile else "--read 100",
    )


def _seed(seed: int | None) -> int:
    if seed is None:
        return secrets.randbelow(SEED_MAX + 1)
    check_whole(seed, "--seed", 0, SEED_MAX)
    return seed
