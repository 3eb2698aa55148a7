"""Writes docs/campaign.schema.json from the code."""

import json
import sys
from pathlib import Path

from iosonde.plans import campaign_schema

PLACE = Path(__file__).resolve().parents[1] / "docs/campaign.schema.json"


def main() -> int:
    """Writes the file."""
    PLACE.write_text(json.dumps(campaign_schema(), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
