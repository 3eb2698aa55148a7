"""A run, read from a path or just measured."""

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
    from iosonde.expectations import CheckedResults
    from iosonde.findings import Finding


class Run:
    """A run: its header, its targets, and its results as tables.

    ``path`` is the path it was read from, or None for a probe, which stores nothing on disk.
    """

    def __init__(self, record: RunRecord, path: Path | None, *, whole: bool) -> None:
        """``whole`` means that the record contains its intervals; otherwise they are read from ``path`` on demand."""
        assert whole or path is not None, "a path is required if the record has no intervals"
        self._record = record
        self._whole = whole
        self._held: tuple[RunAnalysis, tuple[Finding, ...]] | None = None
        self.path = path

    def __repr__(self) -> str:
        state = "finished" if self.finished else "interrupted"
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
        """Everything about the run except its results: plan, seeds, host, engine and versions at its start."""
        return self._record.header

    @property
    def targets(self) -> tuple[TargetFacts, ...]:
        """The targets as last opened: identity, file system, device."""
        return self._record.targets

    @property
    def finished(self) -> bool:
        """Whether the run is complete. An interrupted run has the results up to its interruption."""
        return self._record.finished

    @property
    def damage(self) -> str | None:
        """The unreadable parts of the journal, with the reason; None if all of it can be read."""
        return self._record.damage

    @property
    def record(self) -> RunRecord:
        """The whole record, with the fields of the JSON output. Raises RecordError if the run is no longer readable."""
        if not self._whole:
            assert self.path is not None, "checked by the constructor"
            self._record = load_run(self.path)
            self._whole = True
        return self._record

    def cells(self) -> Frame:
        """A row for each cell, repeat and operation: ``cells.csv``."""
        from iosonde.analysis.tables import cell_table
        from iosonde.findings.table import with_validity

        # Neither these results nor the findings that make them invalid need intervals.
        analysis, findings = self._judged(self._record)
        return Frame(with_validity(cell_table(analysis), findings))

    def estimates(self) -> Frame:
        """A row for each cell and operation: every result with its 95 % interval and error, ``estimates.csv``."""
        from iosonde.analysis.estimate_table import estimate_table
        from iosonde.findings.table import with_validity

        analysis, findings = self._judged(self._record)
        return Frame(with_validity(estimate_table(analysis), findings))

    def intervals(self) -> Frame:
        """A row for each interval and operation, including the warm-up: ``intervals.csv``."""
        from iosonde.analysis.tables import interval_table

        return self._of_intervals(interval_table)

    def histograms(self) -> Frame:
        """A row for each non-empty bucket of an interval, with its bounds in ns and its count: ``histograms.csv``.

        Add buckets, never average them: sum ``count`` by ``bucket_low_ns`` for a distribution over many rows.
        """
        from iosonde.analysis.tables import histogram_table

        return self._of_intervals(histogram_table)

    def findings(self) -> Frame:
        """A row for each finding about validity, most severe first (docs/findings.md)."""
        from iosonde.findings.table import finding_table

        # Some of the findings need intervals.
        _, findings = self._judged(self.record)
        return Frame(finding_table(findings))

    def check(self, against: str | Path | None = None) -> CheckedResults:
        """Compares the run with expected values, as ``iosonde check`` does, and returns typed checks.

        ``against`` is the name of a data sheet or a purpose, or the path of a file. Without it, the run is compared
        with the values that it was started with (``purpose`` or ``against``). ``verdict`` of the result is the worst
        verdict of all ``checks``, and ``purpose`` has the requirement that determines the verdict for a purpose.
        Raises UsageError.
        """
        from iosonde.expectations.expected import Expected, own_values
        from iosonde.expectations.names import expected_values

        if against is None:
            expected = own_values(self._record, self.path or Path(self.name))
        else:
            expected = Expected.read(str(against)) if isinstance(against, Path) else expected_values(against)
        # Some of the findings need intervals.
        return expected.check(*self._judged(self.record))

    def _judged(self, record: RunRecord) -> tuple[RunAnalysis, tuple[Finding, ...]]:
        """A record's analysis and findings; computed again only after the intervals have been read."""
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

    Intervals, the bulk of a run, are read on first use.
    """
    place = Path(path)
    return Run(load_run(place, intervals=False), place, whole=False)
