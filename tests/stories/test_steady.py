"""iosonde steady: verdicts on rounds of other tools, with an exit code for each."""

import json
from pathlib import Path

import pytest

from tests.commands import iosonde
from tools.tkperf_of_seed import tkperf_xml

HEADER = "round,read_percent,block_size,iops"


def table(folder: Path, values: list[int]) -> Path:
    path = folder / "rounds.csv"
    rows = [f"{number},0,4KiB,{value}" for number, value in enumerate(values, 1)]
    path.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    return path


def test_a_file_of_tkperf_is_judged_and_its_tables_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "drive.xml"
    path.write_bytes(tkperf_xml())
    shown = iosonde("steady", path, COLUMNS="200")
    assert shown.returncode == 0, shown.stderr
    text = " ".join(shown.stdout.split())
    assert "steady state reached in round 14; window: rounds 10, 11, 12, 13, 14" in text
    assert "it changes by 8.29 % over 4 intervals (at most 10 %)" in text
    assert "2.07 % per round, 10.36 % over 5 rounds" in text
    assert "1 MiB 523.639 495.423" in text


@pytest.mark.parametrize(
    ("values", "code", "message"),
    [
        ([100] * 5, 0, ""),
        ([100, 200, 300, 400, 500], 9, "steady state was not reached: iops"),
        ([100] * 4, 10, "too few rounds to judge: iops"),
    ],
)
def test_the_exit_code_is_the_verdict(values: list[int], code: int, message: str, tmp_path: Path) -> None:
    shown = iosonde("steady", table(tmp_path, values))
    assert shown.returncode == code
    assert message in shown.stderr


def test_the_json_has_verdicts_and_figures(tmp_path: Path) -> None:
    shown = iosonde("steady", table(tmp_path, [300, 100, 101, 99, 100, 100]), "--json")
    (test,) = json.loads(shown.stdout)
    (variable,) = test["tracking_variables"]
    assert test["window"] == [2, 3, 4, 5, 6]
    assert test["criteria"][0]["reached_round"] == 6
    assert (variable["average"], variable["range"]) == (100.0, 2.0)
    # By hand: (2 * (100 - 100) + (100 - 101)) / 10.
    assert variable["slope"] == pytest.approx(-0.1)
    assert test["cells"][0]["iops"] == 100.0


def test_the_table_of_rounds_of_a_run_is_judged_as_the_run_was(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("sim:sata-dc,seed=4,scale=300", "--profile", "pts-tp", "--seed", "1", "--no-report", "--out", run)
    done = iosonde("run", *words)
    assert done.returncode == 0, done.stderr
    iosonde("report", run, "--csv", tmp_path / "csv", "--json", tmp_path / "run.json")
    procedures = json.loads((tmp_path / "run.json").read_text())["procedures"]

    tests = json.loads(iosonde("steady", tmp_path / "csv/rounds.csv", "--json").stdout)

    # Preconditioning has no rounds to judge, and the two procedures are two tests.
    assert [each["test"] for each in tests] == [f"{each['name']}, rounds: throughput" for each in procedures]
    for test, procedure in zip(tests, procedures, strict=True):
        [own] = procedure["steady_states"]
        [variable] = test["tracking_variables"]
        assert test["criteria"][0]["reached_round"] == own["criteria"][0]["reached"]
        assert variable["average"] == own["determinations"][0]["average"]


def test_rounds_that_left_steady_state_are_named_with_their_file(tmp_path: Path) -> None:
    left, steady = tmp_path / "left", tmp_path / "steady"
    for each in (left, steady):
        each.mkdir()
    files = table(left, [100] * 5 + [200] * 5), table(steady, [100] * 5)
    shown = iosonde("steady", *files)
    assert shown.returncode == 9
    assert f"error: steady state was left again: iops of {files[0]}\n" in shown.stderr
    assert "later rounds do not help" in shown.stderr


def test_a_wrong_tracking_variable_is_refused_with_an_example(tmp_path: Path) -> None:
    wrong = {
        "reed=0": "unknown key reed",
        "read=x": "read=x is not a whole number",
        "read=50": "no cell of tracking variable 1",
    }
    for text, message in wrong.items():
        shown = iosonde("steady", table(tmp_path, [100] * 5), "--track", text)
        assert shown.returncode == 2
        assert message in shown.stderr
        assert "hint: " in shown.stderr


def one_column(folder: Path) -> Path:
    path = folder / "iops.csv"
    path.write_text("round,iops\n" + "".join(f"{number},100\n" for number in range(1, 6)), encoding="utf-8")
    return path


def test_what_a_table_does_not_say_can_be_told_in_several_options(tmp_path: Path) -> None:
    said = ("--cell", "read=0,block_size=4KiB", "--cell", "queue_depth=4")
    shown = iosonde("steady", one_column(tmp_path), *said)
    assert shown.returncode == 0, shown.stderr
    assert "random-write-4KiB-qd4, IOPS" in shown.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cell", "read=0,block_size=4KiB", "--cell", "read=5"), "a key is there twice"),
        (("--cell", "read"), "--cell read: read has no value"),
        (("--track", "queue_depth="), "--track queue_depth=: queue_depth has no value"),
    ],
)
def test_a_key_that_is_there_twice_or_has_no_value_is_refused(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    shown = iosonde("steady", one_column(tmp_path), *options)
    assert shown.returncode == 2
    assert message in shown.stderr
    assert "hint: " in shown.stderr


def test_write_saturation_is_only_undecided_without_a_test_beside_it(tmp_path: Path) -> None:
    matrix = "[[1000, 990, 995], [[10, 30, 20], [10, 30, 20], [10, 30, 20]]]"
    saturation = f"<writesat><numjobs>4</numjobs><iodepth>16</iodepth><roundmat>{matrix}</roundmat></writesat>"
    alone, beside = tmp_path / "alone.xml", tmp_path / "beside.xml"
    alone.write_text(f"<report>{saturation}</report>", encoding="utf-8")
    text = tkperf_xml().decode()
    end = text.rindex("</")
    beside.write_text(text[:end] + saturation + text[end:], encoding="utf-8")
    assert [iosonde("steady", str(each)).returncode for each in (alone, beside)] == [10, 0]
