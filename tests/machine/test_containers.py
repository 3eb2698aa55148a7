"""Whether a process is in a container is known by its namespaces, and by the names of its control groups."""

from pathlib import Path

import pytest

from iosonde.machine.containers import FIRST_NAMESPACES, container_of


def host(root: Path, pid: int, cgroup: int, group: str = "/init.scope") -> None:
    namespaces = root / "proc/self/ns"
    namespaces.mkdir(parents=True)
    (namespaces / "pid").symlink_to(f"pid:[{pid}]")
    (namespaces / "cgroup").symlink_to(f"cgroup:[{cgroup}]")
    (root / "proc/self/cgroup").write_text(f"0::{group}\n", encoding="utf-8")


FIRST = FIRST_NAMESPACES
OTHER = (4026532501, FIRST["cgroup"])


def test_the_first_namespaces_are_no_container_even_of_an_image_that_was_one(tmp_path: Path) -> None:
    host(tmp_path, FIRST["pid"], FIRST["cgroup"])
    (tmp_path / ".dockerenv").touch()
    assert container_of(tmp_path) == ""


@pytest.mark.parametrize(
    ("left", "name"),
    [
        (".dockerenv", "docker"),
        ("run/.containerenv", "podman"),
        ("var/run/secrets/kubernetes.io", "Kubernetes"),
        ("nothing", "unnamed"),
    ],
)
def test_other_namespaces_are_a_container_named_by_what_it_leaves(left: str, name: str, tmp_path: Path) -> None:
    host(tmp_path, *OTHER)
    path = tmp_path / left
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert container_of(tmp_path) == name


def test_systemd_leaves_the_name_of_the_container(tmp_path: Path) -> None:
    host(tmp_path, FIRST["pid"], 4026532502)
    (tmp_path / "run/systemd").mkdir(parents=True)
    (tmp_path / "run/systemd/container").write_text("systemd-nspawn\n", encoding="utf-8")
    assert container_of(tmp_path) == "systemd-nspawn"


def test_a_container_that_shares_the_namespaces_of_its_host_is_known_by_its_control_group(tmp_path: Path) -> None:
    host(tmp_path, FIRST["pid"], FIRST["cgroup"], group="/kubepods.slice/pod1/docker-1234.scope")
    assert container_of(tmp_path) == "Kubernetes"


def test_a_host_without_these_files_is_no_container(tmp_path: Path) -> None:
    assert container_of(tmp_path) == ""
