"""A value with its uncertainty, as used by tables, headlines, expected values and comparisons."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Self

from iosonde.vocabulary import Operation, Provenance, Quantity

PRINTED_ALONE: Final = "the value was printed without a confidence interval"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A value of a quantity, for one operation.

    ``value``, ``low`` and ``high`` (the ends of its 95 % interval), ``standard_error`` and ``resolution`` are in the
    quantity's base unit: operations per second, bytes per second or nanoseconds. Missing and unknown values are None.
    ``why_none`` is the reason for a missing value or interval, and empty if there are both. ``standard_error`` has
    ``degrees_of_freedom``. ``resolution`` is the rounding of the value, which is exact to half of it. It is 0 for a
    floating-point number, the width of the bucket for a value from a histogram, and one step of the last digit for a
    printed value. ``place`` is the source of the value: a cell, or a line of a document.
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
        """Whether it is a mean over repeats, as opposed to a percentile."""
        return self.quantity.percent is None

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval: the number after ±; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def half_width_share(self) -> float | None:
        """Half the 95 % interval as a share of the value."""
        if self.value is None or self.half_width is None:
            return None
        return self.half_width / self.value if self.value else 0.0

    @property
    def ends(self) -> tuple[float, float] | None:
        """The bounds of the value: its 95 % interval, or the rounding of a printed number. None if unknown.

        The rounding bounds the printed result only, not the result of another measurement.
        """
        if self.low is not None and self.high is not None:
            return self.low, self.high
        if self.provenance is not Provenance.PRINTED or self.value is None:
            return None
        return self.value - self.resolution / 2, self.value + self.resolution / 2

    def holds(self, truth: float) -> bool:
        """Whether a value is in the 95 % interval."""
        return self.low is not None and self.high is not None and self.low <= truth <= self.high


@dataclass(frozen=True)
class Printed:
    """A number that another tool printed, in base units. ``resolution`` is one step of its last digit."""

    value: float
    resolution: float

    @classmethod
    def of(cls, text: str, unit: int = 1) -> Self:
        """Parses digits such as ``0.12``. ``unit`` is the number of base units in one unit of the text.

        Trailing zeros are significant. Raises ValueError if the text is not a finite number.
        """
        try:
            number = Decimal(text)
        except ArithmeticError as error:
            message = f"{text!r} is not a number"
            raise ValueError(message) from error
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int):
            message = f"{text!r} is not a finite number"
            raise ValueError(message)  # noqa: TRY004 - the value of the text is wrong, not its type
        return cls(float(number * unit), float(Decimal(1).scaleb(exponent) * unit))

    def figure(self, quantity: Quantity, operation: Operation, place: str = "") -> Figure:
        """The number as a figure of a quantity."""
        return Figure(
            quantity=quantity,
            operation=operation,
            value=self.value,
            provenance=Provenance.PRINTED,
            resolution=self.resolution,
            place=place,
            why_none=PRINTED_ALONE,
        )
