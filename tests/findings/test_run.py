"""Findings about a run as a whole."""

from collections.abc import Callable

from iosonde.findings import Severity
from iosonde.records import Neighbour, RunRecord
from tests.builders import host_facts, session
from tests.findings.runs import only, repeat, run_of, sound, three

FIRES: dict[str, Callable[[], RunRecord]] = {
    "quick-run": lambda: sound(quick=True),
    "run-unfinished": lambda: sound(finished=False),
    "journal-damaged": lambda: sound().model_copy(update={"damage": "a frame's checksum does not fit, at byte 99"}),
    "run-resumed": lambda: sound().model_copy(update={"sessions": (session(),)}),
    "neighbours": lambda: run_of(*three(neighbours=(Neighbour(process=77, device="nvme0n1"),))),
    "intervals-merged": lambda: run_of(*three(intervals_merged=1)),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("neighbours", lambda: run_of(*three(), repeat(4, neighbours=(Neighbour(process=71, device="sda"),)))),
]


def test_a_resumption_on_another_kernel_makes_the_run_doubtful_and_a_new_file_is_told() -> None:
    other_kernel = session(host=host_facts().model_copy(update={"kernel": "7.1.0-amd64"}))
    found = only(sound().model_copy(update={"sessions": (session(), other_kernel)}), "run-resumed")
    assert found.severity is Severity.DOUBTFUL
    assert "interrupted and resumed 2 times, after which these differ: kernel" in found.statement
    same = only(sound().model_copy(update={"sessions": (session(),)}), "run-resumed")
    assert (same.severity, "created" in same.statement) == (Severity.NOTE, False)
    anew = sound().model_copy(update={"sessions": (session(made_anew=True),)})
    assert "The file was created again." in only(anew, "run-resumed").statement


def test_of_many_neighbours_a_few_are_named() -> None:
    busy = [repeat(number, neighbours=(Neighbour(process=70 + number, device="sda"),)) for number in range(1, 6)]
    found = only(run_of(*busy), "neighbours")
    assert (
        "5 other iosonde runs (process 71, process 72, process 73 and 2 more) used the same device (sda)"
        in found.statement
    )
