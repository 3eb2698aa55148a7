"""The open files of a process."""

import os
import subprocess
import sys
from pathlib import Path

from iosonde.machine.open_files import open_links
from iosonde.machine.removal import present_path
from iosonde.safe_files import CreatedFile


def test_an_open_file_is_among_the_links_of_its_process(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w", encoding="utf-8") as file:
        links = open_links(Path(f"/proc/{os.getpid()}"))
        assert str(file.fileno()) in [link.name for link in links]


def test_a_process_that_has_ended_has_no_open_files() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert open_links(Path(f"/proc/{ended.pid}")) == []
    assert present_path(ended.pid, CreatedFile(device=1, inode=2, born_ns=None)) == ""
