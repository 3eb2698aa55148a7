"""The content, durability and target of a fio job's writes."""

from collections.abc import Iterator
from typing import Final

from iosonde.plans.other_tools.fio_loop import size_text
from iosonde.plans.other_tools.fio_options import FioOptions, refused
from iosonde.plans.other_tools.said import Differs, Flag, Said

_HALF: Final = "50"
_PARTLY_RANDOM: Final = ("buffer_compress_percentage", "dedupe_percentage")
_NULL_WORD: Final = "null:"


def durability(options: FioOptions) -> Iterator[Said]:
    """How writes are made durable."""
    if not options.writes:
        return
    _check_one_way(options)
    for name in ("fdatasync", "fsync"):
        every = options.number(name, 0)
        if not every:
            continue
        yield Flag("--sync", "fdatasync", name)
        yield Flag("--flush-every", every, name)
        if name == "fsync":
            yield Differs(name, "iosonde calls fdatasync, which does not flush file timestamps")
        if options.reads:
            yield Differs(name, "fio also flushes after reads; iosonde flushes only after writes")
        if not options.is_synchronous and options.number("iodepth", 1) > 1:
            yield Differs(
                name, "iosonde waits for earlier writes before it flushes; fio does not at queue depths above 1"
            )
        return
    sync = options.text("sync", "none")
    if sync not in {"none", "0"}:
        if sync not in {"dsync", "sync", "1"}:
            raise refused("sync", sync, "valid values are none, sync and dsync")
        yield Flag("--sync", "dsync", "sync")
        if sync != "dsync":
            yield Differs("sync", "iosonde writes with O_DSYNC, which unlike O_SYNC does not flush file timestamps")


def _check_one_way(options: FioOptions) -> None:
    """Raises UsageError for a job that makes its writes durable in several ways."""
    flushes = [name for name in ("fsync", "fdatasync") if options.number(name, 0)]
    is_synchronous = options.text("sync", "none") not in {"none", "0"}
    ways = [*flushes, *(["sync"] if is_synchronous else [])]
    if len(ways) > 1:
        raise refused(
            ways[1], options.text(ways[1]), f"the job also sets {ways[0]}, and iosonde supports only one sync method"
        )


def content(options: FioOptions) -> Iterator[Said]:
    """Content of writes."""
    verify = options.text("verify", "0")
    if not options.writes:
        if verify not in {"0", "null"}:
            raise refused("verify", verify, "iosonde verifies only its own writes, and this job does not write")
        return
    if options.on("zero_buffers"):
        other = next((name for name in _PARTLY_RANDOM if options.number(name, 0)), None)
        if other is not None:
            raise refused(other, options.text(other), "the job also sets zero_buffers, which fio then ignores")
        yield Flag("--data", "zeros", "zero_buffers")
    elif options.has("buffer_pattern"):
        pattern = options.text("buffer_pattern")
        if set(pattern.removeprefix("0x")) != {"0"}:
            raise refused("buffer_pattern", pattern, "iosonde supports only random data and zeros")
        yield Flag("--data", "zeros", "buffer_pattern")
    else:
        yield from _random_data(options)
    if verify not in {"0", "null"}:
        yield Flag("--verify", None, "verify")
        yield Differs(
            "verify", "iosonde writes a different header to each sector and reads back the whole target at the end"
        )


def _random_data(options: FioOptions) -> Iterator[Said]:
    share = options.number("buffer_compress_percentage", 0)
    if str(share) == _HALF:
        yield Flag("--data", "compressible", "buffer_compress_percentage")
    elif share:
        yield Flag("--compressible", share, "buffer_compress_percentage")
    if share:
        yield Differs("buffer_compress_percentage", "iosonde puts the zeros at a different position in the block")
    duplicates = options.number("dedupe_percentage", 0)
    if duplicates:
        yield Flag("--duplicates", duplicates, "dedupe_percentage")
        yield Differs(
            "dedupe_percentage",
            "iosonde repeats blocks that it has already written; fio repeats blocks from a separate pool",
        )


def target_of(options: FioOptions) -> str | None:
    """The job's target: a file, a directory, or none."""
    folder, name = options.text("directory"), options.text("filename")
    if options.text("ioengine") == "null":
        return _NULL_WORD
    for option, text in (("filename", name), ("directory", folder)):
        if ":" in text.replace("\\:", ""):
            raise refused(
                option, text, "fio spreads one job over several files; iosonde runs the workload on each file"
            )
    if options.number("nrfiles", 1) != 1:
        raise refused(
            "nrfiles", options.text("nrfiles"), "fio spreads one job over several files; iosonde uses a single file"
        )
    if name == "-":
        raise refused("filename", name, "iosonde supports only files, directories and block devices")
    parts = [part.replace("\\:", ":") for part in (folder, name) if part]
    if not parts:
        return None
    return parts[-1] if len(parts) == 1 or parts[-1].startswith("/") else "/".join(parts)


def place(options: FioOptions) -> Iterator[Said]:
    """The test region."""
    offset, file_bytes = options.number("offset", 0), options.number("filesize", 0)
    size = None if options.text("size").strip() == "100%" else options.number("size", file_bytes) or None
    if offset:
        yield Flag("--offset", size_text(offset), "offset")
    if options.jobs > 1:
        yield from _beside(options, size)
    if size is None:
        return
    if file_bytes > offset:
        # fio doesn't extend the file beyond its size.
        size = min(size, file_bytes - offset)
    used = size * _parts(options, size)
    if file_bytes > offset + used:
        yield Flag("--span", size_text(used), "size")
    yield Flag("--size", size_text(max(offset + used, file_bytes)), "size")


def _beside(options: FioOptions, size: int | None) -> Iterator[Said]:
    """The parts of the target that several jobs use."""
    step, is_shared = options.number("offset_increment", 0), options.has("filename")
    if step and step != size:
        raise refused(
            "offset_increment",
            options.text("offset_increment"),
            "the regions of the jobs overlap or leave gaps",
        )
    if not is_shared:
        yield Differs(
            "numjobs", "fio uses a separate file for each job; iosonde uses one file of the total size for all jobs"
        )
    elif options.is_random and step:
        yield Differs(
            "offset_increment",
            "in fio, each job accesses only its own region; in iosonde, all jobs access the whole region",
        )
    elif not options.is_random and not step:
        yield Differs(
            "numjobs", "in fio, all jobs access the same blocks; in iosonde, each job accesses a separate region"
        )


def _parts(options: FioOptions, size: int) -> int:
    """How many regions of a job's size are used."""
    return options.jobs if options.number("offset_increment", 0) == size or not options.has("filename") else 1
