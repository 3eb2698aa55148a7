"""What the lab needs of Debian: installed where that can be done, else named."""

import os
from pathlib import Path

import pytest

from lab.__main__ import NEEDED, install, main, missing_packages

# Keeps what it was told, and puts the programs of the packages where they are looked for.
APT_GET = """#!/bin/sh
echo "$@" >> "{folder}/told"
[ "$2" = install ] || exit 0
for program in {programs}; do echo > "{folder}/$program"; /bin/chmod +x "{folder}/$program"; done
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where programs are looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_without_apt_get_the_packages_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(folder.iterdir()) == []
    assert main([]) == 1
    packages = " ".join(sorted(NEEDED.values()))
    assert capsys.readouterr().err == f"the lab needs: apt-get install --no-install-recommends {packages}\n"


def test_root_gets_what_is_missing_and_nothing_else(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may install packages")
    apt_get, here = folder / "apt-get", folder / "busybox"
    apt_get.write_text(APT_GET.format(folder=folder, programs=" ".join(NEEDED)))
    here.touch()
    for path in (apt_get, here):
        path.chmod(0o755)
    missing = missing_packages()
    assert missing == [
        "bpftrace",
        "btrfs-progs",
        "cpio",
        "dmsetup",
        "fdisk",
        "fio",
        "gcc",
        "hdparm",
        "kmod",
        "mdadm",
        "qemu-system-x86",
        "sg3-utils",
        "xfsprogs",
    ]
    assert install(missing)
    told = (folder / "told").read_text().splitlines()
    assert told[-1] == f"--quiet=2 install --yes --no-install-recommends {' '.join(missing)}"
