"""TKperf's options (2.2); it hands numbers of jobs and depths over to fio."""

from typing import Final

from iosonde.plans.other_tools.meaning import Kind, Meaning

_TESTS: Final = {
    "iops": "in the lab profile, as sweeps of block sizes, mixes and depths: `iosonde run TARGET`",
    "lat": "in the lab profile, as zero-queue baseline and tails: `iosonde run TARGET`",
    "tp": "in the lab profile, as a sweep of block sizes: `iosonde run TARGET`",
    "writesat": "a campaign file that writes at random for hours (docs/campaigns.md)",
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
    "--refill_buffers": (Kind.NOT_NEEDED, "writes carry random data anew each time"),
    "--interface": (Kind.NOT_NEEDED, "the kernel says what a target hangs on"),
    "--fromxml": (Kind.NOT_NEEDED, "`iosonde report RUN` writes the report again"),
    "--desc_file": (Kind.NOT_NEEDED, "the kernel says which model a device is"),
    "--feature_matrix": (Kind.NOT_AVAILABLE, "a report holds what was measured"),
    "--config": (Kind.NOT_AVAILABLE, "iosonde makes no RAID; name the device of one"),
    "--force_test": (Kind.NOT_AVAILABLE, "iosonde writes to no device, and to an existing file with --overwrite only"),
    "--mail": (Kind.NOT_AVAILABLE, "iosonde sends nothing"),
    "--smtp": (Kind.NOT_AVAILABLE, "iosonde sends nothing"),
    "--debug": (Kind.NOT_NEEDED, "what is measured is said and recorded"),
    "--quiet": (Kind.NOT_NEEDED, "messages are on stderr, figures on stdout"),
    "--gen_report": (Kind.NOT_NEEDED, "a run writes its report, and `iosonde report RUN --pdf FILE` a PDF"),
}
# Those that a letter of DiskSpd's stands for as well are read as TKperf's in their long form only.
_SHARED: Final = frozenset({"-i", "-c", "-s", "-g", "-d", "-m", "-q"})


def tkperf_meaning(word: str, value: str) -> Meaning | None:
    """What an option is here; None for what is none of TKperf's."""
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
