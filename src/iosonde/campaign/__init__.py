"""The conductor: a plan and a source in, a run directory out, cell by cell.

In: what the user wants of a target. Out: journalled cells, and events for whoever watches.
"""

from iosonde.campaign.campaign import Survey, Wish, look_ahead, measure_in_memory, measure_to_directory
from iosonde.campaign.conductor import Observer, SilentObserver
from iosonde.campaign.target import NULL_WORD, TargetWish

__all__ = [
    "NULL_WORD",
    "Observer",
    "SilentObserver",
    "Survey",
    "TargetWish",
    "Wish",
    "look_ahead",
    "measure_in_memory",
    "measure_to_directory",
]
