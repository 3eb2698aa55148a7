"""Writes the schemas in docs/ from the code."""

import json
import sys
from pathlib import Path

from iosonde.expectations import expectations_schema
from iosonde.plans import campaign_schema
from iosonde.plans.procedures import procedures_schema
from iosonde.report.export import export_schema

DOCS = Path(__file__).resolve().parents[1] / "docs"
SCHEMAS = {
    "campaign.schema.json": campaign_schema,
    "expectations.schema.json": expectations_schema,
    "procedures.schema.json": procedures_schema,
    "run.schema.json": export_schema,
}


def main() -> int:
    """Writes the files."""
    for name, schema in SCHEMAS.items():
        (DOCS / name).write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
