"""What a child says to people, as far as somebody may want to read it."""


class FirstWords:
    """The first ``bytes_max`` bytes of what is heard; what comes later is dropped."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._kept = bytearray()

    def __call__(self, piece: bytes) -> None:
        """Hears one piece."""
        self._kept += piece[: self._bytes_max - len(self._kept)]

    def lines(self) -> list[str]:
        """What was heard so far, by lines."""
        return bytes(self._kept).decode(errors="replace").splitlines()
