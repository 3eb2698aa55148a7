"""Makes the request for a campaign from flags, or from keyword arguments of the same names."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from iosonde.campaign.campaign import PlanMaker, RunRequest
from iosonde.campaign.target_resolution import TargetRequest
from iosonde.errors import UsageError
from iosonde.machine import Host
from iosonde.plans import (
    DEFAULT_BUDGET_NS,
    PRECISION_PERCENT_MAX,
    PRECISION_PERCENT_MIN,
    SEED_MAX,
    SLOW_FORMS,
    CampaignTable,
    Preconditioning,
    TargetInfo,
    campaign_plan,
    check_switch,
    check_whole,
    load_profile,
    preparation_plan,
    probe_plan,
    probe_request,
    read_campaign,
)
from iosonde.plans.procedure_files import has_procedures, procedure_names
from iosonde.plans.shipped_files import is_path
from iosonde.plans.validation_errors import read_text
from iosonde.records import NO_LIMITS, Aim, ExpectedValues, Plan, RunLimits
from iosonde.records.workload import ALL_READS
from iosonde.units import MILLISECOND_NS, parse_bytes, parse_duration, parse_percent
from iosonde.vocabulary import EngineChoice, OnError, Poll, PurgeMethod
from iosonde.workload_keys.bounds import DURATION_NS_MAX, DURATION_NS_MIN
from iosonde.workload_keys.keys import READ

if TYPE_CHECKING:
    from iosonde.plans.procedures import ProcedureCampaign

LABEL_LENGTH_MAX: Final = 64
NOTE_LENGTH_MAX: Final = 1000
CELSIUS_MIN: Final = 1
CELSIUS_MAX: Final = 150
PERCENT_MAX: Final = 100


@dataclass(frozen=True)
class MeasuringOptions:
    """The options that every command that measures has.

    If the seed is None, it is drawn at random. ``command`` is kept in the record. ``names_file`` says that the targets
    are names of files, not mistyped directories, so that a file without a suffix can be created. ``destroy`` has the
    identities of block devices whose contents may be destroyed, and ``consents`` the checks whose findings are
    accepted. A run that is ``only_planned`` needs neither. ``on_error`` replaces that of the campaign file.
    """

    targets: Sequence[str]
    size: str | None
    overwrite: bool
    buffered: bool
    engine: EngineChoice
    poll: Poll
    seed: int | None
    host: Host
    command: tuple[str, ...] = ()
    names_file: bool = False
    label: str = ""
    note: str = ""
    expected: ExpectedValues | None = None
    destroy: Sequence[str] = ()
    consents: Sequence[str] = ()
    only_planned: bool = False
    limits: RunLimits = NO_LIMITS
    hold_cstates: bool = False
    power_command: str | None = None
    on_error: OnError | None = None
    time_scale: int | None = None
    purge: PurgeMethod | None = None


def campaign_request(
    options: MeasuringOptions,
    *,
    profile: str,
    quick: bool,
    precision: str | None = None,
    budget: str | None = None,
    fixed: bool = False,
) -> RunRequest:
    """The request for a campaign from a profile or a campaign file. Raises UsageError."""
    _check_switches(options, quick=quick, fixed=fixed)
    procedures = named_procedures(profile)
    if procedures is not None:
        given = {"--precision": precision, "--budget": budget, "--fixed": fixed or None, "--quick": quick or None}
        _refuse_for_procedures(profile, given)
        return _procedures_request(options, procedures, profile)
    for flag, value in (("--purge", options.purge), ("--time-scale", options.time_scale)):
        if value is not None:
            raise UsageError(
                f"{flag} applies to standard procedures, and {profile} has none",
                f"omit {flag}, or specify a procedure such as --profile pts-iops",
            )
    campaign = _campaign(profile)
    reads = [read for table in campaign.experiment for read in table.values(READ)]
    writes = campaign.purge is not None or campaign.precondition is not None or any(read < ALL_READS for read in reads)
    seed = _seed(options)

    def plan(ground: TargetInfo) -> Plan:
        # --quick replaces the timings of every campaign by the same short ones, for results to an order of magnitude.
        slow = SLOW_FORMS.get(profile) if ground.slow and not quick else None
        chosen = campaign if slow is None else load_profile(slow)
        return _with_on_error(campaign_plan(chosen, ground, quick=quick, seed=seed, aim=aim_of(chosen)), options)

    def aim_of(chosen: CampaignTable) -> Aim | None:
        return _aim(chosen, precision, budget, fixed=fixed, quick=quick)

    aim_of(campaign)
    target = _target_request(options, writes=writes, quick=quick, seed=seed, profile=profile)
    command = campaign.power_command if options.power_command is None else options.power_command
    return replace(_request(options, target, plan), power_command=command or "")


def named_procedures(profile: str) -> "ProcedureCampaign | None":
    """The standard procedures that a profile or a campaign file consists of; None for any other. Raises UsageError."""
    if not is_path(profile):
        if profile not in procedure_names():
            return None
        # Imported here because the tables of a procedure take a while to load, and few campaigns need them.
        from iosonde.plans.procedures import load_procedures

        return load_procedures(profile)
    text = read_text(profile, "a campaign file", "a profile such as lab")
    if not has_procedures(text):
        return None
    from iosonde.plans.procedures import read_procedures

    return read_procedures(text, profile)


def _refuse_for_procedures(profile: str, given: Mapping[str, object]) -> None:
    for flag in (flag for flag, value in given.items() if value is not None):
        short = profile.replace("pts-", "pts-like-", 1)
        instead = f", or use the short form {short}" if flag == "--quick" and short in procedure_names() else ""
        raise UsageError(
            f"{flag} does not apply to {profile}, whose procedures decide when they end", f"omit {flag}{instead}"
        )


def _procedures_request(options: MeasuringOptions, campaign: "ProcedureCampaign", profile: str) -> RunRequest:
    from iosonde.plans.procedures import procedures_plan

    seed = _seed(options)
    writes = any(each.writes for each in campaign.procedure)
    if options.purge is not None:
        campaign = campaign.model_copy(update={"purge": options.purge})
    target = _target_request(options, writes=writes, quick=False, seed=seed, profile=profile)

    def plan(ground: TargetInfo) -> Plan:
        # A simulated drive of a part of the capacity has the same drive fills in the same part of the time.
        scale = options.time_scale or ground.scale
        try:
            found = procedures_plan(campaign, ground, seed=seed, time_scale=scale)
        except UsageError as error:
            if not is_path(profile):
                raise
            # A mistake that only the target and the cells together show has no line.
            raise UsageError(f"{profile}: {error.message}", error.hint) from error
        return _with_on_error(found, options)

    command = campaign.power_command if options.power_command is None else options.power_command
    return replace(_request(options, target, plan), power_command=command or "")


def preparation_request(options: MeasuringOptions, asked: Preconditioning, purge: PurgeMethod | None) -> RunRequest:
    """The request for a run that only preconditions, after a purge by the caller. Raises UsageError."""
    seed = _seed(options)
    target = _target_request(options, writes=True, quick=False, seed=seed)
    target = replace(target, writer="preconditioning", way_to_read="`iosonde doctor`")
    return _request(options, target, lambda ground: preparation_plan(asked, ground, seed, purge))


def _campaign(profile: str) -> CampaignTable:
    """The campaign that ``--profile`` names: a file if the value has a slash or ends in .toml, else a profile."""
    if not is_path(profile):
        return load_profile(profile)
    text = read_text(profile, "a campaign file", "a profile such as lab")
    return read_campaign(text, profile)


def _aim(campaign: CampaignTable, precision: str | None, budget: str | None, *, fixed: bool, quick: bool) -> Aim | None:
    """The requested precision and budget: from the flags, else the campaign; None for fixed repeats and durations."""
    given = next(
        (flag for flag, value in (("--precision", precision), ("--budget", budget)) if value is not None), None
    )
    if given is not None and (fixed or quick):
        other = "--fixed" if fixed else "--quick"
        raise UsageError(
            f"{given} and {other} cannot be combined: {other} uses fixed repeats and durations", "omit one of them"
        )
    if fixed or quick:
        return None
    percent = campaign.precision if precision is None else parse_percent(precision, "--precision")
    if percent is None:
        if budget is not None:
            raise UsageError(
                f"--budget {budget} requires a target precision, but {campaign.name} uses fixed repeats and durations",
                "add --precision, such as --precision 2%, or omit --budget",
            )
        return None
    if not PRECISION_PERCENT_MIN <= percent <= PRECISION_PERCENT_MAX:
        bounds = f"{PRECISION_PERCENT_MIN:g}% to {PRECISION_PERCENT_MAX:g}%"
        raise UsageError(f"--precision {precision} is not in the range {bounds}", "use a precision such as 2%")
    budget_ns = campaign.budget if budget is None else _budget_ns(budget)
    return Aim(precision_percent=percent, budget_ns=budget_ns or DEFAULT_BUDGET_NS)


def _check_switches(options: MeasuringOptions, **others: bool) -> None:
    """Raises UsageError unless all are True or False. A script could pass any other true value."""
    for name, value in {
        "overwrite": options.overwrite,
        "buffered": options.buffered,
        "hold-cstates": options.hold_cstates,
        **others,
    }.items():
        check_switch(value, f"--{name}")


def _budget_ns(budget: str) -> int:
    """A budget in ns. Raises UsageError for a value that is not a time, or out of the bounds of the campaign key."""
    budget_ns = parse_duration(str(budget), "--budget")
    if not DURATION_NS_MIN <= budget_ns <= DURATION_NS_MAX:
        raise UsageError(
            f"--budget {budget} is not in the range {DURATION_NS_MIN // MILLISECOND_NS} ms to 30 days",
            "use a time such as 5m",
        )
    return budget_ns


def probe_campaign_request(options: MeasuringOptions, workload: Mapping[str, Any]) -> RunRequest:
    """The request for a campaign of one cell. ``workload`` has a value for each of ``PROBE_KEYS``. Raises UsageError.

    An existing file that is only read needs no --overwrite, unless it is preconditioned.
    """
    _check_switches(options)
    requested, timing = probe_request(workload, targets=len(options.targets))
    seed = _seed(options)
    return _request(
        options,
        _target_request(options, writes=requested.changes, quick=True, seed=seed),
        lambda ground: _with_on_error(probe_plan(requested, timing, ground, seed=seed), options),
    )


def _with_on_error(plan: Plan, options: MeasuringOptions) -> Plan:
    return plan if options.on_error is None else plan.model_copy(update={"on_error": options.on_error})


def _request(options: MeasuringOptions, target: TargetRequest, plan: PlanMaker) -> RunRequest:
    return RunRequest(
        target=target,
        engine=options.engine,
        poll=options.poll,
        plan=plan,
        host=options.host,
        command=options.command,
        label=_words_of_user(options.label, "--label", LABEL_LENGTH_MAX),
        note=_words_of_user(options.note, "--note", NOTE_LENGTH_MAX),
        expected=options.expected,
        limits=options.limits,
        hold_cstates=options.hold_cstates,
        power_command=options.power_command or "",
    )


def _words_of_user(text: str, flag: str, length_max: int) -> str:
    """A label or a note. Raises UsageError if it is too long, or if it has control characters."""
    if len(text) > length_max:
        raise UsageError(f"{flag} has {len(text)} characters, more than {length_max}", "shorten it")
    if not text.isprintable():
        raise UsageError(f"{flag} contains a control character, such as a line break", "write it on one line")
    return text


def _target_request(
    options: MeasuringOptions, *, writes: bool, quick: bool, seed: int, profile: str = ""
) -> TargetRequest:
    return TargetRequest(
        words=tuple(options.targets),
        size_bytes=None if options.size is None else parse_bytes(options.size, "--size"),
        overwrite=options.overwrite,
        buffered=options.buffered,
        # A target that may be overwritten is preconditioned first, also before reads.
        writes=writes or options.overwrite,
        quick=quick,
        seed=seed,
        writer=f"the profile {profile}" if profile else "the requested workload",
        way_to_read="--profile reads" if profile else "--read 100",
        names_file=options.names_file,
        destroy=tuple(options.destroy),
        consents=tuple(options.consents),
        only_planned=options.only_planned,
    )


def _seed(options: MeasuringOptions) -> int:
    if options.seed is None:
        return secrets.randbelow(SEED_MAX + 1)
    check_whole(options.seed, "--seed", 0, SEED_MAX)
    return options.seed


def limits_from(max_writes: str | None, max_temperature: int | None, min_spare: int | None) -> RunLimits:
    """The limits that options state. Raises UsageError."""
    _check_range(max_temperature, "--max-temperature", CELSIUS_MIN, CELSIUS_MAX, "°C")
    _check_range(min_spare, "--min-spare", 0, PERCENT_MAX, "%")
    return RunLimits(
        written_bytes_max=None if max_writes is None else parse_bytes(max_writes, "--max-writes"),
        temperature_celsius_max=max_temperature,
        spare_percent_min=min_spare,
    )


def _check_range(value: int | None, flag: str, least: int, most: int, unit: str) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(
            f"{flag} {value} is not in the range {least} to {most} {unit}", "use a value in this range, or omit it"
        )
