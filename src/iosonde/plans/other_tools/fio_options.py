"""Typed access to the options of one fio job."""

from dataclasses import dataclass

from iosonde.errors import UsageError
from iosonde.plans.other_tools.fio_jobs import FioJob
from iosonde.plans.other_tools.fio_units import KB_BASES, fio_number, fio_switch, fio_time_ns
from iosonde.units import SECOND_NS

READ, WRITE = 0, 1
_SYNCHRONOUS = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2"})
_DIRECTIONS = {
    "read": (True, False),
    "write": (False, True),
    "rw": (True, True),
    "readwrite": (True, True),
    "trim": (False, False),
}


def refused(option: str, value: str, reason: str, hint: str = "") -> UsageError:
    """The error for an option that iosonde does not support."""
    said = f"{option}={value}" if value else option
    return UsageError(
        f"fio option {said} is not supported: {reason}", hint or f"remove {option}, or run the job with fio itself"
    )


@dataclass(frozen=True)
class FioOptions:
    """A job's options, with fio's defaults for the others."""

    job: FioJob

    def has(self, name: str) -> bool:
        """Whether the job sets the option."""
        return name in self.job.options

    def text(self, name: str, default: str = "") -> str:
        """The value as written."""
        return self.job.options.get(name, default)

    def on(self, name: str) -> bool:
        """Whether a switch is on."""
        return self.has(name) and fio_switch(self.text(name), name)

    def number(self, name: str, default: int) -> int:
        """A number, or bytes."""
        return fio_number(self.text(name), name, self.kb_base) if self.has(name) else default

    def time_ns(self, name: str, bare_ns: int = SECOND_NS) -> int:
        """A time; 0 when the job doesn't set it."""
        return fio_time_ns(self.text(name), name, bare_ns) if self.has(name) else 0

    def sides(self, name: str) -> tuple[str, str]:
        """The values for reads and for writes. A single value applies to both."""
        parts = self.text(name).split(",")
        return parts[READ].strip(), parts[WRITE if len(parts) > WRITE else READ].strip()

    def of_sides(self, name: str) -> str:
        """The one value for the directions that the job uses. Different values for reads and writes are refused."""
        sides = {side for side, used in zip(self.sides(name), (self.reads, self.writes), strict=True) if used}
        if len(sides) > 1:
            raise refused(name, self.text(name), "iosonde uses the same value for reads and writes")
        return sides.pop() if sides else self.sides(name)[WRITE]

    @property
    def kb_base(self) -> int:
        """The factor that k stands for."""
        text = self.text("kb_base", str(KB_BASES[0]))
        if text not in {str(base) for base in KB_BASES}:
            raise refused("kb_base", text, "valid values are 1024 and 1000")
        return int(text)

    @property
    def direction(self) -> str:
        """``read``, ``write``, ``rw`` or ``trim``."""
        word = self.text("rw", "read").partition(":")[0]
        direction = word.removeprefix("rand")
        if direction not in _DIRECTIONS:
            raise refused("rw", self.text("rw"), "iosonde supports reads, writes, trims, and mixed reads and writes")
        return "rw" if direction == "readwrite" else direction

    @property
    def is_random(self) -> bool:
        """Whether fio draws offsets."""
        return self.text("rw", "read").startswith("rand")

    @property
    def read_percent(self) -> int:
        """The read share."""
        share = self.number("rwmixread", 50)
        if not 0 <= share <= 100:  # noqa: PLR2004 - percent
            raise refused("rwmixread", self.text("rwmixread"), "the value is not a percentage")
        return {"rw": share, "read": 100}.get(self.direction, 0)

    @property
    def reads(self) -> bool:
        """Whether the job reads."""
        return self.read_percent > 0

    @property
    def writes(self) -> bool:
        """Whether the job writes."""
        return self.direction != "trim" and self.read_percent < 100  # noqa: PLR2004 - percent

    @property
    def jobs(self) -> int:
        """The number of copies of this job."""
        return self.number("numjobs", 1)

    @property
    def ioengine(self) -> str:
        """The I/O engine of the job."""
        return self.text("ioengine", "psync")

    @property
    def is_synchronous(self) -> bool:
        """Whether fio has one operation in flight for any ``iodepth``."""
        return self.ioengine in _SYNCHRONOUS
