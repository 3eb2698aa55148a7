"""Regenerates the files in requirements/ from pyproject.toml."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

COMPILE = (
    *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml"),
    *("--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"),
)


def compile_requirements(output: str, arguments: list[str], also: list[str]) -> None:
    """Pins the requirements of pyproject.toml and those in ``also`` with hashes, and writes them to ``output``."""
    # A directory of wheels on this machine must not affect the result for others.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_FIND_LINKS")}
    command = [*COMPILE, *arguments, "--output-file", output]
    subprocess.run(command, cwd=ROOT, env=environment, input="\n".join(also), text=True, check=True)


def main() -> None:
    """Locks a default installation, then all extras, then the development tools, all with the same versions."""
    build_backend = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    flags = sys.argv[1:]
    compile_requirements("requirements/runtime.txt", flags, [])
    everything = ["--extra", "all", "--constraint", "requirements/runtime.txt"]
    compile_requirements("requirements/all.txt", [*everything, *flags], [])
    for_developers = ["-", "--group", "dev", "--extra", "all", "--constraint", "requirements/all.txt"]
    compile_requirements("requirements/dev.txt", [*for_developers, *flags], build_backend)


if __name__ == "__main__":
    main()
