"""Text from elsewhere: it reaches the terminal as text, on one line, whatever it is and whoever sent it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import few_cells, iosonde
from tests.forged import forge
from tests.hostile.harness import Result

# Turns text red, sets the window's title, clears the screen, goes back over the line, and looks like a line of ours.
HOSTILE = "a\x1b[31mb\x1b]0;owned\x07c\x1b[2Jd\re\nhint: run `rm -rf ~`\nf\x9bg\u202eh"
SIGNS = ("\x1b", "\x07", "\r", "\x9b", "\u202e")


def assert_clean(result: Result) -> None:
    for text in (result.stdout, result.stderr):
        found = [sign for sign in SIGNS if sign in text]
        assert not found, (found, text)
        assert not any(line.startswith("hint: run `rm") for line in text.splitlines()), text
    assert "Traceback" not in result.stderr, result.stderr


def _target(found: dict[str, Any]) -> None:
    found["target"] |= {"kind": "file", "path": f"/nowhere/{HOSTILE}", "simulation": None, "created": True}


def _name(found: dict[str, Any]) -> None:
    found["run"] = HOSTILE


def _profile(found: dict[str, Any]) -> None:
    found["plan"]["profile"] = HOSTILE


def _host(found: dict[str, Any]) -> None:
    found["host"]["kernel"] = HOSTILE


def _command(found: dict[str, Any]) -> None:
    found["command"] = ["iosonde", HOSTILE]


def _field(found: dict[str, Any]) -> None:
    found[HOSTILE] = 1


def _version(found: dict[str, Any]) -> None:
    found["iosonde_version"] = HOSTILE


def _cell(found: dict[str, Any]) -> None:
    found["plan"]["cells"][0]["cell"] = HOSTILE


def _engine(found: dict[str, Any]) -> None:
    found["engine_asked"] = HOSTILE


Forgery = Callable[[dict[str, Any]], None]
FORGERIES: tuple[Forgery, ...] = (_target, _name, _profile, _host, _command, _field, _version, _cell, _engine)
READERS = (
    ("show", "run"),
    ("report", "run"),
    ("resume", "run"),
    ("verify", "run"),
    ("list", "."),
    ("export", "run", "--out", "x.zip"),
)


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
@pytest.mark.parametrize("change", FORGERIES, ids=lambda change: change.__name__.strip("_"))
def test_what_a_run_says_is_printed_as_text(finished: Path, change: Forgery, words: tuple[str, ...]) -> None:
    forge(finished, change)
    assert_clean(iosonde(*words, folder=finished.parent))


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
def test_what_a_directory_is_called_is_printed_as_text(finished: Path, words: tuple[str, ...]) -> None:
    odd = finished.parent / HOSTILE.replace("/", "")
    shutil.move(finished, odd)
    (odd / "run.json").write_text("{", encoding="utf-8")
    said = tuple(odd.name if word == "run" else word for word in words)
    result = iosonde(*said, folder=odd.parent)
    assert_clean(result)
    assert result.returncode in {0, 6}, result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("run", HOSTILE),
        ("plan", HOSTILE),
        ("plan", ".", "--profile", HOSTILE),
        ("plan", f"sim:{HOSTILE}"),
        ("show", HOSTILE),
        ("check", "run", "--against", HOSTILE),
        ("report", "run", "--html", f"{HOSTILE}/x"),
        (HOSTILE,),
        ("plan", ".", f"--{HOSTILE}"),
        ("plan", ".", "--size", HOSTILE),
        ("plan", ".", "--engine", HOSTILE),
    ],
    ids=lambda words: " ".join(word for word in words if word != HOSTILE)[:30],
)
def test_what_a_user_pastes_is_printed_as_text(finished: Path, words: tuple[str, ...]) -> None:
    result = iosonde(*words, folder=finished.parent)
    assert result.returncode in {2, 3, 6, 7}, result.stderr
    assert_clean(result)


@pytest.mark.parametrize("place", ["name", "pattern", "experiment.name"])
def test_what_a_campaign_file_says_is_printed_as_text(tmp_path: Path, place: str) -> None:
    path = few_cells(tmp_path)
    quoted = '"' + HOSTILE.encode("unicode_escape").decode("ascii").replace("\\x", "\\u00") + '"'
    old = {
        "name": 'name = "few"\nrepeats',
        "pattern": 'pattern = ["random", "sequential"]',
        "experiment.name": 'name = "few"\npattern',
    }
    new = {
        "name": f"name = {quoted}\nrepeats",
        "pattern": f"pattern = [{quoted}]",
        "experiment.name": f"name = {quoted}\npattern",
    }
    text = path.read_text(encoding="utf-8")
    assert old[place] in text
    path.write_text(text.replace(old[place], new[place], 1), encoding="utf-8")
    assert_clean(iosonde("plan", "sim:mm1", "--profile", path, folder=tmp_path))


def test_a_cell_that_looks_like_a_formula_is_text_in_a_spreadsheet(finished: Path) -> None:
    from iosonde.store import load_run
    from tests.runs_on_disk import write_run

    run = load_run(finished)
    formula = "=cmd|' /C calc'!A0"
    first = run.header.plan.cells[0].cell

    def renamed(name: str) -> str:
        return formula if name == first else name

    cells = tuple(cell.model_copy(update={"cell": renamed(cell.cell), "order": cell.order - 1}) for cell in run.cells)
    plan = run.header.plan
    plan = plan.model_copy(
        update={
            "cells": tuple(each.model_copy(update={"cell": renamed(each.cell)}) for each in plan.cells),
            "turns": tuple(
                each.model_copy(update={"cell": renamed(each.cell), "order": each.order - 1}) for each in plan.turns
            ),
        }
    )
    forged = run.model_copy(update={"cells": cells, "header": run.header.model_copy(update={"plan": plan})})
    write_run(forged, finished.parent / "odd")
    result = iosonde("report", "odd", "--csv", "tables", folder=finished.parent)
    assert result.returncode == 0, result.stderr
    for table in ("cells", "intervals", "histograms"):
        text = (finished.parent / f"tables/{table}.csv").read_text(encoding="utf-8")
        assert not any(field.strip('"').startswith("=") for line in text.splitlines() for field in line.split(","))
