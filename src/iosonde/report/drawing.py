"""Draws charts in separate processes. Drawing blocks Python, and the first chart of a process takes 0.7 s more."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Any, Final, Self

from iosonde.errors import HINT_PROCESSES, OutputError, limit_hint

DRAWERS_MAX: Final = 2
"""Each process needs 150 MB and 0.7 s of CPU time before its first chart, then 0.1 s per chart."""

NICENESS: Final = 10
"""How far they give way to the process that reads and computes."""

PNG_SCALE: Final = 2
"""PNG pixels per pixel of the drawing, for high-resolution screens and print."""

_NAME: Final = re.compile(r' id="([^"]+)"')
_USE_OF_A_NAME: Final = re.compile(r'(?<= id=")[^"]+|(?<=url\(#)[^)]+|(?<=href="#)[^"]+')

_SVG: Final = b"svg"
_PNG: Final = b"png"
_FAILED: Final = b"failed"

_LOG: Final = {"type": "quantitative", "scale": {"type": "log"}, "axis": {"format": ",.9~g", "values": [1, 2, 5]}}
_SERIES: Final = {"field": "series", "type": "nominal", "legend": {"orient": "top", "columns": 2}}
_MARKS: Final = ("line", "rule", "point", "text", "bar")
_FIRST: Final[dict[str, Any]] = {
    "data": {"values": [{"x": x, "y": x, "series": series} for x in (1, 2, 5) for series in ("a", "b")]},
    "layer": [
        {
            "mark": mark,
            "transform": [{"filter": "datum.x > 0"}, {"calculate": "datum.y * 2", "as": "z"}],
            "encoding": {"x": {"field": "x", **_LOG}, "y": {"field": "z", **_LOG}, "color": _SERIES},
        }
        for mark in _MARKS
    ],
}
"""A sample chart that a process draws first, so that the library is initialised before a real chart is needed."""


def svg_of(specification: bytes) -> bytes:
    """Draws a Vega-Lite specification (JSON) as SVG. The bytes do not depend on what this process drew before."""
    import vl_convert

    return _with_own_names(vl_convert.vegalite_to_svg(specification.decode())).encode()


def _with_own_names(svg: str) -> str:
    """The SVG with its ids renumbered from one: the library counts clip paths over all charts of a process."""
    names = {name: f"n{number}" for number, name in enumerate(dict.fromkeys(_NAME.findall(svg)), start=1)}
    return _USE_OF_A_NAME.sub(lambda found: names.get(found[0], found[0]), svg)


def png_of(svg: bytes) -> bytes:
    """Converts an SVG to a PNG that is ``PNG_SCALE`` times as wide in pixels."""
    import vl_convert

    png: bytes = vl_convert.svg_to_png(svg.decode(), scale=PNG_SCALE)
    return png


class DrawingError(Exception):
    """The library could not draw a chart; the message says why. The process can draw further charts."""


class Drawers:
    """A pool of drawing processes, which end with the context. They initialise while the caller reads and computes.

    One CPU is left to the caller, unless PNGs are to be made (``with_pngs``), which takes longer than what the caller
    does. Entering the context raises OutputError if none can be started.
    """

    def __init__(self, *, with_pngs: bool = False) -> None:
        cpus = len(os.sched_getaffinity(0))
        self._number = max(min(DRAWERS_MAX, cpus if with_pngs else cpus - 1), 1)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle = SimpleQueue[subprocess.Popen[bytes]]()
        self._threads = ThreadPoolExecutor(self._number)
        self._begun: dict[bytes, Future[bytes]] = {}

    @property
    def processes(self) -> tuple[int, ...]:
        """Their process ids."""
        return tuple(process.pid for process in self._processes)

    def __enter__(self) -> Self:
        for _ in range(self._number):
            try:
                # A group of its own: Ctrl-C reaches this process only, which then ends the others in order.
                process = subprocess.Popen(
                    [sys.executable, "-m", "iosonde.report.drawing"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    # One error line reports that a process has ended; its own stderr output would not help.
                    stderr=subprocess.DEVNULL,
                    process_group=0,
                )
            except OSError as error:
                # Fewer processes also work, only more slowly.
                if not self._processes:
                    # Python itself may be in a folder that this user may not enter.
                    hint = limit_hint(error) or f"make sure that this user may run {sys.executable}"
                    raise OutputError(f"cannot start a process to render charts: {error.strerror}", hint) from error
                break
            # While they initialise, this process computes what they will draw, so it comes first.
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
            self._processes.append(process)
            self._idle.put(process)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            process.communicate()

    def svgs(self, specifications: Iterable[dict[str, Any]]) -> list[Future[bytes]]:
        """Draws charts as SVG; returns a future for each, in the given order.

        A future raises DrawingError if the chart cannot be drawn, or OutputError if its process has ended.
        """
        asked = [json.dumps(each).encode() for each in specifications]
        return [self._begun.pop(each) if each in self._begun else self._submit(_SVG, each) for each in asked]

    def begin(self, specification: dict[str, Any]) -> None:
        """Starts rendering a chart before it is requested from ``svgs``, so that the caller can build the next one."""
        content = json.dumps(specification).encode()
        with suppress(OutputError):
            # If no thread can be started now, ``svgs`` tries again and reports the error.
            self._begun[content] = self._submit(_SVG, content)

    def pngs(self, svgs: Iterable[bytes]) -> list[Future[bytes]]:
        """Converts SVGs that ``svgs`` drew to PNG; returns futures in the same way."""
        return [self._submit(_PNG, each) for each in svgs]

    def _submit(self, kind: bytes, content: bytes) -> Future[bytes]:
        try:
            return self._threads.submit(self._draw, kind, content)
        except RuntimeError as error:
            raise OutputError("cannot start another thread to render charts", HINT_PROCESSES) from error

    def _draw(self, kind: bytes, content: bytes) -> bytes:
        process = self._idle.get()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            _send(process.stdin, kind, content)
            answer = _receive(process.stdout)
        except OSError:
            answer = None
        finally:
            # A process that has ended goes back too: the next caller gets the same error instead of waiting forever.
            self._idle.put(process)
        if answer is None:
            raise OutputError(
                "a chart-rendering process exited before its image was complete",
                "free some memory and create the report again, or use --html, which renders no images",
            )
        said, drawn = answer
        if said == _FAILED:
            raise DrawingError(drawn.decode(errors="replace"))
        return drawn


@contextmanager
def drawers_if_any() -> Iterator[Drawers | None]:
    """Drawing processes, or None if the system cannot start any. The page then has no static images."""
    with ExitStack() as stack:
        try:
            drawers = stack.enter_context(Drawers())
        except OutputError:
            drawers = None
        yield drawers


def _send(stream: IO[bytes], kind: bytes, content: bytes) -> None:
    stream.write(b"%b %d\n%b" % (kind, len(content), content))
    stream.flush()


def _receive(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next message from the other process; None at the end of the stream."""
    head = stream.readline().split()
    if not head:
        return None
    kind, length = head
    content = stream.read(int(length))
    return (kind, content) if len(content) == int(length) else None


def _said(error: BaseException) -> str:
    """The message of an error, without the JavaScript stack trace that follows it."""
    lines = [line.strip() for line in str(error).splitlines()]
    return " ".join([f"{type(error).__name__}:", *(line for line in lines if not line.startswith("at "))])


def _serve() -> None:
    svg_of(json.dumps(_FIRST).encode())
    draw = {_SVG: svg_of, _PNG: png_of}
    while (asked := _receive(sys.stdin.buffer)) is not None:
        kind, content = asked
        try:
            drawn = draw[kind](content)
        except BaseException as error:  # noqa: BLE001 - a panic of the library's Rust is no Exception
            kind, drawn = _FAILED, _said(error).encode()
        _send(sys.stdout.buffer, kind, drawn)


if __name__ == "__main__":
    _serve()
