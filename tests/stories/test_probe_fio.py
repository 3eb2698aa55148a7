"""`iosonde probe --fio` runs a pasted fio command or job file, and reports the differences."""

import json
from pathlib import Path

import pytest

from tests.commands import iosonde

COMMAND = "fio --name=x --rw=randread --bs=8k --iodepth=4 --ioengine=libaio --time_based --runtime=50ms --size=16m"


def test_a_pasted_command_runs_the_workload_that_it_describes(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--fio", COMMAND, "--json")
    assert ended.returncode == 0, ended.stderr
    (cell,) = json.loads(ended.stdout)["run"]["cells"]
    asked = cell["workload"]
    assert (asked["pattern"], asked["block_size_bytes"], asked["queue_depth"]) == ("permutation", 8192, 4)
    assert list(tmp_path.iterdir()) == []


def test_what_is_the_same_what_differs_and_what_is_not_needed_is_said_first(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--fio", f"{COMMAND} --group_reporting --direct=1", "--buffered")
    same, *others = ended.stderr.splitlines()
    assert same == (
        f"same as: iosonde probe {tmp_path} --pattern permutation --read 100 --block-size 8KiB --queue-depth 4 "
        "--size 16MiB --warmup 0s --duration 50ms --buffered"
    )
    assert others[:3] == [
        "differs: ioengine: iosonde uses io_uring instead of libaio",
        "ignored: group_reporting: iosonde always records time series and histograms; --json prints them",
        "ignored: norandommap: not set: fio accesses each block once per pass, like --pattern permutation",
    ]


def test_the_line_that_is_shown_is_the_same_workload(tmp_path: Path) -> None:
    words = ["probe", "sim:mmc", "--seed", "3"]
    by_fio = iosonde(*words, "--fio", COMMAND, "--json", folder=tmp_path)
    shown = by_fio.stderr.splitlines()[0].removeprefix("same as: iosonde ").split()
    by_flags = iosonde(*shown, "--seed", "3", "--json", folder=tmp_path)
    cells = [json.loads(ended.stdout)["run"]["cells"][0] for ended in (by_fio, by_flags)]
    assert cells[0]["workload"] == cells[1]["workload"]
    assert cells[0]["operations"] == cells[1]["operations"]


def test_a_job_file_names_the_target_itself(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    shared = f"[global]\ndirectory={tmp_path / 'data'}\nsize=16m\nruntime=50ms\ntime_based\n"
    (tmp_path / "jobs.fio").write_text(f"{shared}[reads]\nrw=read\n[writes]\nrw=write\n")
    ended = iosonde("probe", "--fio", f"{tmp_path / 'jobs.fio'}:writes", "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)["run"]
    assert found["cells"][0]["workload"]["read_percent"] == 0
    assert Path(found["header"]["target"]["path"]).parent == tmp_path / "data"
    assert list((tmp_path / "data").iterdir()) == []


def test_a_section_and_a_path_can_contain_colons(tmp_path: Path) -> None:
    jobs = tmp_path / "a:b.fio"
    jobs.write_text("[read:1]\nrw=read\nbs=8k\nsize=16m\nruntime=50ms\ntime_based\n[w]\nrw=write\n")
    ended = iosonde("probe", tmp_path, "--json", "--fio", f"{jobs}:read:1")
    assert ended.returncode == 0, ended.stderr
    (cell,) = json.loads(ended.stdout)["run"]["cells"]
    assert (cell["workload"]["pattern"], cell["workload"]["block_size_bytes"]) == ("sequential", 8192)


def test_a_file_that_the_job_names_is_not_written_without_leave(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"x" * (20 << 20))
    ended = iosonde("probe", "--fio", f"fio --name=x --rw=write --filename={precious} --runtime=50ms --time_based")
    assert ended.returncode == 3
    assert "precious exists, and writing would destroy its contents" in ended.stderr
    assert precious.read_bytes() == b"x" * (20 << 20)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([".", "--fio", COMMAND, "--read", "100"], "--read and --fio both specify the workload"),
        (["--fio", COMMAND], "the fio job specifies no file"),
        ([".", "--fio", "nowhere.fio"], "nowhere.fio is neither a job file nor a fio command line"),
        ([".", "--fio", "fio --name=x --latency_target=5ms"], "fio option latency_target=5ms is not supported"),
        ([".", "--fio", "fio --name=x --made_up=5"], "unknown fio option made_up"),
        ([".", "--fio", "fio --name=x --name=y"], "a probe measures one workload, but the input has 2 jobs"),
    ],
)
def test_what_can_not_be_had_is_refused_with_the_reason(tmp_path: Path, words: list[str], message: str) -> None:
    ended = iosonde("probe", *words, folder=tmp_path)
    assert ended.returncode == 2
    assert f"error: {message}" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_command_longer_than_a_file_name_is_run(tmp_path: Path) -> None:
    ended = iosonde("probe", "sim:mmc", "--fio", f"{COMMAND} {'--group_reporting ' * 40}", "--json", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_a_file_that_the_job_names_is_created_also_without_a_suffix(tmp_path: Path) -> None:
    ended = iosonde("probe", "--fio", f"{COMMAND} --filename=testfile", "--json", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["run"]["header"]["target"]["path"].endswith("/testfile")
    assert list(tmp_path.iterdir()) == []


def test_a_target_instead_of_the_file_that_the_job_names_is_said(tmp_path: Path) -> None:
    ended = iosonde("probe", "sim:mmc", "--fio", f"{COMMAND} --filename=testfile", folder=tmp_path)
    assert "differs: filename: the probe uses sim:mmc instead of testfile" in ended.stderr.splitlines()
