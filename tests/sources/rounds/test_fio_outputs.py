"""Which outputs of fio are rounds of one drive: by their times, names, devices, engines and operations."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.errors import UsageError
from iosonde.sources.rounds import read_rounds
from iosonde.sources.rounds.fio_names import check_share
from tests.sources.rounds.test_fio_and_tables import output, part, series, verdicts_of

RUNTIME_MS = 60_000
Changed = Callable[[dict[str, Any]], None]


def rewritten(path: Path, change: Changed) -> Path:
    """The output with a change of its JSON."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def long_round(folder: Path, name: str, end_s: float, iops: float = 100, runtime: str = "60") -> Path:
    """The output of a minute of random writes that ended at a time."""

    def change(document: dict[str, Any]) -> None:
        for job in document["jobs"]:
            job["write"]["runtime"] = RUNTIME_MS

    end_ms = 1_700_000_000_000 + round(end_s * 1000)
    path = output(folder, name, 0, iops, time_ms=end_ms, rw="randwrite", runtime=runtime)
    return rewritten(path, change)


def together(folder: Path, *jobs: dict[str, Any]) -> Path:
    """An output of jobs of one group, each with its name, options and writes a second."""
    found = [
        {
            "jobname": each["name"],
            "groupid": 0,
            "job options": {"rw": "randwrite", "bs": "4k", "ioengine": "libaio", "iodepth": "32"} | each["options"],
            "write": part(each["iops"]),
        }
        for each in jobs
    ]
    path = folder / "all.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": found}))
    return path


def job(name: str, iops: float = 100, /, **options: str) -> dict[str, Any]:
    return {"name": name, "iops": iops, "options": options}


def test_what_fio_prints_on_the_way_is_not_rounds(tmp_path: Path) -> None:
    texts = []
    for second in (1, 2, 3):

        def change(document: dict[str, Any], runtime_ms: int = 1000 * second) -> None:
            document["jobs"][0]["write"]["runtime"] = runtime_ms

        texts.append(rewritten(long_round(tmp_path, "x.json", second), change).read_text())
    path = tmp_path / "status" / "all.json"
    path.parent.mkdir()
    path.write_text("\n".join(texts))

    with pytest.raises(UsageError, match="are of one run: each contains the operations of those before it"):
        read_rounds([path])


def test_outputs_that_follow_one_another_are_rounds(tmp_path: Path) -> None:
    for number in range(1, 6):
        long_round(tmp_path, f"{number}.json", 61 * number, iops=100 * number)

    found = verdicts_of(tmp_path)["iops"]
    assert (series(found), found.doubts) == ([100, 200, 300, 400, 500], ())


def test_outputs_of_one_time_are_doubtful(tmp_path: Path) -> None:
    for number in (1, 2):
        long_round(tmp_path, f"{number}.json", 60)

    [doubt] = verdicts_of(tmp_path)["iops"].doubts
    assert "were measured at the same time" in doubt


@pytest.mark.parametrize(
    ("end_s", "said"),
    [
        ((60, 60), "were measured at the same time"),
        ((121, 60), "are rounds 1 and 2, but were written in the other order"),
    ],
)
def test_rounds_by_name_are_doubtful_if_their_times_say_something_else(
    end_s: tuple[int, int], said: str, tmp_path: Path
) -> None:
    for number, each in enumerate(end_s, 1):
        long_round(tmp_path, f"round{number}.json", each)

    [doubt] = verdicts_of(tmp_path)["iops"].doubts
    assert said in doubt


def test_rounds_that_should_differ_in_length_are_doubtful(tmp_path: Path) -> None:
    for number in (1, 2):
        long_round(tmp_path, f"round{number}.json", 70 * number, runtime=str(50 * number))

    [doubt] = verdicts_of(tmp_path)["iops"].doubts
    assert "have runtime=50 and runtime=100" in doubt


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["drive1/out.json", "drive2/out.json"], "count drives"),
        (["host1.json", "host2.json"], "count hosts"),
        (["job1.json", "job2.json"], "count jobs"),
        (["intel.json", "samsung.json"], "have no number of a round"),
        (["ssd-a/fio.json", "ssd-b/fio.json"], "have no number of a round"),
    ],
)
def test_names_of_drives_and_hosts_are_no_names_of_rounds(names: list[str], said: str, tmp_path: Path) -> None:
    for number, name in enumerate(names):
        long_round(tmp_path, name, 61 * (len(names) - number))

    with pytest.raises(UsageError, match=said):
        read_rounds([tmp_path])


@pytest.mark.parametrize(("names", "has_times"), [(["a", "b", "c"], False), (["early", "late", "later"], True)])
def test_names_without_a_number_are_rounds_in_the_order_of_letters_or_of_time(
    names: list[str], tmp_path: Path, *, has_times: bool
) -> None:
    for number, name in enumerate(names, 1):
        output(tmp_path, f"{name}.json", 0, 10 * number, rw="randwrite", time_ms=61_000 * number * has_times)

    assert series(verdicts_of(tmp_path)["iops"]) == [10, 20, 30]


def test_a_job_that_waits_for_another_is_the_next_round(tmp_path: Path) -> None:
    path = together(tmp_path, job("a", 10), job("b", 20, wait_for="a"), job("c", 30, wait_for="b"))
    assert series(verdicts_of(path)["iops"]) == [10, 20, 30]


def test_two_jobs_that_wait_for_the_same_one_ran_together(tmp_path: Path) -> None:
    path = together(tmp_path, job("a", 10), job("b", 20, wait_for="a"), job("c", 30, wait_for="a"))
    cells = {each.cell: each.iops for each in verdicts_of(path)["iops"].cells}
    assert cells == {"random-write-4KiB-qd32": 10, "random-write-4KiB-qd32-jobs2": 50}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"startdelay": "60"}, "begin at different times: startdelay = 0, 60"),
        ({"filename": "/dev/sdb"}, "jobs on /dev/sda and on /dev/sdb that ran at the same time"),
    ],
)
def test_jobs_that_are_no_one_measurement_are_refused(options: dict[str, str], said: str, tmp_path: Path) -> None:
    first = {"filename": "/dev/sda"} if "filename" in options else {}
    with pytest.raises(UsageError, match=said):
        read_rounds([together(tmp_path, job("a", 100, **first), job("b", 100, **options))])


@pytest.mark.parametrize("option", ["thinktime", "latency_target", "flow", "rate_process"])
def test_a_load_that_is_not_constant_is_refused(option: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"a load that is not constant: {option} = 100"):
        read_rounds([together(tmp_path, job("a", 100, **{option: "100"}))])


def test_a_limit_of_zero_is_no_limit(tmp_path: Path) -> None:
    assert read_rounds([together(tmp_path, job("a", rate_iops="0", thinktime="0", rate="0,0"))])


@pytest.mark.parametrize(("levels", "depth"), [({"1": 100.0}, 1), ({"1": 0.1, "32": 99.9}, 32), (None, 1)])
def test_without_an_engine_the_depths_that_fio_saw_tell_whether_it_is_the_synchronous_default(
    levels: dict[str, float] | None, depth: int, tmp_path: Path
) -> None:
    def change(document: dict[str, Any]) -> None:
        del document["jobs"][0]["job options"]["ioengine"]
        if levels is not None:
            document["jobs"][0]["iodepth_level"] = levels

    path = rewritten(together(tmp_path, job("a")), change)
    [test] = verdicts_of(path).values()
    assert [each.workload.queue_depth for each in test.cells] == [depth]


@pytest.mark.parametrize(
    ("rw", "done", "said"),
    [
        ("randread", (0, 100), "its options tell 100 % of reads, but 0 % of its operations are reads"),
        ("randrw", (90, 10), "its options tell 30 % of reads, but 90 % of its operations are reads"),
    ],
)
def test_operations_that_are_not_those_of_the_options_are_refused(
    rw: str, done: tuple[int, int], said: str, tmp_path: Path
) -> None:
    output(tmp_path, "round1.json", *done, rw=rw, rwmixread="30")
    with pytest.raises(UsageError, match=said):
        read_rounds([tmp_path])


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_pure_reads_and_writes_are_pure_whatever_their_rate(iops: float) -> None:
    for told, done in ((100, "read"), (0, "write")):
        check_share(Path("round1.json"), {done: {"iops": iops}}, told, "its options tell")


def test_reads_and_writes_that_are_reported_together_are_named(tmp_path: Path) -> None:
    def unify(document: dict[str, Any]) -> None:
        document["jobs"][0]["mixed"] = document["jobs"][0].pop("write")

    path = rewritten(together(tmp_path, job("a")), unify)
    with pytest.raises(UsageError, match="whose reads and writes are reported together: unified_rw_reporting"):
        read_rounds([path])


def test_a_job_that_failed_is_named(tmp_path: Path) -> None:
    path = rewritten(together(tmp_path, job("a")), lambda document: document["jobs"][0].update(error=5))
    [test] = read_rounds([path])
    assert test.doubts == (f"{path}: job a failed with error 5, so its cell has no value in this round",)
    assert test.facts == {"Software": json.loads(path.read_text())["fio version"]}


def test_a_job_without_the_results_that_it_should_have_is_refused(tmp_path: Path) -> None:
    path = rewritten(together(tmp_path, job("a")), lambda document: document["jobs"][0].pop("write"))
    with pytest.raises(UsageError, match="has a job without results of its writes"):
        read_rounds([path])


def test_a_block_size_is_read_with_the_base_of_its_units(tmp_path: Path) -> None:
    [test] = verdicts_of(together(tmp_path, job("a", kb_base="1000"))).values()
    assert [each.workload.block_size_bytes for each in test.cells] == [4000]
