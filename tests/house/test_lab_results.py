"""What ``make lab`` keeps of a run: each check with its time, also those that failed or did not run."""

from pathlib import Path

import pytest

from lab.__main__ import Ran, result, run, run_all
from lab.checks import ALONE, CHECKS
from lab.kernel import Kernel

KERNEL = Kernel(Path("vmlinuz"), Path("6.1.0-1-amd64"))


def crash(*_: object) -> list[str]:
    raise LookupError


def test_a_failed_check_and_one_that_did_not_run_are_named() -> None:
    ran = {"numa": Ran(12.4, ["two nodes"], True), "guard": Ran(3.0, ["FAILED: no"], False)}
    assert result(["numa", "guard", "walk"], ran, KERNEL, 90.0).splitlines()[:-2] == [
        "Debian's kernel 6.1.0-1-amd64, emulated",
        "numa, 12 s",
        "  two nodes",
        "guard, 3 s",
        "  FAILED: no",
        "walk",
        "  NOT RUN",
    ]
    assert result(["numa", "guard", "walk"], ran, KERNEL, 90.0).splitlines()[-1] == "FAILED: guard"


def test_a_check_that_crashes_fails_and_the_others_are_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("lab.__main__.FOLDER", tmp_path)
    monkeypatch.setitem(CHECKS, "numa", crash)
    monkeypatch.setitem(CHECKS, "quota", lambda *_: ["holds"])
    crashed = run("numa", KERNEL)
    assert not crashed.holds
    assert "LookupError" in crashed.told[0]
    seen: dict[str, Ran] = {}
    run_all(["numa", "quota"], KERNEL, seen.__setitem__)
    assert {name: each.holds for name, each in seen.items()} == {"numa": False, "quota": True}


def test_checks_that_compare_times_run_after_all_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("lab.__main__.FOLDER", tmp_path)
    for name in CHECKS:
        monkeypatch.setitem(CHECKS, name, lambda *_: [])
    ended: list[str] = []
    run_all(list(CHECKS), KERNEL, lambda name, _: ended.append(name))
    assert sorted(ended) == sorted(CHECKS)
    assert tuple(ended[-len(ALONE) :]) == ALONE


def test_the_page_of_an_earlier_run_is_no_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("lab.__main__.FOLDER", tmp_path)
    monkeypatch.setitem(CHECKS, "guard", crash)
    page = tmp_path / "guard/guard.md"
    page.parent.mkdir()
    page.write_text("all is well")
    run("guard", KERNEL)
    assert not page.exists()
