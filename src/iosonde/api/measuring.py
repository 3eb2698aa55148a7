"""The measuring commands as functions, with the same options, checks and files on disk."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path

from iosonde.api.runs import Run
from iosonde.campaign import NullObserver, Preflight, RunRequest, measure_in_memory, measure_to_directory, preflight
from iosonde.campaign.outcomes import add_resume_hint, check_campaign, check_probe, has_started
from iosonde.campaign.preparing import NullPurgeObserver
from iosonde.campaign.purged_targets import purge_targets
from iosonde.campaign.requests import MeasuringOptions, campaign_request, limits_from, probe_campaign_request
from iosonde.campaign.write_caches import restore_left
from iosonde.errors import IosondeError, UsageError
from iosonde.failures import HOW_TO_REPORT
from iosonde.machine.local_host import LocalHost
from iosonde.plans import choice_of
from iosonde.plans.shipped_files import is_path
from iosonde.printing import quoted
from iosonde.vocabulary import EngineChoice, OnError, Poll
from iosonde.workload_keys import PROBE_KEYS


def _preflight(request: RunRequest, now: datetime) -> Preflight:
    """The preflight of a run, after settings of drives that killed runs have left were restored."""
    for setting, found in restore_left(request.host):
        if isinstance(found, IosondeError) or found.disk is None:
            reason = found.message if isinstance(found, IosondeError) else "no device has its identity"
            message = f"the write cache of {setting.device} is not restored: {reason}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
    return preflight(request, now)


class _Warner(NullObserver):
    """Observes only the files and settings that remain."""

    def left_behind(self, path: Path, reason: str) -> None:
        """Warns of the file; the results are kept."""
        warnings.warn(f"{path} could not be removed: {reason}", RuntimeWarning, stacklevel=2)

    def setting_left(self, device: str, reason: str) -> None:
        """Warns of the setting; the results are kept."""
        warnings.warn(f"the write cache of {device} was not restored: {reason}", RuntimeWarning, stacklevel=2)


def run(
    *targets: str | Path,
    profile: str | Path | None = None,
    purpose: str | Path | None = None,
    against: str | Path | None = None,
    quick: bool = False,
    precision: str | float | None = None,
    budget: str | None = None,
    fixed: bool = False,
    size: str | int | None = None,
    overwrite: bool = False,
    destroy: str | Sequence[str] = (),
    consent: str | Sequence[str] = (),
    hold_cstates: bool = False,
    power_command: str | None = None,
    on_error: str | None = None,
    max_writes: str | int | None = None,
    max_temperature: int | None = None,
    min_spare: int | None = None,
    buffered: bool = False,
    engine: str = "auto",
    poll: str = "interrupt",
    seed: int | None = None,
    out: str | Path | None = None,
    label: str = "",
    note: str = "",
) -> Run:
    """Measures targets with a whole campaign, as ``iosonde run`` does with the same options, and returns the run.

    ``profile`` is ``"lab"`` by default. ``purpose`` is the option ``--for``, whose name is a keyword of Python;
    ``Run.check`` returns its verdict, and that of ``against``. ``size`` is text with a unit, such as ``"8GiB"``, or
    bytes; ``precision`` is in percent. Nothing is printed. The run directory (``out``, by default ``./iosonde-RUN``)
    contains the same files as after the command. It keeps all results if the run is interrupted: after Ctrl-C, which
    raises KeyboardInterrupt, ``iosonde resume`` continues the run.

    Raises IosondeError. After a MeasurementError the whole run can be opened with ``open_run``.
    """
    asked, now = {name: value for name, value in locals().items() if name != "targets"}, datetime.now(UTC)
    # Imported here because the schema of expected values takes a quarter of a second to load, and a probe has none.
    from iosonde.expectations.names import campaign_and_bounds

    campaign, expected = campaign_and_bounds(_name(purpose), _name(profile), _name(against))
    options = MeasuringOptions(
        targets=_words(targets),
        size=_text(size),
        overwrite=overwrite,
        buffered=buffered,
        engine=choice_of(EngineChoice, engine, "--engine"),
        poll=choice_of(Poll, poll, "--poll"),
        seed=seed,
        host=LocalHost(),
        command=_call(run, targets, asked),
        destroy=_names(destroy, "destroy"),
        consents=_names(consent, "consent"),
        hold_cstates=hold_cstates,
        power_command=power_command,
        on_error=None if on_error is None else choice_of(OnError, on_error, "--on-error"),
        limits=limits_from(_text(max_writes), max_temperature, min_spare),
        label=label,
        note=note,
        expected=None if expected is None else expected.record,
    )
    aim = None if precision is None else str(precision)
    request = campaign_request(options, profile=campaign, quick=quick, precision=aim, budget=budget, fixed=fixed)
    ahead = purge_targets(request, _preflight(request, now), NullPurgeObserver(), now)
    if expected is not None:
        expected.check_cells(ahead.run, ahead.plan.cells)
    return _measured(request, ahead, Path(out or f"iosonde-{ahead.run}"), now)


def _measured(request: RunRequest, ahead: Preflight, directory: Path, now: datetime) -> Run:
    """Measures into a run directory, and derives its files."""
    try:
        measure_to_directory(request, ahead, directory, _Warner(), now)
        # Imported here because the analysis and report modules load slowly and are not needed to measure.
        from iosonde.report.derive import derive_files

        derived = derive_files(directory)
    except IosondeError as error:
        if has_started(directory, ahead.run):
            add_resume_hint(error, directory)
        raise
    for failure in derived.failures.failures:
        warnings.warn(
            f"{failure.statement}. {HOW_TO_REPORT.format(run=quoted(directory))}", RuntimeWarning, stacklevel=3
        )
    check_campaign(derived.analysis.run, directory, derived.page)
    return Run(derived.analysis.run, directory, whole=True)


def probe(
    *targets: str | Path,
    pattern: str = "random",
    read: int = 100,
    trim: int = 0,
    block_size: str | int = "4KiB",
    queue_depth: int | None = None,
    rate: str | int | None = None,
    arrivals: str | None = None,
    jobs: int = 1,
    sync: str = "none",
    flush_every: int = 1,
    data: str = "random",
    compressible: int = 0,
    duplicates: int = 0,
    verify: bool = False,
    offset: str | int = "0B",
    span: str | int | None = None,
    burst: int | None = None,
    think_time: str | None = None,
    write_cache: str | None = None,
    on_time: str | None = None,
    off_time: str | None = None,
    duration: str = "5s",
    warmup: str = "1s",
    size: str | int | None = None,
    overwrite: bool = False,
    destroy: str | Sequence[str] = (),
    consent: str | Sequence[str] = (),
    hold_cstates: bool = False,
    power_command: str | None = None,
    on_error: str | None = None,
    max_writes: str | int | None = None,
    max_temperature: int | None = None,
    min_spare: int | None = None,
    buffered: bool = False,
    engine: str = "auto",
    poll: str = "interrupt",
    seed: int | None = None,
) -> Run:
    """Runs one workload, as ``iosonde probe`` does with the same options, and returns the run. Leaves nothing on disk.

    Sizes are text with a unit, such as ``"4KiB"``, or bytes; times are text with a unit, such as ``"200ms"``; a rate is
    text such as ``"20k"``, or operations per second. Raises IosondeError; Ctrl-C raises KeyboardInterrupt after the
    test file has been removed.
    """
    asked, now = {name: value for name, value in locals().items() if name != "targets"}, datetime.now(UTC)
    options = MeasuringOptions(
        targets=_words(targets),
        size=_text(size),
        overwrite=overwrite,
        buffered=buffered,
        engine=choice_of(EngineChoice, engine, "--engine"),
        poll=choice_of(Poll, poll, "--poll"),
        seed=seed,
        host=LocalHost(),
        command=_call(probe, targets, asked),
        destroy=_names(destroy, "destroy"),
        consents=_names(consent, "consent"),
        hold_cstates=hold_cstates,
        power_command=power_command,
        on_error=None if on_error is None else choice_of(OnError, on_error, "--on-error"),
        limits=limits_from(_text(max_writes), max_temperature, min_spare),
    )
    request = probe_campaign_request(options, {key.name: asked[key.name] for key in PROBE_KEYS})
    record = measure_in_memory(request, _preflight(request, now), _Warner(), now)
    check_probe(record)
    return Run(record, None, whole=True)


def _words(targets: tuple[str | Path, ...]) -> list[str]:
    if not targets:
        raise UsageError("no target specified", 'pass a target, such as "/mnt/data"')
    for target in targets:
        if not isinstance(target, str | Path):
            raise UsageError(
                f"the target {target!r} is neither a string nor a path",
                'pass each target as a separate argument, such as "/mnt/data"',
            )
    return [str(target) for target in targets]


def _names(value: str | Sequence[str], option: str) -> tuple[str, ...]:
    """One name or several. Raises UsageError for anything else."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple | set | frozenset) or not all(isinstance(each, str) for each in names):
        raise UsageError(f"{option} is {value!r}, not a list of strings", f'pass a list, such as {option}=["S6Z1NJ0W"]')
    return tuple(names)


def _name(value: str | Path | None) -> str | None:
    """A name or a path, as the option takes it. A path without a folder is a file in the working directory."""
    if not isinstance(value, Path) or is_path(str(value)):
        return None if value is None else str(value)
    return f"./{value}"


def _text(size: str | int | None) -> str | None:
    return None if size is None else str(size)


def _call(function: Callable[..., Run], targets: tuple[str | Path, ...], asked: Mapping[str, object]) -> tuple[str]:
    """The call as recorded instead of a command line: all arguments that differ from the defaults."""
    defaults = {name: each.default for name, each in signature(function).parameters.items()}
    given = {name: value for name, value in asked.items() if value != defaults[name]}
    words = [repr(str(target)) for target in targets]
    for name, value in given.items():
        words.append(f"{name}={(str(value) if isinstance(value, Path) else value)!r}")
    return (f"iosonde.{function.__name__}({', '.join(words)})",)
