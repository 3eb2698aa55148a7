"""The simulated drives on the command line."""

from pathlib import Path

import pytest

from iosonde.plans.models import load_model, model_names
from iosonde.records import flattened
from iosonde.report.display import parameter_text
from tests.commands import iosonde


def test_every_model_is_listed_as_a_target_with_its_kind_size_and_title() -> None:
    ended = iosonde("sim", "list", COLUMNS="200")
    assert ended.returncode == 0, ended.stderr
    for name in model_names():
        line = next(line for line in ended.stdout.splitlines() if line.startswith(f"sim:{name} "))
        model = load_model(name)
        assert model.kind in line
        assert model.title in line
        assert (f"1/{model.scale}" in line) == (model.scale > 1)


@pytest.mark.parametrize("word", ["mmc", "sim:mmc"])
def test_a_model_is_shown_with_every_parameter_what_it_is_its_source_and_what_follows(word: str) -> None:
    ended = iosonde("sim", "show", word, COLUMNS="400")
    assert ended.returncode == 0, ended.stderr
    model = load_model("mmc")
    for key, value in flattened(model.parameters):
        if key != "kind":
            line = next(line for line in ended.stdout.splitlines() if line.startswith(f"{key} "))
            assert parameter_text(key, value) in line
            assert model.meaning(key) in line
            assert model.sources[key] in line
    assert "40,000/s" in ended.stdout


def test_the_file_of_a_model_is_printed_to_begin_one_of_ones_own(tmp_path: Path) -> None:
    ended = iosonde("sim", "show", "sata-dc", "--toml")
    assert ended.returncode == 0, ended.stderr
    (tmp_path / "mine.toml").write_text(ended.stdout, encoding="utf-8")
    assert load_model(str(tmp_path / "mine.toml")).parameters == load_model("sata-dc").parameters


@pytest.mark.parametrize("columns", ["60", "80", "100"])
@pytest.mark.parametrize("name", model_names())
def test_on_a_narrow_terminal_a_model_is_shown_whole_and_no_word_is_cut(
    name: str, columns: str, tmp_path: Path
) -> None:
    ended = iosonde("sim", "show", name, folder=tmp_path, COLUMNS=columns)
    assert ended.returncode == 0, ended.stderr
    model = load_model(name)
    assert max(map(len, ended.stdout.splitlines())) <= int(columns)
    words = ended.stdout.split()
    meanings = [model.meaning(key) for key, _ in flattened(model.parameters) if key != "kind"]
    for said in (*meanings, *model.sources.values(), *model.leaves_out, *(limit.value for limit in model.limits)):
        assert set(said.split()) <= set(words), said


def test_what_it_is_and_the_source_stand_below_a_key_where_columns_would_be_too_narrow() -> None:
    narrow = iosonde("sim", "show", "sata-dc", COLUMNS="80").stdout.splitlines()
    key = next(place for place, line in enumerate(narrow) if line.startswith("link.duplex"))
    assert narrow[key + 1].rstrip() == "    Whether data can be transferred in both directions simultaneously."
    assert narrow[key + 2].rstrip() == "    SATA transfers data in one direction at a time."


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("queue_age_ns_max", 500_000_000, "500,000,000 (500 ms)"),
        ("size_bytes", 1 << 30, "1,073,741,824 (1 GiB)"),
        ("service_ns", 100_000, "100,000 (100 µs)"),
        ("idle_ns", 120 * 10**9, "120,000,000,000 (2 min 00 s)"),
        ("bytes_per_s", 500_000_000, "500,000,000 (500 MB/s)"),
        ("servers", 4, "4"),
        ("fua", True, "true"),
    ],
)
def test_a_value_is_told_as_the_file_has_it_and_as_people_read_it(key: str, value: object, text: str) -> None:
    assert parameter_text(key, value) == text


def test_a_run_without_a_target_explains_what_one_is_and_that_none_is_needed() -> None:
    ended = iosonde("run")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "iosonde run /mnt/data" in ended.stderr
    assert "measure a simulated drive: a full report in seconds, without hardware" in ended.stderr
