"""Access patterns and block sizes: text with parameters, with the same syntax in flags, files and records."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from iosonde.errors import UsageError
from iosonde.units import format_size, is_size, parse_bytes
from iosonde.vocabulary import Access

WHOLE_PERMILLE: Final = 1000
EXPONENT_PERMILLE_MAX: Final = 5000
# At 1 %, a write causes fifty others. At 400 %, the test region is a fifth of the flash.
OVER_PROVISIONING_PERMILLE_MIN: Final = 10
OVER_PROVISIONING_PERMILLE_MAX: Final = 4000
ZONES_MAX: Final = 16
SIZES_MAX: Final = 16
WEIGHTS_MAX: Final = 10**6


@dataclass(frozen=True)
class Permutation:
    """Random, with each block exactly once per pass."""

    word: ClassVar[str] = "permutation"

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class Zipf:
    """The block of rank k has a probability proportional to 1 / k^exponent. Ranks are scattered, or adjacent."""

    word: ClassVar[str] = "zipf"
    exponent_permille: int
    scattered: bool = True

    def __str__(self) -> str:
        return f"{self.word}:{_decimal(self.exponent_permille, 1000)}{'' if self.scattered else ':together'}"


@dataclass(frozen=True)
class Pareto:
    """A share h of the blocks receives 1 - h of the accesses, at every scale."""

    word: ClassVar[str] = "pareto"
    share_permille: int
    scattered: bool = True

    def __str__(self) -> str:
        return f"{self.word}:{_decimal(self.share_permille, 1000)}{'' if self.scattered else ':together'}"


@dataclass(frozen=True)
class HotSpots:
    """Adjacent zones: the share of accesses and the share of the test region of each, in thousandths."""

    word: ClassVar[str] = "hot"
    zones: tuple[tuple[int, int], ...]
    scattered: bool = False

    def __str__(self) -> str:
        zones = ",".join(f"{_decimal(accesses, 10)}/{_decimal(space, 10)}" for accesses, space in self.zones)
        return f"{self.word}:{zones}{':scattered' if self.scattered else ''}"


@dataclass(frozen=True)
class Strided:
    """A constant stride. After the end, the next pass starts one block later, until every block was accessed."""

    word: ClassVar[str] = "strided"
    stride_bytes: int

    def __str__(self) -> str:
        return f"{self.word}:{_size(self.stride_bytes)}"


@dataclass(frozen=True)
class Runs:
    """Sequential runs: a share of the operations jumps to a random offset, and the run continues from there."""

    word: ClassVar[str] = "runs"
    jump_percent: int

    def __str__(self) -> str:
        return f"{self.word}:{self.jump_percent}"


@dataclass(frozen=True)
class FastRandom:
    """Preconditioning writes: each block once, and in between overwrites of blocks already written.

    An empty drive with the assumed over-provisioning is then in random-write steady state: the share of valid pages, by
    the age of a flash block, is that of P. Desnoyers, Analytic Modeling of SSD Write Performance (2012). The engine
    derives the share of overwrites (engine/src/pattern/fast_random.rs).
    """

    word: ClassVar[str] = "fast-random"
    over_provisioning_permille: int

    def __str__(self) -> str:
        return f"{self.word}:{_decimal(self.over_provisioning_permille, 10)}"

    @property
    def assumed(self) -> str:
        """The assumption in words: ``an over-provisioning of 15 %``."""
        return f"an over-provisioning of {_decimal(self.over_provisioning_permille, 10)} %"


Shaped = Permutation | Zipf | Pareto | HotSpots | Strided | Runs | FastRandom
FORMS: Final = (
    "random",
    "sequential",
    "permutation",
    "zipf:1.1",
    "pareto:0.2",
    "hot:80/20",
    "strided:64KiB",
    "runs:10",
)
_WAY_OUT: Final = f"use one of {', '.join(FORMS)}"


def parse_pattern(text: str, what: str) -> Access | Shaped:
    """Parses a pattern such as ``random``, ``zipf:1.1`` or ``hot:50/5,30/15,20/80``. Raises UsageError."""
    word, _, rest = text.strip().partition(":")
    if text.strip() in set(Access):
        return Access(text.strip())
    if text.strip() == Permutation.word:
        return Permutation()
    if word not in _READERS:
        words = [form.partition(":")[0] for form in FORMS]
        near = difflib.get_close_matches(_MEANT.get(word, word), words, n=1, cutoff=0.6)
        raise UsageError(
            f"{what}: '{text}' is not a pattern", f'did you mean "{FORMS[words.index(near[0])]}"?' if near else _WAY_OUT
        )
    return _READERS[word](rest, f"{what}: '{text}'")


# The names in other tools.
_MEANT: Final = {
    **dict.fromkeys(("rand", "randread", "randwrite", "randrw", "randtrim"), "random"),
    **dict.fromkeys(("seq", "read", "write", "rw", "readwrite"), "sequential"),
    "zoned": "hot",
}


def _read_zipf(rest: str, what: str) -> Zipf:
    number, scattered = _scatter(rest, what, usual=True)
    exponent = _scaled(number, 1000)
    if exponent is None or not 1 <= exponent <= EXPONENT_PERMILLE_MAX:
        raise UsageError(f"{what}: the exponent must be between 0.001 and 5", "use a pattern such as zipf:1.1")
    return Zipf(exponent, scattered)


def _read_pareto(rest: str, what: str) -> Pareto:
    number, scattered = _scatter(rest, what, usual=True)
    share = _scaled(number, 1000)
    if share is None or not 1 <= share < WHOLE_PERMILLE // 2:
        raise UsageError(
            f"{what}: the share must be between 0.001 and 0.499", "pareto:0.2 sends 80 % of accesses to 20 % of blocks"
        )
    return Pareto(share, scattered)


def _read_hot(rest: str, what: str) -> HotSpots:
    text, scattered = _scatter(rest, what, usual=False)
    zones = []
    for part in text.split(","):
        accesses, _, space = part.partition("/")
        pair = (_scaled(accesses, 10), _scaled(space, 10))
        if pair[0] is None or pair[1] is None or pair[0] < 0 or pair[1] <= 0:
            raise UsageError(
                f"{what}: '{part}' is not a pair of percentages",
                "hot:80/20 sends 80 % of accesses to 20 % of the test region",
            )
        zones.append((pair[0], pair[1]))
    accesses_left, space_left = (WHOLE_PERMILLE - sum(zone[kind] for zone in zones) for kind in (0, 1))
    if accesses_left >= 0 and space_left > 0:
        # The last zone has the rest.
        zones.append((accesses_left, space_left))
    elif accesses_left or space_left:
        raise UsageError(
            f"{what}: the percentages of accesses or of space do not add up to 100 %",
            "the last zone can be omitted: hot:80/20 means hot:80/20,20/80",
        )
    if len(zones) > ZONES_MAX:
        raise UsageError(f"{what}: more than {ZONES_MAX} zones", "use fewer zones")
    return HotSpots(tuple(zones), scattered)


def _read_strided(rest: str, what: str) -> Strided:
    return Strided(parse_bytes(rest, what))


def _read_runs(rest: str, what: str) -> Runs:
    if not rest.isdecimal() or len(rest) > 3 or not 1 <= int(rest) <= 100:  # noqa: PLR2004 - percent
        raise UsageError(f"{what}: the percentage of jumps must be between 1 and 100", "use a pattern such as runs:10")
    return Runs(int(rest))


def _read_fast_random(rest: str, what: str) -> FastRandom:
    spare = _scaled(rest, 10)
    if spare is None or not OVER_PROVISIONING_PERMILLE_MIN <= spare <= OVER_PROVISIONING_PERMILLE_MAX:
        raise UsageError(
            f"{what}: the over-provisioning must be between 1 and 400 %", "use a pattern such as fast-random:15"
        )
    return FastRandom(spare)


_READERS: Final[dict[str, Callable[[str, str], Shaped]]] = {
    Zipf.word: _read_zipf,
    Pareto.word: _read_pareto,
    HotSpots.word: _read_hot,
    Strided.word: _read_strided,
    Runs.word: _read_runs,
    FastRandom.word: _read_fast_random,
}


def _scatter(rest: str, what: str, *, usual: bool) -> tuple[str, bool]:
    text, _, word = rest.partition(":")
    if word not in {"", "scattered", "together"}:
        raise UsageError(f"{what}: unknown placement '{word}'", "use `scattered` or `together`, or omit the placement")
    return text, {"scattered": True, "together": False}.get(word, usual)


def _scaled(text: str, factor: int) -> int | None:
    try:
        value = Decimal(text.strip()) * factor
    except InvalidOperation:
        return None
    return int(value) if value.is_finite() and value == value.to_integral_value() else None


def _decimal(value: int, factor: int) -> str:
    return f"{Decimal(value) / factor:f}"


def _size(value_bytes: int) -> str:
    """A size that parses to the same number. The names of cells contain it in this form."""
    text = format_size(value_bytes).replace(" ", "")
    return text if is_size(text, value_bytes) else f"{value_bytes}B"


@dataclass(frozen=True)
class BlockSizes:
    """Several block sizes and their weights, smallest first. Operations have exactly these shares."""

    shares: tuple[tuple[int, int], ...]

    @property
    def largest_bytes(self) -> int:
        """The largest size."""
        return self.shares[-1][0]

    def mean_bytes(self) -> float:
        """The mean number of bytes per operation."""
        return sum(size * weight for size, weight in self.shares) / sum(weight for _, weight in self.shares)

    def __str__(self) -> str:
        name = next((name for name, shares in NAMED_SIZES.items() if shares == self.shares), None)
        return name or ",".join(f"{_size(size)}:{weight}" for size, weight in self.shares)


_SECTOR: Final = 512
NAMED_SIZES: Final = {
    "snia-composite": tuple(
        (sectors * _SECTOR, percent)
        for sectors, percent in zip(
            (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128), (4, 1, 1, 1, 1, 1, 1, 67, 10, 7, 3, 3), strict=True
        )
    )
}
"""The composite workload of the SNIA Solid State Storage Performance Test Specification: sizes and percentages."""


def parse_sizes(text: str, what: str) -> int | BlockSizes:
    """Parses one size, such as ``4KiB``, or several: ``4KiB:70,64KiB:30``, ``snia-composite``. Raises UsageError."""
    named = NAMED_SIZES.get(text.strip())
    if named is not None:
        return BlockSizes(named)
    if ":" not in text and "," not in text:
        return parse_bytes(text, what)
    shares = []
    for part in text.split(","):
        size, _, weight = part.partition(":")
        if not weight.strip().isdecimal() or not 1 <= int(weight) <= WEIGHTS_MAX:
            raise UsageError(
                f"{what}: '{part.strip()}' has no weight between 1 and {WEIGHTS_MAX}",
                "use sizes with weights, such as 4KiB:70,64KiB:30",
            )
        shares.append((parse_bytes(size, what), int(weight)))
    shares.sort()
    if any(one[0] == other[0] for one, other in pairwise(shares)):
        raise UsageError(f"{what}: '{text}' contains a size twice", "list each size once, with its weight")
    if not 2 <= len(shares) <= SIZES_MAX:  # noqa: PLR2004 - one is no mix
        raise UsageError(f"{what}: '{text}' mixes {len(shares)} sizes", f"use 2 to {SIZES_MAX} sizes")
    return BlockSizes(tuple(shares))


def _read(parse: Callable[[str, str], Any], kinds: tuple[type, ...]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:  # noqa: ANN401 - whatever was given
        if isinstance(value, kinds):
            return value
        if not isinstance(value, str):
            raise PydanticCustomError("quantity", "is not text", {"hint": _WAY_OUT})
        try:
            return parse(value, "")
        except UsageError as error:
            what = error.message.removeprefix(": ").removeprefix(f"'{value}'").lstrip(": ")
            raise PydanticCustomError("quantity", "{what}", {"what": what, "hint": error.hint}) from error

    return read


def _read_mix(text: str, what: str) -> BlockSizes:
    sizes = parse_sizes(text, what)
    if isinstance(sizes, int):
        raise UsageError(f"{what}: '{text}' is a single size", "use sizes with weights, such as 4KiB:70,64KiB:30")
    return sizes


Pattern = Annotated[
    Access | Shaped,
    PlainValidator(_read(parse_pattern, (Access, Permutation, Zipf, Pareto, HotSpots, Strided, Runs, FastRandom))),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "examples": list(FORMS), "$comment": "a pattern"}),
]
Mix = Annotated[
    BlockSizes,
    PlainValidator(_read(_read_mix, (BlockSizes,))),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "examples": ["4KiB:70,64KiB:30", *NAMED_SIZES]}),
]
