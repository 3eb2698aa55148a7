"""Collects the output of a running fio until it ends or hangs."""

from collections.abc import Callable
from typing import Final

from iosonde.children import Deadline, signal_name
from iosonde.errors import EngineError
from iosonde.records import Failure, IntervalRecord
from iosonde.sources.fio.assemble import Measured, errors_end
from iosonde.sources.fio.output import Snapshot
from iosonde.sources.fio.process import FioProcess
from iosonde.sources.fio.series import Series
from iosonde.units import MILLISECOND_NS, SECOND_NS, format_duration
from iosonde.vocabulary import FailureKind

# Added to a job's own time: fio first allocates buffers and tables, and at the end waits for operations in flight.
JOB_SLACK_S: Final = 60.0
# For a job with an amount of data: the longest time without a transfer.
STILL_S_MAX: Final = 60.0
# After an interruption, fio has to end within a second.
STOP_S_MAX: Final = 0.5
# How often to check that the targets are still the same: as often as iosonde's own engine does.
CHECK_S: Final = 0.02


class Collecting:
    """Fills a measurement with fio's output. ``changed`` returns how a target has changed, or None."""

    def __init__(
        self,
        process: FioProcess,
        measured: Measured,
        on_interval: Callable[[IntervalRecord], None],
        changed: Callable[[], Failure | None],
        now_ns: Callable[[], int],
    ) -> None:
        self._process = process
        self._measured = measured
        self._on_interval = on_interval
        self._changed = changed
        self._now_ns = now_ns
        self._series: Series | None = None
        self._moved_bytes = 0
        self._stillness = self._deadline_in(STILL_S_MAX)
        timing = measured.cell.timing
        timed = timing.amount_bytes is None
        self._end = self._deadline_in(timing.lasts_ns / SECOND_NS + JOB_SLACK_S) if timed else None

    def run(self) -> None:
        """Reads all output. Raises EngineError if fio was killed or reported no result."""
        while True:
            try:
                snapshot = self._process.receive(CHECK_S)
            except TimeoutError:
                snapshot = None
            else:
                if snapshot is None:
                    break
                self._take(snapshot)
            broken = self._broken()
            if broken is not None:
                self._measured.broken = broken
                self._process.kill()
                self._finish()
                return
        code = self._process.code()
        self._measured.complaints = self._process.complaints()
        if code is None or code < 0:
            how = "did not exit" if code is None else f"was killed by {signal_name(code)}"
            raise EngineError(f"fio {how}", "check the kernel log (dmesg), then run again")
        if self._measured.last is None or not self._measured.last.groups:
            raise EngineError(
                f"fio reported no results: {self._first_complaint()}", "fix the cause, or omit --engine fio"
            )
        self._finish()

    def stop(self) -> None:
        """Stops fio after an interruption, and reads its output for up to ``STOP_S_MAX`` seconds."""
        self._measured.stopped = True
        self._process.stop()
        until = self._deadline_in(STOP_S_MAX)
        try:
            while (left_s := until.left_s) > 0:
                snapshot = self._process.receive(left_s)
                if snapshot is None:
                    break
                self._take(snapshot)
        except (TimeoutError, EngineError):
            self._process.kill()
        self._finish()

    def _take(self, snapshot: Snapshot) -> None:
        if self._measured.last is not None:
            # Whether a snapshot is the last one shows only at the end, so each is held until the next.
            self._pass_on(self._measured.last, last=False)
        self._measured.last = snapshot

    def _finish(self) -> None:
        if self._measured.last is not None:
            self._pass_on(self._measured.last, last=True)
        self._measured.began = self._series is not None and self._series.measures

    def _pass_on(self, snapshot: Snapshot, *, last: bool) -> None:
        if self._series is None:
            start_ns = max(self._now_ns() - snapshot.runtime_ms * MILLISECOND_NS, self._measured.clock_start.engine_ns)
            self._series = Series(self._measured.cell, start_ns)
        for interval in self._series.take(snapshot, last=last):
            self._measured.intervals.append(interval)
            self._on_interval(interval)

    def _broken(self) -> Failure | None:
        """The failure that ends the measurement; None if there is none."""
        changed = self._changed()
        if changed is not None:
            return changed
        lost = None if self._measured.last is None else errors_end(self._measured.last)
        if lost is not None:
            return lost
        if self._end is not None:
            if not self._end.is_over:
                return None
            return Failure(
                kind=FailureKind.STUCK,
                message=f"fio did not exit within {JOB_SLACK_S:.0f} s after the end of its run time",
            )
        moved_bytes = self._measured.last.bytes if self._measured.last else 0
        if moved_bytes != self._moved_bytes:
            self._moved_bytes, self._stillness = moved_bytes, self._deadline_in(STILL_S_MAX)
        if self._stillness.is_over:
            still = format_duration(round(STILL_S_MAX * SECOND_NS))
            return Failure(kind=FailureKind.STUCK, message=f"fio completed no operations for {still}")
        return None

    def _deadline_in(self, after_s: float) -> Deadline:
        return Deadline(after_s, lambda: self._now_ns() / SECOND_NS)

    def _first_complaint(self) -> str:
        lines = [line.strip() for line in self._measured.complaints if line.strip()]
        return lines[0] if lines else "it printed nothing"
