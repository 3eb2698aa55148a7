"""fio's command lines and job files: the same jobs as fio reads in them."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.plans.other_tools.fio_jobs import FioJob, chosen_job, read_command, read_jobs
from tests.plans.other_tools.translated import no_file

JOBS = """\
; a comment
[global]
bs=4k ; behind an option
ioengine=libaio # and so
direct=1
group_reporting

[reads]
rw=randread
iodepth=32
runtime=1m

[writes]
stonewall
rw=write
bs=1m

[last]
rw=randrw
rwmixwrite=30
"""


def test_a_job_has_what_was_global_before_it() -> None:
    reads, writes, last = read_jobs(JOBS, {})
    assert (reads.name, reads.options["bs"], reads.options["ioengine"]) == ("reads", "4k", "libaio")
    assert (writes.options["bs"], writes.options["stonewall"], writes.options["direct"]) == ("1m", "", "1")
    assert (last.options["bs"], last.options["rwmixread"]) == ("4k", "70")


def test_what_is_global_later_is_so_for_the_jobs_behind_it() -> None:
    first, second = read_jobs("[global]\nbs=4k\n[a]\n[global]\nbs=8k\n[b]\n", {})
    assert (first.options["bs"], second.options["bs"]) == ("4k", "8k")


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_a_job_file_and_the_command_line_that_fio_makes_of_it_are_the_same_jobs(tmp_path: Path) -> None:
    (tmp_path / "jobs.fio").write_text(JOBS)
    said = subprocess.run(
        ["fio", "--showcmd", "jobs.fio"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    from_line = read_command(said, no_file, {}).jobs
    in_file = read_jobs(JOBS, {})
    assert [job.name for job in from_line] == ["reads", "writes", "last"]
    assert from_line == in_file


@pytest.mark.parametrize(
    "line",
    [
        "fio --bs=8k --name=a --rw=read",
        "/usr/bin/fio -bs=8k -name=a -rw=read",
        "sudo fio --bs 8k --name a --rw read",
        "fio --name=global --bs=8k --name=a --rw=read",
        "fio \\\n  --bs=8k \\\n  --name=a --rw=read",
        "--bs=8k --name=a --rw=read",
        "fio --output-format=json --bs=8k --name=a --rw=read --eta=never --minimal",
    ],
)
def test_a_command_line_is_read_as_fio_reads_it(line: str) -> None:
    assert read_command(line, no_file, {}).jobs == [FioJob("a", {"bs": "8k", "rw": "read"})]


def test_a_job_does_not_inherit_from_the_one_before() -> None:
    first, second = read_command("fio --bs=8k --name=a --rw=read --name=b", no_file, {}).jobs
    assert (first.options, second.options) == ({"bs": "8k", "rw": "read"}, {"bs": "8k"})


def test_a_command_line_may_name_a_job_file_and_its_section() -> None:
    command = read_command("fio --section=writes x.fio --output=o", lambda name: JOBS if name == "x.fio" else "", {})
    assert [job.name for job in command.jobs] == ["writes"]
    assert command.program == {"output": "o"}


def test_spaces_around_a_value_are_none_of_it() -> None:
    (job,) = read_jobs("[a]\n  bs = 8k  \n", {})
    assert job.options == {"bs": "8k"}


def test_a_section_may_name_its_job_otherwise() -> None:
    (job,) = read_jobs("[a]\nname=b\n", {})
    assert job == FioJob("b", {})


def test_variables_are_those_of_the_environment() -> None:
    (job,) = read_jobs("[a]\nsize=${SIZE}\n", {"SIZE": "1g"})
    assert job.options["size"] == "1g"
    with pytest.raises(UsageError, match="which is not set"):
        read_jobs("[a]\nsize=${SIZE}\n", {})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("fio --name=a --bs=4k | tee x", "the fio command is followed by |"),
        ("fio --name=a --bs", "has no value"),
        ("fio --name='a", "an unclosed quote"),
    ],
)
def test_what_is_no_whole_fio_command_is_refused(line: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_command(line, no_file, {})


@pytest.mark.parametrize(
    ("text", "reason"), [("bs=4k\n", "is not in a section"), ("[a]\ninclude other.fio\n", "includes another")]
)
def test_what_is_no_job_file_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_jobs(text, {})


def test_one_job_of_several_has_to_be_named() -> None:
    jobs = read_jobs(JOBS, {})
    assert chosen_job(jobs, "writes").options["rw"] == "write"
    for named, reason in (
        (None, "a probe measures one workload, but the input has 3 jobs"),
        ("none", "no job is named none"),
    ):
        with pytest.raises(UsageError, match=reason):
            chosen_job(jobs, named)
    with pytest.raises(UsageError, match="the input defines no fio job"):
        chosen_job([], None)


def test_a_name_with_a_space_is_one_word() -> None:
    (job,) = read_command(f"fio --name=a --filename={shlex.quote('/a b')}", no_file, {}).jobs
    assert job.options["filename"] == "/a b"
