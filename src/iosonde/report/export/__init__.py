"""Exports a run for other tools: four CSV files of flat tables, and one JSON document with everything."""

from iosonde.report.export.document import (
    EXPORT_VERSION,
    ExportedRun,
    export_schema,
    run_json,
    write_json,
)
from iosonde.report.export.tables import run_tables, write_csv

__all__ = ["EXPORT_VERSION", "ExportedRun", "export_schema", "run_json", "run_tables", "write_csv", "write_json"]
