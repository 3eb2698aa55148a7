"""Operations that take long to complete after the end of a cell, one after another, as a deep queue on a slow drive."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from iosonde.records import Outcome
from tests.commands import iosonde
from tests.stories.faulty_places import faulty_file

WORDS = ("--engine", "psync", "--buffered", "--queue-depth", "4", "--rate", "4", "--warmup", "0s", "--duration", "4s")
# The first operation in flight completes 22 s after the cell, and the last one 45 s after it: none is 30 s in coming.
FIRST_S, LAST_S = 24, 47
# Large enough that a read is seldom of what is in the page cache already.
SIZE_BYTES = 512 << 20
# So many reads have been answered at once before.
EARLIER = 6


def test_a_queue_that_completes_slowly_after_the_cell_is_waited_for(tmp_path: Path) -> None:
    with faulty_file(tmp_path / "faulty", SIZE_BYTES) as file, ThreadPoolExecutor(1) as pool:
        ended = pool.submit(iosonde, "probe", file.path, *WORDS, "--json")
        while int(file.tell("reads")) < EARLIER and not ended.done():
            time.sleep(0.02)
        file.tell("delay", FIRST_S * 1000)
        known = int(file.tell("reads"))
        while int(file.tell("reads")) == known and not ended.done():
            time.sleep(0.02)
        file.tell("delay", LAST_S * 1000)
        assert ended.result().returncode == 0, ended.result().stderr
    [cell] = json.loads(ended.result().stdout)["run"]["cells"]
    assert (cell["outcome"], cell["failure"]) == (Outcome.FINISHED, None)
    assert cell["censored"]["count"] >= 2
    assert cell["censored"]["latency_ns_max"] > 40 * 10**9
