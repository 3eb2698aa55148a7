"""Models of simulated drives: what their files hold, and how mistakes in them are told."""

from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field

from iosonde.errors import UsageError
from iosonde.plans.models import Limit, load_model, model_names, model_text, read_model
from iosonde.plans.models.kinds import KINDS, Kind
from iosonde.plans.models.part import ModelPart
from iosonde.plans.models.table import ModelTable, SizeBytes
from iosonde.records import flattened
from tests.plans.model_file import MODEL


@pytest.mark.parametrize("name", model_names())
def test_every_parameter_of_a_shipped_model_has_a_source_and_nothing_else_has_one(name: str) -> None:
    model = load_model(name)
    parameters = [key for key, _ in flattened(model.parameters) if key != "kind"]
    assert sorted(model.sources) == sorted(parameters)


@pytest.mark.parametrize("name", model_names())
def test_a_shipped_model_says_what_it_is_in_one_sentence_and_what_follows_from_it(name: str) -> None:
    model = load_model(name)
    assert model.about.endswith(".")
    assert ". " not in model.about
    assert model.limits


def test_all_servers_busy_give_the_peak() -> None:
    assert load_model("mmc").limits[0] == Limit(
        name="peak IOPS", value="40,000/s", why="servers / service_ns, with all servers busy"
    )


def test_a_limit_to_power_says_what_it_lets_be_written() -> None:
    limits = {limit.name: limit.value for limit in load_model("enterprise-nvme").limits}
    # 21.5 W above idle power; a byte takes 130 mW for 1.3 ms / 64 KiB, and 2 W for a second / 6.9 GB of the link.
    assert limits["sustained write bandwidth within the power limit"] == "7,495 MB/s"
    assert not any("power" in limit.name for limit in load_model("sata-dc").limits)


def test_a_file_of_the_users_needs_no_sources(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MODEL, encoding="utf-8")
    model = load_model(str(path))
    assert (model.name, model.title, model.sources) == (str(path), "mine", {})
    assert model.size_bytes == 1 << 30


def test_a_file_says_in_sentences_what_it_leaves_out_or_nothing_of_it() -> None:
    assert read_model(MODEL, "mine", "drive.toml").leaves_out == ()
    said = read_model('leaves_out = ["Trim.", "Sleep."]\n' + MODEL, "mine", "drive.toml")
    assert said.leaves_out == ("Trim.", "Sleep.")
    assert "leaves_out" not in said.parameters


MISTAKES = [
    (
        ('kind = "queueing"\n', 'kind = "queueing"\nleaves_out = "trim"\n'),
        'drive.toml:2: leaves_out = "trim" is not a list of strings',
        'write leaves_out = ["…"], with one sentence for each feature that the model omits',
    ),
    (
        ('kind = "queueing"\n', 'kind = "queueing"\nleaves_out = ["trim", 3]\n'),
        "drive.toml:2: leaves_out = a list with non-string values is not a list of strings",
        'write leaves_out = ["…"], with one sentence for each feature that the model omits',
    ),
    (
        ("servers = 4", "servers = 0"),
        "drive.toml:5: servers = 0 is not a whole number from 1 to 4096",
        "write servers = …, a whole number from 1 to 4096",
    ),
    (
        ("servers = 4", "servers = 4.5"),
        "drive.toml:5: servers = 4.5 is not a whole number from 1 to 4096",
        "write servers = …, a whole number from 1 to 4096",
    ),
    (
        ("1_073_741_824", "1_073_741_825"),
        "drive.toml:4: size_bytes = 1073741825 is not a multiple of 4096 from 16777216 to 1152921504606846976",
        "write size_bytes = …, a multiple of 4096 from 16777216 to 1152921504606846976",
    ),
    (
        ('"constant"', '"normal"'),
        'drive.toml:6: service = "normal" is not one of constant, exponential',
        "write service = …, one of constant, exponential",
    ),
    (
        ("service_ns = 100_000\n", ""),
        "drive.toml:1: service_ns is missing; it must be a whole number from 1 to 3600000000000",
        "add service_ns; `iosonde sim show MODEL --toml` prints a complete model file",
    ),
    (
        ("servers = 4", "server = 4"),
        "drive.toml:5: unknown key server in the model",
        (
            "did you mean servers? valid keys: kind, size_bytes, servers, service, service_ns, title, about, "
            "leaves_out, faults, sources"
        ),
    ),
    (
        ('kind = "queueing"', 'kind = "queuing"'),
        f'drive.toml:1: kind = "queuing" is not one of {", ".join(KINDS)}',
        'did you mean "queueing"?',
    ),
    (
        ('kind = "queueing"\n', ""),
        f"drive.toml:1: kind is missing; it must be one of {', '.join(KINDS)}",
        'add kind = "queueing"',
    ),
    (
        ('title = "mine"\n', ""),
        "drive.toml:1: title is missing; it must be a string",
        'add title = "…" with a short description',
    ),
    (
        ('title = "mine"', 'title = ""'),
        'drive.toml:2: title = "" is not a non-empty string',
        'write title = "…"',
    ),
    (
        ("service_ns = 100_000\n", 'service_ns = 100_000\n[sources]\nservrs = "a guess"\n'),
        "drive.toml:9: unknown key servrs in sources",
        "did you mean servers?",
    ),
    (
        ("service_ns = 100_000\n", "service_ns = 100_000\n[sources]\nservers = 4\n"),
        "drive.toml:9: sources.servers = 4 is not a string",
        "state the source of the value",
    ),
    (
        ("service_ns = 100_000\n", "service_ns = 100_000\nsources = 4\n"),
        "drive.toml:8: sources = 4 is not a table",
        "write [sources]",
    ),
    (
        ("servers = 4", "servers = four"),
        "drive.toml:5: not TOML: invalid value",
        (
            "put strings in quotes, and use each key only once per table; `iosonde sim show MODEL --toml` prints a "
            "complete model file"
        ),
    ),
]


@pytest.mark.parametrize(("change", "message", "hint"), MISTAKES, ids=[change[1] for change, _, _ in MISTAKES])
def test_a_mistake_is_told_with_its_line_its_value_and_the_allowed_range(
    change: tuple[str, str], message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as told:
        read_model(MODEL.replace(*change), "./drive.toml", "drive.toml")
    assert (told.value.message, told.value.hint) == (message, hint)


class Host(ModelPart):
    """A table within a model."""

    bytes_per_s: int = Field(strict=True, ge=1, le=10**12)


class Zone(ModelPart):
    """One of a list of tables."""

    tracks: int = Field(strict=True, ge=1, le=1000)


class NestedTable(ModelTable):
    """A kind with tables in it, and a scale."""

    kind: Literal["nested"]
    size_bytes: SizeBytes
    capacity_scale: int = Field(default=1, strict=True, ge=1, le=1024)
    share: float = Field(default=0.5, gt=0, lt=1)
    host: Host
    slc: Host | None = None
    zones: list[Zone] = Field(default=[])


NESTED = """kind = "nested"
title = "nested"
about = "Tables in tables."
size_bytes = 1_073_741_824
[host]
bytes_per_s = 500_000_000
[sources]
host.bytes_per_s = "the data sheet"
"""


@pytest.fixture
def nested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        KINDS, "nested", Kind(NestedTable, lambda table: table.size_bytes // table.capacity_scale, lambda _: ())
    )


@pytest.mark.usefixtures("nested")
def test_a_kind_is_one_row_of_one_table_and_its_keys_are_dotted() -> None:
    model = read_model(NESTED, "nested", "nested.toml")
    assert model.parameters["host"] == {"bytes_per_s": 500_000_000}
    assert "slc" not in model.parameters, "what a drive lacks needs no source and is not sent"
    assert model.sources == {"host.bytes_per_s": "the data sheet"}
    assert (model.can_be_scaled, model.scaled(16).size_bytes, model.scaled(16).scale) == (True, 1 << 26, 16)


@pytest.mark.usefixtures("nested")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("500_000_000", "0"), "nested.toml:6: host.bytes_per_s = 0 is not a whole number from 1 to 1000000000000"),
        (("bytes_per_s =", "byte_per_s ="), "nested.toml:6: unknown key byte_per_s in host"),
        (
            ("bytes_per_s = 500_000_000\n", ""),
            "nested.toml:5: host.bytes_per_s is missing; it must be a whole number from 1 to 1000000000000",
        ),
        (("[host]\nbytes_per_s = 500_000_000\n", ""), "nested.toml:1: host is missing; it must be a table"),
        (
            ("[sources]", "[slc]\nbytes_per_s = 0\n[sources]"),
            "nested.toml:8: slc.bytes_per_s = 0 is not a whole number from 1 to 1000000000000",
        ),
        (("[host]\n", "share = 1.5\n[host]\n"), "nested.toml:5: share = 1.5 is not a number above 0 below 1"),
        (
            ("[sources]", "[[zones]]\ntracks = 10\n[[zones]]\ntracks = 0\n[sources]"),
            "nested.toml:10: zones.1.tracks = 0 is not a whole number from 1 to 1000",
        ),
    ],
)
def test_a_mistake_within_a_table_is_told_with_its_dotted_key(change: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError) as told:
        read_model(NESTED.replace(*change, 1), "nested", "nested.toml")
    assert told.value.message == message


def test_a_model_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="unknown model 'mm2'") as told:
        load_model("mm2")
    assert "mm1" in told.value.hint


def test_bounds_are_those_of_the_engine() -> None:
    engine = (Path(__file__).parents[2] / "engine/src/sim/queueing.rs").read_text(encoding="utf-8")
    takes: dict[str, Any] = KINDS["queueing"].table.model_json_schema()["properties"]
    assert f"SERVERS_MAX: u32 = {takes['servers']['maximum']};" in engine
    assert f"SERVICE_NS_MAX: u64 = {takes['service_ns']['maximum']:_};" in engine


@pytest.mark.parametrize("name", model_names())
def test_the_file_of_a_shipped_model_can_be_had_and_read_again(name: str) -> None:
    assert read_model(model_text(name), name, f"{name}.toml") == load_model(name)
