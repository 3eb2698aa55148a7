"""Where both ``iosonde`` and ``python -m iosonde`` begin: what must be set before anything else is loaded."""

import gc
import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

# Loading makes a hundred thousand objects that stay; looking for garbage among them while they are made, and for
# Pydantic plug-ins that we don't use, is a tenth of the CPU time of a short command.
_COLUMNS_MIN, _COLUMNS_MAX = 20, 1000
_WITHOUT_DOCSTRINGS = 2
_GARBAGE_THRESHOLDS = (100_000, 50, 50)


def start() -> NoReturn:
    """Runs the command line."""
    _open_standard_streams()
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Nothing here is a matrix. Where the system starts no more threads, the library would end us with SIGINT.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _bound_width()
    if sys.flags.optimize >= _WITHOUT_DOCSTRINGS:
        # The chart library reads its own; without them a run would end in a traceback once all was measured.
        sys.stderr.write("error: reports need docstrings, which Python omits with -OO\n")
        sys.stderr.write("hint: run Python without -OO, and unset PYTHONOPTIMIZE\n")
        sys.exit(2)
    try:
        from iosonde.cli.main import entry
    except KeyboardInterrupt:
        # Nothing has begun yet, and there is nothing to say.
        sys.exit(130)
    entry()


def _open_standard_streams() -> None:
    """Opens those that whoever started us had closed: else the next file opened takes their place and what they get."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
    with suppress(OSError):
        # Whoever gave us a pipe that does not block would lose what it cannot take at once.
        os.set_blocking(1, True)
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED, Python drops what a full disk or a pipe does not take at once, and says nothing.
        sys.stdout = open(1, "w", encoding=sys.stdout.encoding, closefd=False)  # noqa: SIM115 - it stays open
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A sign that the encoding lacks costs that sign, and not the figures.
        sys.stdout.reconfigure(errors="replace")


def _bound_width() -> None:
    """Whatever prints goes by COLUMNS: with 0 nothing comes out, and with a hundred million it never ends."""
    columns = os.environ.get("COLUMNS")
    if columns is None:
        return
    if columns.isascii() and columns.isdigit() and int(columns[:10]) > 0:
        os.environ["COLUMNS"] = str(min(max(int(columns[:10]), _COLUMNS_MIN), _COLUMNS_MAX))
    else:
        del os.environ["COLUMNS"]


if __name__ == "__main__":
    start()
