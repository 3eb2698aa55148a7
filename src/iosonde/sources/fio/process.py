"""fio as a child process: snapshots out, diagnostics apart from them, every wait with a bound."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.children import Child, FirstWords, Program
from iosonde.errors import EngineError
from iosonde.sources.fio.output import OBJECT_BYTES_MAX, Snapshot, objects_in, read_snapshot

SNAPSHOTS_WAITING_MAX: Final = 64
# fio writes a line for each error, and a dead device gives millions.
COMPLAINTS_BYTES_MAX: Final = 256 << 10
COMPLAINTS_S_MAX: Final = 0.2
ENDED_S_MAX: Final = 5.0


class FioProcess:
    """A running fio. It has a pipe for its JSON; when nobody reads that any more, writing to it ends fio."""

    def __init__(self, command: Sequence[str]) -> None:
        self._complaints = FirstWords(COMPLAINTS_BYTES_MAX)
        program = Program(command, "fio", "install fio again")
        self._child: Child[Snapshot] = Child(program, _snapshots, self._complaints, SNAPSHOTS_WAITING_MAX)

    def receive(self, timeout_s: float) -> Snapshot | None:
        """The next snapshot; None when fio has said all. Raises TimeoutError, or EngineError for what no fio says."""
        return self._child.receive(timeout_s)

    def stop(self) -> None:
        """Asks fio to end now and to say what it has measured."""
        self._child.interrupt()

    def kill(self) -> None:
        """Ends fio at once."""
        self._child.kill()

    def code(self) -> int | None:
        """With which code fio ended; None while it has not, which a stuck device can keep it from."""
        return self._child.code(ENDED_S_MAX)

    @property
    def has_ended(self) -> bool:
        """Whether fio is gone; where a target does not answer it outlives even being killed."""
        return self._child.has_ended

    def complaints(self) -> list[str]:
        """What fio said to people, the first of it."""
        self._child.heard_all(COMPLAINTS_S_MAX)
        return self._complaints.lines()

    def end(self) -> None:
        """Ends fio, if it still runs, and gives its pipes up."""
        self._child.end(0)


def _snapshots(child: Child[Snapshot]) -> Iterator[Snapshot]:
    try:
        for found in objects_in(child.lines(OBJECT_BYTES_MAX)):
            yield read_snapshot(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EngineError(
            f"fio's output can't be parsed: {type(error).__name__} {error}",
            "use a fio from 3.28 to 3.42, or omit --engine fio",
        ) from error
