"""The access pattern, block size, queue depth and rate of a fio job."""

from collections.abc import Iterator
from typing import Final

from iosonde.plans.other_tools.fio_options import FioOptions, refused
from iosonde.plans.other_tools.fio_units import fio_number
from iosonde.plans.other_tools.said import Differs, Flag, Ignored, Said
from iosonde.units import SECOND_NS, exact_duration, exact_size, format_rate

_ALL: Final = 100
_ASYNCHRONOUS: Final = frozenset({"libaio", "posixaio"})
MICROSECOND_NS: Final = 1_000
_DEFAULT_BS: Final = "4096"


def access(options: FioOptions) -> Iterator[Said]:
    """Access pattern and kinds of operations."""
    because = "rw"
    _, _, behind = options.text("rw", "read").partition(":")
    if options.is_random:
        if behind:
            raise refused("rw", options.text("rw"), "iosonde chooses a new random offset for each block")
        yield from _random(options)
    elif behind:
        stride = fio_number(behind, "rw", options.kb_base) + _block_bytes(options)
        yield Flag("--pattern", f"strided:{size_text(stride)}", because)
        yield Differs("rw", "fio starts every pass at the same block; iosonde starts each pass one block later")
    else:
        yield Flag("--pattern", "sequential", because)
    if options.direction == "trim":
        yield Flag("--read", 0, because)
        yield Flag("--trim", _ALL, because)
    else:
        yield Flag("--read", options.read_percent, "rwmixread" if options.has("rwmixread") else because)
    if options.direction == "rw" and not options.is_random:
        yield Differs(
            "rw", "fio tracks the positions of reads and writes separately; iosonde uses one position for both"
        )


def _random(options: FioOptions) -> Iterator[Said]:
    distribution = options.text("random_distribution", "random")
    share = int(options.of_sides("percentage_random")) if options.has("percentage_random") else _ALL
    if distribution != "random":
        yield Flag("--pattern", _skewed(distribution), "random_distribution")
    elif not 0 <= share <= _ALL:
        raise refused("percentage_random", options.text("percentage_random"), "the value is not a percentage")
    elif share < _ALL:
        yield Flag("--pattern", f"runs:{share}" if share else "sequential", "percentage_random")
    elif options.on("norandommap"):
        yield Flag("--pattern", "random", "rw")
    elif options.jobs == 1 and not options.has("bssplit"):
        yield Flag("--pattern", "permutation", "norandommap" if options.has("norandommap") else "rw")
        yield Ignored("norandommap", "not set: fio accesses each block once per pass, like --pattern permutation")
    else:
        yield Flag("--pattern", "random", "rw")
        yield Differs(
            "norandommap",
            "not set: each fio job accesses each block once per pass; iosonde chooses every block independently",
        )


def _skewed(text: str) -> str:
    word, _, rest = text.partition(":")
    if word in {"zipf", "pareto"} and ":" not in rest and "," not in rest:
        return f"{word}:{rest}"
    if word == "zoned" and "," not in rest:
        return f"hot:{rest.replace(':', ',')}"
    raise refused("random_distribution", text, "iosonde supports random, zipf:EXPONENT, pareto:SHARE and zoned:A/B:C/D")


def _block_bytes(options: FioOptions) -> int:
    return fio_number(options.of_sides("bs") or _DEFAULT_BS, "bs", options.kb_base)


def sizes(options: FioOptions) -> Iterator[Said]:
    """Block size."""
    if not options.has("bssplit"):
        yield Flag("--block-size", size_text(_block_bytes(options)), "bs")
        return
    text = options.of_sides("bssplit")
    shares = [part.partition("/") for part in text.split(":") if part]
    given = [int(share) if share.isdecimal() else 0 for _, _, share in shares]
    # Sizes without a share divide the remainder equally.
    without = given.count(0)
    if without:
        each, rest = divmod(_ALL - sum(given), without)
        given = [share or each for share in given]
        if rest:
            raise refused("bssplit", text, "fio rounds the percentages down, so they do not add up to 100 %")
    if sum(given) != _ALL or min(given) <= 0:
        raise refused("bssplit", text, "the percentages do not add up to 100 %")
    mix = [
        (fio_number(size, "bssplit", options.kb_base), share) for (size, _, _), share in zip(shares, given, strict=True)
    ]
    whole = {size: sum(share for other, share in mix if other == size) for size, _ in mix}
    texts = [f"{size_text(size)}:{share}" for size, share in whole.items()]
    yield Flag("--block-size", texts[0].partition(":")[0] if len(texts) == 1 else ",".join(texts), "bssplit")


def depth(options: FioOptions) -> Iterator[Said]:
    """Queue depth."""
    engine, queue_depth = options.ioengine, options.number("iodepth", 1)
    yield Flag("--queue-depth", 1 if options.is_synchronous else queue_depth, "iodepth")
    if options.is_synchronous and queue_depth > 1:
        given = "" if options.has("ioengine") else ", fio's default"
        yield Ignored(
            "iodepth", f"with ioengine={engine}{given}, fio has only one operation in flight regardless of iodepth"
        )
    if options.has("numjobs"):
        yield Flag("--jobs", options.jobs, "numjobs")


_ENGINES: Final = {"io_uring": "io_uring", "io_uring_cmd": "passthrough", "null": "null"}


def engine(options: FioOptions) -> Iterator[Said]:
    """I/O engine."""
    name = options.ioengine
    if name in _ASYNCHRONOUS:
        yield Differs("ioengine", f"iosonde uses io_uring instead of {name}")
    elif options.is_synchronous or name in _ENGINES:
        yield Flag("--engine", _ENGINES.get(name, "psync"), "ioengine")
    else:
        raise refused("ioengine", name, "iosonde supports io_uring, psync, passthrough and null")
    for option, poll in (("hipri", "iopoll"), ("sqthread_poll", "sqpoll")):
        if options.on(option):
            if name not in {"io_uring", "io_uring_cmd"}:
                raise refused(
                    option, options.text(option), f"iosonde supports polling only with io_uring, not with {name}"
                )
            yield Flag("--poll", poll, option)
    if name != "null" and not options.on("direct"):
        yield Flag("--buffered", None, "direct")
        if not options.has("direct"):
            yield Ignored("direct", "not set: fio uses the page cache, like --buffered")


def pace(options: FioOptions) -> Iterator[Said]:
    """Rate and think time."""
    name = "rate_iops" if options.has("rate_iops") else "rate"
    if options.has(name):
        yield Flag("--rate", format_rate(_rate(options, name)), name)
        process = options.text("rate_process", "linear")
        if process not in {"linear", "poisson"}:
            raise refused("rate_process", process, "valid values are linear and poisson")
        yield Flag("--arrivals", "poisson" if process == "poisson" else "constant", "rate_process")
        yield Differs(
            name, "iosonde measures latency from the intended start of an operation; fio measures it from submission"
        )
    rest_ns = options.time_ns("thinktime", MICROSECOND_NS)
    if rest_ns:
        burst = options.number("thinktime_blocks", 1)
        yield Flag("--think-time", time_text(rest_ns), "thinktime")
        yield Flag("--burst", burst, "thinktime_blocks")
        if options.text("thinktime_blocks_type") != "issue" and not options.is_synchronous and burst > 1:
            yield Differs("thinktime_blocks", "iosonde counts submitted operations; fio counts completed operations")


def _rate(options: FioOptions, name: str) -> int:
    """Operations per second of all jobs and both directions."""
    sides = [fio_number(side, name, options.kb_base) if side else 0 for side in options.sides(name)]
    used = [side for side, does in zip(sides, (options.reads, options.writes), strict=True) if does]
    if not used:
        raise refused(name, options.text(name), "iosonde supports rates only for reads and writes")
    if not all(used):
        raise refused(name, options.text(name), "it limits only one direction")
    rate = sum(used)
    if len(used) > 1 and used[0] * _ALL != rate * options.read_percent:
        raise refused(
            name,
            options.text(name),
            f"it implies {used[0] * _ALL / rate:g} % reads, but rwmixread is {options.read_percent} %",
            f"set rwmixread={round(used[0] * _ALL / rate)}, or specify a separate rate for each direction",
        )
    if name == "rate":
        if options.has("bssplit") or rate % _block_bytes(options):
            raise refused(
                name, options.text(name), "it is not a whole number of operations per second", "use rate_iops"
            )
        rate //= _block_bytes(options)
    return rate * options.jobs


def time(options: FioOptions) -> Iterator[Said]:
    """Warm-up and measurement time."""
    runtime_ns, ramp_ns = options.time_ns("runtime"), options.time_ns("ramp_time")
    yield Flag("--warmup", time_text(ramp_ns), "ramp_time")
    if not runtime_ns:
        yield Differs("runtime", "not set: fio stops after transferring size; a probe stops after --duration")
        return
    yield Flag("--duration", time_text(runtime_ns), "runtime")
    if not options.on("time_based"):
        yield Differs("time_based", "not set: fio stops early once size has been transferred; a probe does not")


def size_text(size_bytes: int) -> str:
    """Bytes as a flag value."""
    return exact_size(size_bytes).replace(" ", "")


def time_text(time_ns: int) -> str:
    """A time as a flag value."""
    if time_ns % SECOND_NS == 0:
        return f"{time_ns // SECOND_NS}s"
    return exact_duration(time_ns).replace(" ", "")
