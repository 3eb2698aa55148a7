"""What goes wrong with simulated drives: what model files may say of it, and how mistakes there are told."""

import re
from pathlib import Path

import pytest

from iosonde.campaign.simulated import simulated_drive
from iosonde.errors import UsageError
from iosonde.plans.models import read_model
from iosonde.plans.models.faults import FAULT_TABLES, FAULTS_MAX, TIME_NS_MAX
from tests.plans.model_file import MODEL

GOOD = (
    MODEL
    + """
[[faults]]
kind = "stall"
from_ns = 2_000
until_ns = 3_000

[[faults]]
kind = "media_error"
offset_bytes = 4096
length_bytes = 512
operations = "reads"

[[faults]]
kind = "latency_spikes"
period_ns = 100
length_ns = 10
extra_ns = 5
"""
)
KINDS = ", ".join(FAULT_TABLES)


def test_faults_go_to_the_engine_as_they_stand_and_are_no_parameters() -> None:
    model = read_model(GOOD, "mine", "mine.toml")
    assert model.faults == (
        {"kind": "stall", "from_ns": 2_000, "until_ns": 3_000},
        {"kind": "media_error", "from_ns": 0, "offset_bytes": 4096, "length_bytes": 512, "operations": "reads"},
        {"kind": "latency_spikes", "from_ns": 0, "period_ns": 100, "length_ns": 10, "extra_ns": 5},
    )
    assert "faults" not in model.parameters


MISTAKES = [
    (
        ("until_ns = 3_000", "until_ns = 0"),
        f"mine.toml:12: faults.0.until_ns = 0 is not a whole number from 1 to {TIME_NS_MAX}",
        f"write until_ns = …, a whole number from 1 to {TIME_NS_MAX}",
    ),
    (
        ("until_ns = 3_000", "until_ns = 2_000"),
        "mine.toml:9: faults.0: until_ns = 2000 is not after from_ns = 2000",
        "use a later until_ns, or omit it",
    ),
    (
        ('"reads"', '"red"'),
        'mine.toml:18: faults.1.operations = "red" is not one of reads, writes, both',
        "write operations = …, one of reads, writes, both",
    ),
    (
        ("length_bytes = 512\n", ""),
        "mine.toml:14: faults.1.length_bytes is missing; it must be a whole number from 1 to 1152921504606846976",
        "add faults.1.length_bytes; `iosonde sim show MODEL --toml` prints a complete model file",
    ),
    (
        ("length_bytes = 512\n", "length_byte = 512\n"),
        "mine.toml:17: unknown key length_byte in faults.1",
        "did you mean length_bytes? valid keys: kind, from_ns, offset_bytes, length_bytes, operations",
    ),
    (
        ("length_ns = 10", "length_ns = 1_000"),
        "mine.toml:20: faults.2: length_ns = 1000 is longer than period_ns = 100",
        "reduce length_ns, or increase period_ns",
    ),
    (
        ('kind = "stall"', 'kind = "stal"'),
        f'mine.toml:9: faults.0.kind = "stal" is not one of {KINDS}',
        'did you mean "stall"?',
    ),
    (
        ('kind = "stall"\n', ""),
        f"mine.toml:9: faults.0.kind is missing; it must be one of {KINDS}",
        "add the kind of fault",
    ),
    (
        ("service_ns = 100_000\n", "service_ns = 100_000\nfaults = 4\n#"),
        f"mine.toml:8: faults = 4 is not a list of at most {FAULTS_MAX} items",
        f"write faults = …, a list of at most {FAULTS_MAX} items",
    ),
]


@pytest.mark.parametrize(("change", "message", "hint"), MISTAKES, ids=[change[1] for change, _, _ in MISTAKES])
def test_a_mistake_in_a_fault_is_told_with_its_line_and_its_number(
    change: tuple[str, str], message: str, hint: str
) -> None:
    text = GOOD.replace(*change, 1)
    if "faults = 4" in text:
        text = text[: text.index("[[")]
    with pytest.raises(UsageError) as told:
        read_model(text, "mine", "mine.toml")
    assert (told.value.message, told.value.hint) == (message, hint)


def test_more_faults_than_a_drive_takes_are_refused() -> None:
    text = GOOD + '[[faults]]\nkind = "stall"\n' * FAULTS_MAX
    with pytest.raises(
        UsageError, match=rf"faults = a list of {FAULTS_MAX + 3} items is not a list of at most {FAULTS_MAX} items"
    ):
        read_model(text, "mine", "mine.toml")


def test_a_media_error_beyond_the_drive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace("offset_bytes = 4096", "offset_bytes = 1_073_741_824"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"faults\.1 extends beyond the end of the drive \(1073741824 bytes\)"):
        simulated_drive(f"sim:{path}", 1, 0)


def test_kinds_and_bounds_are_those_of_the_engine() -> None:
    engine = (Path(__file__).parents[2] / "engine/src/sim/faults.rs").read_text(encoding="utf-8")
    plan = engine[engine.index("pub enum FaultPlan") : engine.index("\n}\n")]
    kinds = [
        re.sub(r"(?<!^)([A-Z])", r"_\1", kind).lower() for kind in re.findall(r"^    (\w+) \{", plan, re.MULTILINE)
    ]
    assert kinds == list(FAULT_TABLES)
    assert f"FAULTS_MAX: usize = {FAULTS_MAX};" in engine
    assert "TIME_NS_MAX: u64 = 365 * 86_400 * 1_000_000_000;" in engine
    assert TIME_NS_MAX == 365 * 86_400 * 10**9
