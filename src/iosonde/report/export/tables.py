"""The flat tables of a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.analysis.run import RunAnalysis
from iosonde.findings.finding import Finding
from iosonde.store import write_csv as write_csv_files

if TYPE_CHECKING:
    from iosonde.analysis.columns import Table


def run_tables(analysis: RunAnalysis, findings: Sequence[Finding]) -> dict[str, "Table"]:
    """The flat tables of a run by name, for Parquet and CSV."""
    # Imported here: it imports NumPy, which the JSON document does not need.
    from iosonde.analysis.estimate_table import estimate_table
    from iosonde.analysis.procedures.sample_table import sample_table
    from iosonde.analysis.procedures.tables import procedure_tables
    from iosonde.analysis.tables import cell_table, tables_over_time
    from iosonde.findings.table import with_validity

    cells, estimates = (with_validity(table, findings) for table in (cell_table(analysis), estimate_table(analysis)))
    intervals, histograms = tables_over_time(analysis.run)
    found = {"cells": cells, "estimates": estimates, "intervals": intervals, "histograms": histograms}
    return found | procedure_tables(analysis.recorded) | sample_table(analysis.recorded)


def write_csv(analysis: RunAnalysis, findings: Sequence[Finding], directory: Path) -> tuple[Path, ...]:
    """Writes ``cells.csv``, ``estimates.csv``, ``intervals.csv`` and ``histograms.csv``, replacing existing files.

    A run of standard procedures also has ``rounds.csv`` and ``determinations.csv``, and ``samples.csv`` if it
    has long trials.

    A missing value (for example a percentile without 10 samples beyond it) is an empty field.
    """
    return write_csv_files(directory, run_tables(analysis, findings))
