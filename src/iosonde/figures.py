"""One number with how well it is known: what tables, headlines, expectations and comparisons all speak of."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Self

from iosonde.vocabulary import Operation, Provenance, Quantity

PRINTED_ALONE: Final = "it was printed without an interval"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A value of a quantity, for one class of operations.

    ``value``, ``low`` and ``high`` (the ends of its 95 % interval), ``standard_error`` and ``resolution`` are in the
    quantity's base unit: operations a second, bytes a second or nanoseconds. ``value`` is None where there is none, the
    others where nobody knows them; ``why_none`` says why there is no value or no interval, and is empty where there are
    both. ``standard_error`` has ``degrees_of_freedom``.
    ``resolution`` is what the digits leave open: the value may lie anywhere within half of it. It is 0 where a number
    is as exact as a floating-point number, the width of a bucket where it is read from a histogram, and one step of the
    last digit where it was printed. ``place`` says where the number stands: a cell, or a line of a document.
    """

    quantity: Quantity
    operation: Operation
    value: float | None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    degrees_of_freedom: float | None = None
    provenance: Provenance = Provenance.MEASURED
    resolution: float = 0.0
    place: str = ""
    why_none: str = ""

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over repeats, and no percentile."""
        return self.quantity.percent is None

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval: the number after ±; None without one."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def half_width_share(self) -> float | None:
        """The same as a share of the value."""
        if self.value is None or self.half_width is None:
            return None
        return self.half_width / self.value if self.value else 0.0

    @property
    def ends(self) -> tuple[float, float] | None:
        """Between which values it is known to lie: the 95 % interval, or what the digits of a printed number leave.

        None where nobody knows. The digits say what was meant, and nothing of what another measurement would give.
        """
        if self.low is not None and self.high is not None:
            return self.low, self.high
        if self.provenance is not Provenance.PRINTED or self.value is None:
            return None
        return self.value - self.resolution / 2, self.value + self.resolution / 2

    def holds(self, truth: float) -> bool:
        """Whether a value lies in the interval."""
        return self.low is not None and self.high is not None and self.low <= truth <= self.high


@dataclass(frozen=True)
class Printed:
    """A number that others printed, in base units; ``resolution`` is one step of its last digit."""

    value: float
    resolution: float

    @classmethod
    def of(cls, text: str, unit: int = 1) -> Self:
        """Reads digits such as ``0.12``; ``unit`` is how many of the base unit one of them is.

        Zeros at the end count as digits. Raises ValueError for what is no finite number.
        """
        try:
            number = Decimal(text)
        except ArithmeticError as error:
            message = f"{text!r} is no number"
            raise ValueError(message) from error
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int):
            message = f"{text!r} is no finite number"
            raise ValueError(message)  # noqa: TRY004 - the text is wrong, and no type
        return cls(float(number * unit), float(Decimal(1).scaleb(exponent) * unit))

    def figure(self, quantity: Quantity, operation: Operation, place: str = "") -> Figure:
        """The figure that it is of a quantity."""
        return Figure(
            quantity=quantity,
            operation=operation,
            value=self.value,
            provenance=Provenance.PRINTED,
            resolution=self.resolution,
            place=place,
            why_none=PRINTED_ALONE,
        )
