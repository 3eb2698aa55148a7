"""The shipped campaigns. Each is a file in the same format as a user's."""

import difflib
from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import CampaignTable
from iosonde.plans.procedure_files import procedure_names
from iosonde.plans.read_campaign import read_campaign
from iosonde.plans.shipped_files import file_name, shipped_text

DECIDING: Final = (
    "decide-bursts",
    "decide-durability",
    "decide-limits",
    "decide-order",
    "decide-working-set",
    "decide-writes",
)
"""The campaigns that decide between explanations of results."""

DEFAULT_PROFILE: Final = "lab"

DATA_SHEET_PROFILE: Final = "data-sheet"
"""The campaign with the workloads of data sheets."""

PROCEDURE: Final = "pts-iops"

PROFILES: Final = ("lab", "lab-slow", "reads", "reads-slow", DATA_SHEET_PROFILE, "mechanisms", *DECIDING)

PURPOSES: Final = ("etcd", "postgres-oltp", "kafka", "redis-aof", "vm-host", "video-ingest")
"""The campaigns for a purpose. A file of expected values with the same name has its requirements."""

SLOW_FORMS: Final = {"lab": "lab-slow", "reads": "reads-slow"}
"""The profiles that replace others on slow targets."""


def load_profile(name: str) -> CampaignTable:
    """A profile by its name. Raises UsageError."""
    if name not in {*PROFILES, *PURPOSES}:
        near = difflib.get_close_matches(name, (*PROFILES, *procedure_names()), n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        # Reports name the campaigns that decide between explanations where they are of use.
        named = ", ".join(each for each in PROFILES if each not in DECIDING)
        raise UsageError(
            f"unknown profile '{name}'",
            f"{meant}available profiles: {named}, and standard procedures such as {PROCEDURE} "
            f"(docs/guides/procedures.md); for a campaign file, give its path, such as ./{name}.toml",
        )
    return read_campaign(shipped_text(__name__, name), file_name(name))
