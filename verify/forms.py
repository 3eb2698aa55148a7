"""One run of a full or short form of a standard procedure on a simulated drive, and the figures that it reports."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds, ReportedCell, procedures_of
from iosonde.analysis.procedures.reported import LEVELS, level_name
from iosonde.campaign import RunRequest
from iosonde.charts.procedures.styles import mix_name
from iosonde.plans.models import load_model
from iosonde.records import RunRecord, Workload
from iosonde.vocabulary import PhaseRole
from verify.campaigns import measured, profile_request

SCALED: Final = ("sata-dc", "enterprise-nvme", "client-nvme", "usb-stick", "cloud-burst")
"""The models with a capacity that can be scaled, and the times with it."""

DISKS: Final = ("disk-7200",)
"""A part of these is measured, and their times are scaled with it: the fills of a whole disk take a day."""

UNSCALED: Final = ("fixed", "md1", "mm1", "mmc")
"""These have no state. They take their real times if no scale is given."""

KINDS: Final = ("IOPS", "mean latency", *map(level_name, LEVELS), "maximum")
ROLES: Final = (PhaseRole.ROUNDS, PhaseRole.HISTOGRAM, PhaseRole.OPERATING_POINTS)
Figures = Mapping[tuple[str, ...], float]
"""Values of the report by what they are of: such as 35/65, 8 KiB, 4 x 32, IOPS."""


@dataclass(frozen=True)
class Job:
    """A form (such as ``pts-like``) of a test on a model, with a seed. ``scale`` divides capacity and times."""

    model: str
    test: str
    form: str
    seed: int
    scale: int

    @property
    def file_name(self) -> str:
        """Where a store has its figures."""
        return f"{self.form}-{self.test}-{self.model}-{self.scale}-{self.seed}.json"


@dataclass(frozen=True)
class Form:
    """What one run of a form reports, and how long it keeps the drive busy."""

    figures: Figures
    device_ns: int


def form_of(job: Job, store: Path | None = None) -> Form:
    """Runs one form of a test, or takes its figures from the store, a folder, if an earlier comparison left them."""
    file = None if store is None else store / job.file_name
    if file is not None and file.exists():
        return _read(file)
    run = measured(_request(job))
    figures: dict[tuple[str, ...], float] = {}
    for each in procedures_of(run):
        figures |= _figures(each)
    form = Form(figures, device_ns(run))
    if file is not None:
        _write(file, job, form)
    return form


def _request(job: Job) -> RunRequest:
    target = f"sim:{job.model},scale={job.scale}" if job.model in SCALED else f"sim:{job.model}"
    time_scale = None if job.model in SCALED or job.scale == 1 else job.scale
    size = None
    if job.model in DISKS and job.scale > 1:
        size = f"{load_model(job.model).size_bytes // job.scale}"
    return profile_request([target], f"{job.form}-{job.test}", seed=job.seed, size=size, time_scale=time_scale)


def device_ns(run: RunRecord) -> int:
    """The device time from the first trial to the last one, including preconditioning."""
    first, last = run.cells[0].clock_start, run.cells[-1].clock_end
    assert first is not None, "a simulated drive has a clock"
    assert last is not None, "a simulated drive has a clock"
    return last.engine_ns - first.engine_ns


def _figures(rounds: ProcedureRounds) -> Figures:
    found: dict[tuple[str, ...], float] = {}
    for role in ROLES:
        phase = rounds.of(role)
        for cell in () if phase is None else phase.reported:
            found |= {(*_place(role, cell.workload), kind): value for kind, value in _values(cell).items()}
    return found


def _place(role: PhaseRole, workload: Workload) -> tuple[str, ...]:
    jobs, depth = workload.jobs, workload.queue_depth
    return (role.value.replace("_", " "), mix_name(workload), workload.size_text, f"{jobs} x {depth}")


def _values(cell: ReportedCell) -> dict[str, float]:
    """The figures of a cell that are known. Throughput is IOPS times the block size."""
    every = (cell.iops, cell.latency_ns_mean, *cell.levels_ns, cell.latency_ns_max)
    return {kind: value for kind, value in zip(KINDS, every, strict=True) if value is not None}


def _write(file: Path, job: Job, form: Form) -> None:
    figures = [[list(place), value] for place, value in form.figures.items()]
    stored = {"job": asdict(job), "device_ns": form.device_ns, "figures": figures}
    new = file.with_suffix(".new")
    new.write_text(json.dumps(stored) + "\n", encoding="utf-8")
    new.rename(file)


def _read(file: Path) -> Form:
    stored = json.loads(file.read_text(encoding="utf-8"))
    return Form({tuple(place): value for place, value in stored["figures"]}, stored["device_ns"])
