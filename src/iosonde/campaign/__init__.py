"""Runs a campaign: measures the cells of a plan with a source, and writes a run directory.

In: the user's request for a target. Out: journalled cells, and progress events for an observer.
"""

from iosonde.campaign.campaign import Preflight, RunRequest, measure_in_memory, measure_to_directory, preflight
from iosonde.campaign.observer import NullObserver, Observer
from iosonde.campaign.recorded_targets import recorded_target_line, recorded_targets
from iosonde.campaign.remaining_run import RemainingRun, find_remaining
from iosonde.campaign.responsiveness import check_answers
from iosonde.campaign.resume import ResumeConsent, resume
from iosonde.campaign.target_resolution import TargetRequest

__all__ = [
    "NullObserver",
    "Observer",
    "Preflight",
    "RemainingRun",
    "ResumeConsent",
    "RunRequest",
    "TargetRequest",
    "check_answers",
    "find_remaining",
    "measure_in_memory",
    "measure_to_directory",
    "preflight",
    "recorded_target_line",
    "recorded_targets",
    "resume",
]
