"""The first part of a child's diagnostics."""


class FirstWords:
    """The first ``bytes_max`` bytes of a stream. Later bytes are dropped."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._kept = bytearray()

    def __call__(self, piece: bytes) -> None:
        """Adds one chunk."""
        self._kept += piece[: self._bytes_max - len(self._kept)]

    def lines(self) -> list[str]:
        """The lines so far."""
        return bytes(self._kept).decode(errors="replace").splitlines()
