"""The entry point of ``iosonde`` and ``python -m iosonde``: settings that must come before all other imports."""

import gc
import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

_COLUMNS_MIN, _COLUMNS_MAX = 20, 1000
_WITHOUT_DOCSTRINGS = 2
_GARBAGE_THRESHOLDS = (100_000, 50, 50)


def start() -> NoReturn:
    """Runs the command line."""
    _open_standard_streams()
    # Imports create a hundred thousand permanent objects. Garbage collection meanwhile, and the search for Pydantic
    # plug-ins (iosonde uses none), take a tenth of the CPU time of a short command.
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # iosonde needs no parallel matrix operations. If the system refuses new threads, OpenBLAS raises SIGINT.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _bound_width()
    if sys.flags.optimize >= _WITHOUT_DOCSTRINGS:
        # The chart library reads its own docstrings. Without them, a run would fail only after its measurements.
        sys.stderr.write("error: reports need docstrings, which Python omits with -OO\n")
        sys.stderr.write("hint: run Python without -OO, and unset PYTHONOPTIMIZE\n")
        sys.exit(2)
    try:
        from iosonde.cli.main import entry
    except KeyboardInterrupt:
        # Nothing has started yet, so there is nothing to report.
        sys.exit(130)
    entry()


def _open_standard_streams() -> None:
    """Opens closed standard streams. Otherwise the next opened file would take the place of one, and get its output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
    with suppress(OSError):
        # On a non-blocking pipe, output that does not fit at once would be lost.
        os.set_blocking(1, True)
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED, Python silently drops output that a full disk or a pipe does not accept at once.
        sys.stdout = open(1, "w", encoding=sys.stdout.encoding, closefd=False)  # noqa: SIM115 - it stays open
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the encoding lacks is replaced. All other output stays intact.
        sys.stdout.reconfigure(errors="replace")


def _bound_width() -> None:
    """Limits COLUMNS, which all output uses: with 0 there would be no output, and with a hundred million no end."""
    columns = os.environ.get("COLUMNS")
    if columns is None:
        return
    if columns.isascii() and columns.isdigit() and int(columns[:10]) > 0:
        os.environ["COLUMNS"] = str(min(max(int(columns[:10]), _COLUMNS_MIN), _COLUMNS_MAX))
    else:
        del os.environ["COLUMNS"]


if __name__ == "__main__":
    start()
