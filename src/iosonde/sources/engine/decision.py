"""The decision within a trial whether it goes on."""

from collections.abc import Callable


class Decision:
    """Answers the engine when it asks. Without ``is_enough``, the trial always goes on."""

    def __init__(self, is_enough: Callable[[], bool] | None) -> None:
        self._is_enough = is_enough
        self.is_ended = False

    def answer(self) -> str:
        """The command to send: ``continue`` or ``stop``. After a ``stop``, ``is_ended`` is true."""
        self.is_ended = self._is_enough is not None and self._is_enough()
        return "stop" if self.is_ended else "continue"
