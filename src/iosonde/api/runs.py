"""A run, wherever it came from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.api.frame import Frame
from iosonde.records import RunHeader, RunRecord, TargetFacts
from iosonde.store import load_run

if TYPE_CHECKING:
    from iosonde.analysis.columns import Table
    from iosonde.analysis.run import RunAnalysis
    from iosonde.findings import Finding


class Run:
    """A run: what was measured, on what, and four tables of it.

    ``path`` is where it was read from, or None for a probe, which keeps nothing on disk.
    """

    def __init__(self, record: RunRecord, path: Path | None, *, whole: bool) -> None:
        """``whole`` says that the record holds its intervals; otherwise they are read from ``path`` when asked for."""
        assert whole or path is not None, "what is not at hand must lie somewhere"
        self._record = record
        self._whole = whole
        self._held: tuple[RunAnalysis, tuple[Finding, ...]] | None = None
        self.path = path

    def __repr__(self) -> str:
        state = "finished" if self.finished else "broken off"
        targets = ", ".join(target.path for target in self.targets)
        number = len(self._record.cells)
        measured = f"{number} measurement{'' if number == 1 else 's'}"
        return f"<iosonde run {self.name}: {measured} of {targets}, {state}>"

    @property
    def name(self) -> str:
        """The name of the run, such as ``20261120-173000-1f3a``."""
        return self.header.run

    @property
    def header(self) -> RunHeader:
        """All about the run but its figures: plan, seeds, host, engine, versions, as they were when it began."""
        return self._record.header

    @property
    def targets(self) -> tuple[TargetFacts, ...]:
        """What was measured, as it was last opened: identity, file system, device."""
        return self._record.targets

    @property
    def finished(self) -> bool:
        """Whether it came to its end; what was measured of one that was broken off is there all the same."""
        return self._record.finished

    @property
    def damage(self) -> str | None:
        """Which parts of the journal can't be read, and why; None when all of it can."""
        return self._record.damage

    @property
    def record(self) -> RunRecord:
        """The whole record, as the JSON has it. Raises RecordError when the run can't be read any more."""
        if not self._whole:
            assert self.path is not None, "checked when it was made"
            self._record = load_run(self.path)
            self._whole = True
        return self._record

    def cells(self) -> Frame:
        """A row for each cell, repeat and class of operations: ``cells.csv``."""
        from iosonde.analysis.tables import cell_table
        from iosonde.findings.table import with_validity

        # Neither these figures nor what makes them invalid needs intervals.
        analysis, findings = self._judged(self._record)
        return Frame(with_validity(cell_table(analysis), findings))

    def estimates(self) -> Frame:
        """A row for each cell and class of operations: every figure with its interval and error, ``estimates.csv``."""
        from iosonde.analysis.estimate_table import estimate_table
        from iosonde.findings.table import with_validity

        analysis, findings = self._judged(self._record)
        return Frame(with_validity(estimate_table(analysis), findings))

    def intervals(self) -> Frame:
        """A row for each interval and class of operations, warm-up included: ``intervals.csv``."""
        from iosonde.analysis.tables import interval_table

        return self._of_intervals(interval_table)

    def histograms(self) -> Frame:
        """A row for each bucket that was hit in an interval, with its bounds in ns and its count: ``histograms.csv``.

        Buckets are added, never averaged: sum ``count`` by ``bucket_low_ns`` for a distribution over many rows.
        """
        from iosonde.analysis.tables import histogram_table

        return self._of_intervals(histogram_table)

    def findings(self) -> Frame:
        """A row for each statement about validity, most severe first (docs/findings.md)."""
        from iosonde.findings.table import finding_table

        # Some of them look at intervals.
        _, findings = self._judged(self.record)
        return Frame(finding_table(findings))

    def _judged(self, record: RunRecord) -> tuple[RunAnalysis, tuple[Finding, ...]]:
        """A record's analysis and findings; computed again only once the record has got its intervals."""
        if self._held is None or self._held[0].recorded is not record:
            from iosonde.analysis.run import RunAnalysis
            from iosonde.findings import Case, find

            analysis = RunAnalysis(record)
            self._held = analysis, find(Case.of(analysis))
        return self._held

    def _of_intervals(self, table: Callable[[RunRecord], Table]) -> Frame:
        from iosonde.analysis.streams import by_stream

        return Frame(table(by_stream(self.record)))


def open_run(path: str | Path) -> Run:
    """Opens a run directory, or an archive of one. Raises RecordError.

    Intervals, the bulk of a run, are read when they are first asked for.
    """
    place = Path(path)
    return Run(load_run(place, intervals=False), place, whole=False)
