"""Findings as a flat table."""

from collections.abc import Sequence

import numpy as np

from iosonde.analysis.tables import Table
from iosonde.findings.model import Finding, gravest_first


def finding_table(findings: Sequence[Finding]) -> Table:
    """One row a finding, gravest first; all columns are text.

    ``evidence`` reads ``name: value; name: value``. ``cells`` are joined by ``+``; empty means the whole run.
    """
    rows = gravest_first(findings)
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
