"""TKperf's XML is judged again: windows, slopes, verdicts and tables, from the round matrices alone."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from iosonde.errors import UsageError
from iosonde.report.judged_rounds import JudgedRounds, contradictions, judged, plain
from iosonde.report.judged_tables import figure_tables
from iosonde.sources.rounds import Tracking, read_rounds
from iosonde.vocabulary import Quantity
from tools.tkperf_of_seed import IOPS, LATENCY_MAX, LATENCY_MEAN, MIXES, THROUGHPUT, tkperf_xml


def verdicts_of(path: Path) -> dict[str, JudgedRounds]:
    found = [judged(each.source, each.rounds, each.first_round, each.said) for each in read_rounds([path])]
    return {each.name: each for each in found}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, JudgedRounds]:
    path = tmp_path_factory.mktemp("tkperf") / "drive.xml"
    path.write_bytes(tkperf_xml())
    return verdicts_of(path)


def rows(test: JudgedRounds, number: int = 0) -> dict[str, tuple[float | None, ...]]:
    return dict(figure_tables(test)[number].rows)


NAMES = {"512": "512 B", "4k": "4 KiB", "8k": "8 KiB", "16k": "16 KiB", "32k": "32 KiB", "64k": "64 KiB"}
NAMES |= {"128k": "128 KiB", "1024k": "1 MiB"}


def test_the_iops_table_of_document_004_comes_out_digit_for_digit(document: dict[str, JudgedRounds]) -> None:
    assert rows(document["tkperf-iops"]) == {NAMES[size]: values for size, values in IOPS.items()}
    assert figure_tables(document["tkperf-iops"])[0].columns == tuple(f"{mix}/{100 - mix}" for mix in MIXES)


def test_its_throughput_table_comes_out_digit_for_digit(document: dict[str, JudgedRounds]) -> None:
    assert rows(document["tkperf-tp"]) == {NAMES[size]: values for size, values in THROUGHPUT.items()}


def test_its_latency_tables_come_out_digit_for_digit(document: dict[str, JudgedRounds]) -> None:
    assert rows(document["tkperf-lat"]) == {NAMES[size]: values for size, values in LATENCY_MEAN.items()}
    assert rows(document["tkperf-lat"], 1) == {NAMES[size]: values for size, values in LATENCY_MAX.items()}


def test_its_windows_have_the_averages_that_it_prints(document: dict[str, JudgedRounds]) -> None:
    (iops,), (throughput,), (latency,) = (document[f"tkperf-{test}"].determinations for test in ("iops", "tp", "lat"))
    assert iops.average == 70418.0
    assert round(throughput.average / 1024) == 507313
    assert latency.average / 1000 == pytest.approx(41.3258968, abs=1e-9)


def test_its_rounds_are_counted_as_in_the_file(document: dict[str, JudgedRounds]) -> None:
    windows = {name: list(test.window) for name, test in document.items()}
    assert windows == {
        "tkperf-iops": [10, 11, 12, 13, 14],
        "tkperf-tp": [0, 1, 2, 3, 4],
        "tkperf-lat": [1, 2, 3, 4, 5],
    }


def test_the_slope_is_judged_over_four_intervals_with_two_other_readings_beside(
    document: dict[str, JudgedRounds],
) -> None:
    (iops,) = document["tkperf-iops"].determinations
    readings = (iops.excursion_share, iops.slope_per_round_share, iops.slope_all_rounds_share)
    assert [f"{100 * each:.2f}" for each in readings] == ["8.29", "2.07", "10.36"]
    assert iops.is_steady


def test_the_best_fit_line_is_over_rounds_as_the_file_counts_them(document: dict[str, JudgedRounds]) -> None:
    # By hand: the slope is (2 * (72388 - 66737) + (72609 - 69316)) / 10, and the mean is that of round 12.
    (found,) = plain(document["tkperf-iops"])["tracking_variables"]
    assert found["slope"] == pytest.approx(1459.5)
    assert found["intercept"] == pytest.approx(70418 - 12 * 1459.5)


def written(folder: Path, **tests: dict[str, object]) -> Path:
    root = ET.Element("drive")
    for tag, values in tests.items():
        element = ET.SubElement(root, tag)
        for name, value in values.items():
            ET.SubElement(element, name).text = json.dumps(value)
    path = folder / "made.xml"
    path.write_bytes(ET.tostring(root))
    return path


def iops_rounds(values: list[int], sizes: int = 8) -> list[list[list[int]]]:
    return [[[value] * sizes for _ in range(7)] for value in values]


@pytest.mark.parametrize(
    ("test", "matrix"),
    [("iops", [[[100, 200, 300]] * 3] * 128), ("tp", [[[2048] * 128] * 2] * 2)],
)
def test_a_test_of_a_hard_disk_is_refused_with_the_reason(test: str, matrix: object, tmp_path: Path) -> None:
    path = written(tmp_path, **{test: {"roundmat": matrix}})
    with pytest.raises(UsageError, match="the file does not say where its zones are") as refused:
        read_rounds([path])
    assert refused.value.hint == f"measure the disk with `iosonde run DEVICE --profile tkperf-hdd-{test}`"


def test_rounds_after_the_last_index_are_left_out(tmp_path: Path) -> None:
    matrix = iops_rounds([100, 100, 100, 100, 100, 0, 0])
    path = written(tmp_path, iops={"roundmat": matrix, "rndnr": 4, "numjobs": 1, "iodepth": 32})
    assert verdicts_of(path)["tkperf-iops"].rounds == 5


@pytest.mark.parametrize("last", [-3, 6, 500, 2.5, True])
def test_a_last_index_that_no_round_has_is_refused(last: object, tmp_path: Path) -> None:
    path = written(tmp_path, iops={"roundmat": iops_rounds([100] * 6), "rndnr": last, "numjobs": 1, "iodepth": 32})
    with pytest.raises(UsageError, match=f"rndnr of iops is {last}, which is the index of none of its 6 rounds"):
        read_rounds([path])


def latency_rounds(*latency_us: float) -> dict[str, dict[str, object]]:
    """Five rounds of the latency test: minimum, maximum and mean."""
    return {"lat": {"roundmat": [[[list(latency_us)] * 3] * 3] * 5}}


@pytest.mark.parametrize(("least", "most", "mean"), [(50, 60, 40), (10, 30, 35)])
def test_a_mean_latency_that_is_not_between_the_extremes_is_refused(
    least: float, most: float, mean: float, tmp_path: Path
) -> None:
    said = f"round 0 of lat has a mean latency of {mean} µs, which is not between its minimum of {least} µs"
    with pytest.raises(UsageError, match=said):
        read_rounds([written(tmp_path, **latency_rounds(least, most, mean))])


def test_extremes_without_their_fractions_of_a_microsecond_are_taken(tmp_path: Path) -> None:
    [test] = read_rounds([written(tmp_path, **latency_rounds(41, 41, 41.7))])
    assert test.phase.rounds == 5


def test_a_drive_with_sectors_of_4_kib_has_no_column_of_512_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, iops={"roundmat": iops_rounds([100] * 5, sizes=7), "numjobs": 1, "iodepth": 32})
    assert "512 B" not in rows(verdicts_of(path)["tkperf-iops"])


def test_write_saturation_has_rounds_and_no_verdict(tmp_path: Path) -> None:
    path = written(tmp_path, writesat={"roundmat": [[100, 90], [[1, 9, 2], [1, 8, 3]]], "numjobs": 1, "iodepth": 1})
    test = verdicts_of(path)["tkperf-writesat"]
    assert (test.rounds, test.own) == (2, None)
    assert test.cells[0].latency_ns_max == 9000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'<!DOCTYPE x [<!ENTITY a "b">]><x><iops/></x>', "has a document type"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><x><iops/></x>'.encode("utf-16-le"), "has a document type"),
        (b'<?xml version="1.0" encoding="no-such"?><x/>', "is not XML"),
        (b"<x><iops>", "is not XML"),
        (b"<x><other/></x>", "has none of TKperf's SSD tests"),
        (b"<x><iops><roundmat>[1, 2]</roundmat></iops></x>", "the rounds of iops are not in TKperf's form"),
        (b"<x><iops><roundmat>[]</roundmat></iops></x>", "iops has no rounds"),
        # Of a row that lacks a value, the sizes of the others are unknown.
        (
            b"<x><iops><roundmat>" + json.dumps([[[100] * 8] * 6 + [[100] * 7]]).encode() + b"</roundmat></iops></x>",
            "the rounds of iops are not in TKperf's form",
        ),
        (
            b"<x><iops><roundmat>" + json.dumps([[[True] + [100] * 7] * 7]).encode() + b"</roundmat></iops></x>",
            "the rounds of iops are not in TKperf's form",
        ),
        (b"<x><iops><roundmat>[[</roundmat></iops></x>", "the rounds of iops are not in TKperf's form"),
        (
            b"<x><writesat><roundmat>[[NaN], [[1, Infinity, 2]]]</roundmat></writesat></x>",
            "the rounds of writesat are not in TKperf's form",
        ),
        (
            b"<x><iops><roundmat>" + b"[" * 100_000 + b"</roundmat></iops></x>",
            "the rounds of iops are not in TKperf's form",
        ),
    ],
)
def test_what_tkperf_does_not_write_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        read_rounds([path])
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("written", "instead", "said"),
    [
        ("<reachstdystate>true", "<reachstdystate>false", ["steady state was not reached"]),
        ("<stdyvalues>[66737", "<stdyvalues>[33368", ["values of the window that are not those of"]),
        ("<stdyvalues>[66737", "<stdyvalues>[66737.01", []),
    ],
)
def test_what_a_file_says_against_its_own_rounds_is_named(
    written: str, instead: str, said: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "drive.xml"
    text = tkperf_xml().decode()
    assert written in text
    path.write_text(text.replace(written, instead, 1), encoding="utf-8")
    found = contradictions(verdicts_of(path)["tkperf-iops"])
    assert [each for each, part in zip(found, said, strict=True) if part not in each] == []


def test_on_a_drive_with_sectors_of_4_kib_the_variable_is_that_of_tkperf(tmp_path: Path) -> None:
    root = ET.fromstring(tkperf_xml())  # noqa: S314 - our own
    matrix = root.find("iops/roundmat")
    assert matrix is not None
    rounds = [[sizes[:-1] for sizes in mixes] for mixes in json.loads(matrix.text or "")]
    matrix.text = json.dumps(rounds)
    path = tmp_path / "drive.xml"
    path.write_bytes(ET.tostring(root))

    assert [each.cell for each in verdicts_of(path)["tkperf-iops"].phase.tracked] == ["random-write-8KiB-qd32-jobs4"]


def test_what_a_file_says_is_not_compared_with_another_variable_that_the_user_named(tmp_path: Path) -> None:
    path = tmp_path / "drive.xml"
    path.write_bytes(tkperf_xml())
    asked = Tracking(Quantity.IOPS, read_percent=0, block_size_bytes=8192)
    (test,) = (each for each in read_rounds([path], (asked,)) if each.rounds.procedure.name == "tkperf-iops")

    assert contradictions(judged(test.source, test.rounds, test.first_round, test.said)) == []


def test_diskspd_is_named_as_what_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "result.xml"
    path.write_text("<Results><System/><Profile/><TimeSpan/></Results>")
    with pytest.raises(UsageError, match="is XML of DiskSpd, which is not read yet"):
        read_rounds([path])
