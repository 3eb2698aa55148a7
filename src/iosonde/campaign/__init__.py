"""Runs a campaign: measures the cells of a plan with a source, and writes a run directory.

In: the user's request for a target. Out: journalled cells, and progress events for an observer.
"""

from iosonde.campaign.answering import check_answers
from iosonde.campaign.campaign import Survey, Wish, look_ahead, measure_in_memory, measure_to_directory
from iosonde.campaign.observer import Observer, SilentObserver
from iosonde.campaign.recorded_targets import recorded_target_line, recorded_targets
from iosonde.campaign.resume import Rest, look_back, resume
from iosonde.campaign.target_resolution import TargetWish

__all__ = [
    "Observer",
    "Rest",
    "SilentObserver",
    "Survey",
    "TargetWish",
    "Wish",
    "check_answers",
    "look_ahead",
    "look_back",
    "measure_in_memory",
    "measure_to_directory",
    "recorded_target_line",
    "recorded_targets",
    "resume",
]
