"""fio as a child process: its snapshots, and separately its diagnostics. Every wait has a time limit."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.children import Child, FirstWords, Program
from iosonde.errors import EngineError
from iosonde.sources.fio.output import OBJECT_BYTES_MAX, Snapshot, objects_in, read_snapshot

SNAPSHOTS_WAITING_MAX: Final = 64
# fio writes a line for each error, and a dead device causes millions.
COMPLAINTS_BYTES_MAX: Final = 256 << 10
COMPLAINTS_S_MAX: Final = 0.2
ENDED_S_MAX: Final = 5.0


class FioProcess:
    """A running fio. It writes its JSON to a pipe; without a reader, the next write to the pipe ends fio."""

    def __init__(self, command: Sequence[str]) -> None:
        self._complaints = FirstWords(COMPLAINTS_BYTES_MAX)
        program = Program(command, "fio", "install fio again")
        self._child: Child[Snapshot] = Child(program, _snapshots, self._complaints, SNAPSHOTS_WAITING_MAX)

    def receive(self, timeout_s: float) -> Snapshot | None:
        """The next snapshot; None at the end of the output. Raises TimeoutError, or EngineError for invalid output."""
        return self._child.receive(timeout_s)

    def stop(self) -> None:
        """Tells fio to stop now and print its results."""
        self._child.interrupt()

    def kill(self) -> None:
        """Kills fio."""
        self._child.kill()

    def code(self) -> int | None:
        """The exit code of fio; None while it runs, which a stuck device can prolong."""
        return self._child.code(ENDED_S_MAX)

    @property
    def has_ended(self) -> bool:
        """Whether fio has exited. If a target does not respond, it stays even after it was killed."""
        return self._child.has_ended

    def complaints(self) -> list[str]:
        """The first lines of fio's diagnostics."""
        self._child.heard_all(COMPLAINTS_S_MAX)
        return self._complaints.lines()

    def end(self) -> None:
        """Ends fio if it still runs, and closes its pipes."""
        self._child.end(0)


def _snapshots(child: Child[Snapshot]) -> Iterator[Snapshot]:
    try:
        for found in objects_in(child.lines(OBJECT_BYTES_MAX)):
            yield read_snapshot(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EngineError(
            f"fio's output cannot be parsed: {type(error).__name__} {error}",
            "use fio 3.28 to 3.42, or omit --engine fio",
        ) from error
