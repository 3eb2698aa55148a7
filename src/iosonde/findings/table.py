"""Findings as a flat table."""

from collections.abc import Sequence

import numpy as np

from iosonde.analysis.columns import Table
from iosonde.findings.finding import Finding, invalid_by, most_severe_first


def finding_table(findings: Sequence[Finding]) -> Table:
    """One row per finding, most severe first. All columns are text.

    ``evidence`` has the form ``name: value; name: value``. ``cells`` are joined by ``+``; empty means the whole run.
    """
    rows = most_severe_first(findings)
    columns = {
        "id": [row.id for row in rows],
        "severity": [str(row.severity) for row in rows],
        "confidence": [str(row.confidence) for row in rows],
        "statement": [row.statement for row in rows],
        "evidence": ["; ".join(f"{name}: {value}" for name, value in row.evidence) for row in rows],
        "advice": [row.advice for row in rows],
        "deciding_test": [row.deciding_test for row in rows],
        "cells": ["+".join(row.cells) for row in rows],
    }
    return {name: np.array(values, dtype=object) for name, values in columns.items()}


def with_validity(cells: Table, findings: Sequence[Finding]) -> Table:
    """The table of cells with a column ``invalid``: the ids of the findings that make a cell invalid.

    The ids are joined by ``+``. The value is None if the cell is valid.
    """
    known = {cell: "+".join(invalid_by(findings, cell)) or None for cell in dict.fromkeys(cells["cell"])}
    return {**cells, "invalid": np.array([known[cell] for cell in cells["cell"]], dtype=object)}
