"""The conductor: a plan and a source in, a run directory out, cell by cell.

In: what the user wants of a target. Out: journalled cells, and events for whoever watches.
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
