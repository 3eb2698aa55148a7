"""TKperf's options (2.2). It passes the numbers of jobs and queue depths to fio."""

from typing import Final

from iosonde.plans.other_tools.meaning import Kind, Meaning

_TESTS: Final = {
    "iops": "the profile tkperf-iops: `iosonde run TARGET --profile tkperf-iops` (or pts-iops; disks: tkperf-hdd-iops)",
    "lat": "the profile tkperf-lat: `iosonde run TARGET --profile tkperf-lat` (or pts-lat)",
    "tp": "the profile tkperf-tp: `iosonde run TARGET --profile tkperf-tp` (or pts-tp; disks: tkperf-hdd-tp)",
    "writesat": "the profile tkperf-writesat: `iosonde run TARGET --profile tkperf-writesat` (or pts-wsat)",
}
NAMES: Final = {
    "-nj": "--numjobs",
    "-iod": "--iodepth",
    "-rt": "--runtime",
    "-rfb": "--refill_buffers",
    "-ssdt": "--ssd_type",
    "-hddt": "--hdd_type",
    "-i": "--interface",
    "-xml": "--fromxml",
    "-dsc": "--desc_file",
    "-fm": "--feature_matrix",
    "-c": "--config",
    "-ft": "--force_test",
    "-m": "--mail",
    "-s": "--smtp",
    "-g": "--gen_report",
    "-d": "--debug",
    "-q": "--quiet",
}
"""Each option's short form and its long one."""
_REASONS: Final = {
    "--refill_buffers": (Kind.NOT_NEEDED, "iosonde generates new random data for each write"),
    "--interface": (Kind.NOT_NEEDED, "iosonde reads the interface from the kernel"),
    "--fromxml": (
        Kind.NOT_NEEDED,
        "`iosonde report RUN` regenerates the report; `iosonde steady` and `iosonde compare` read TKperf's XML files",
    ),
    "--desc_file": (
        Kind.NOT_NEEDED,
        "iosonde reads the device model from the kernel; `[about]` of a campaign file has what it cannot read",
    ),
    "--feature_matrix": (Kind.NOT_AVAILABLE, "iosonde reports contain only measured values"),
    "--config": (
        Kind.NOT_NEEDED,
        "the target is the array (/dev/md0), and --purge reaches its members; hw_lsi is measured, but not purged",
    ),
    "--force_test": (
        Kind.NOT_AVAILABLE,
        "--destroy IDENTITY permits to destroy the contents of one device, after checks that it does not replace",
    ),
    "--mail": (Kind.NOT_AVAILABLE, "iosonde does not send email; --on-end runs a command that can"),
    "--smtp": (Kind.NOT_AVAILABLE, "iosonde does not send email; --on-end runs a command that can"),
    "--debug": (Kind.NOT_NEEDED, "iosonde always reports and records all results"),
    "--quiet": (Kind.NOT_NEEDED, "messages go to stderr, and results go to stdout"),
    "--gen_report": (Kind.NOT_NEEDED, "every run writes a report; `iosonde report RUN --pdf FILE` writes it as a PDF"),
}
# DiskSpd has these short options as well, so they are DiskSpd's. TKperf's options are recognised by their long names.
_SHARED: Final = frozenset({"-i", "-c", "-s", "-g", "-d", "-m", "-q"})


def tkperf_meaning(word: str, value: str) -> Meaning | None:
    """The counterpart of an option; None for an option that TKperf doesn't have."""
    name = NAMES.get(word, word) if word not in _SHARED else word
    typed = f"{word} {value}".rstrip()
    numbers = {"--numjobs": "--jobs", "--iodepth": "--queue-depth", "--runtime": "--duration"}
    if name in numbers:
        unit = "s" if name == "--runtime" and value else ""
        return Meaning(typed, Kind.FLAGS, f"{numbers[name]} {value}{unit}".rstrip())
    if name in {"--ssd_type", "--hdd_type"}:
        return Meaning(typed, Kind.WORDS, _TESTS.get(value, "a profile: `iosonde run TARGET --profile lab`"))
    if name in _REASONS:
        kind, reason = _REASONS[name]
        return Meaning(word, kind, reason)
    return None
