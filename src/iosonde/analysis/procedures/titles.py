"""Titles of the procedures of one run that tell them apart."""

from collections import Counter
from collections.abc import Sequence

from iosonde.records import Procedure


def titled_apart(procedures: Sequence[Procedure]) -> tuple[Procedure, ...]:
    """The procedures. Those with the same title have their name, which is unique in a run, after it."""
    counts = Counter(map(_shown, procedures))
    return tuple(
        each.model_copy(update={"title": f"{each.title} ({each.name})"})
        if counts[_shown(each)] > 1 and each.title not in {"", each.name}
        else each
        for each in procedures
    )


def _shown(procedure: Procedure) -> tuple[str, bool]:
    """What reports show of a procedure: its title, and that it is a short form."""
    return procedure.title or procedure.name, procedure.is_like
