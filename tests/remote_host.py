"""A host whose calls are answered by another process over pipes, with one line of JSON per request and per reply.

    python -m tests.remote_host NAME

starts that process. It sees the files of its own mount namespace and working directory. Its hostname is NAME.
"""

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast, get_type_hints

from pydantic import TypeAdapter

from iosonde.machine import Host
from iosonde.machine.local_host import LocalHost
from iosonde.records import HostFacts


class RemoteHost:
    """Forwards each call of the ``Host`` port to another process. ``prefix`` runs commands where that process runs."""

    def __init__(self, process: subprocess.Popen[str], prefix: tuple[str, ...]) -> None:
        self._process = process
        self._prefix = prefix
        self._turn = threading.Lock()
        self.asked: list[str] = []

    def command_prefix(self) -> tuple[str, ...]:
        return self._prefix

    def __getattr__(self, name: str) -> Callable[..., Any]:
        hints = get_type_hints(getattr(Host, name))
        answer = TypeAdapter(hints.pop("return"))

        def ask(*arguments: object) -> object:
            self.asked.append(name)
            plain = [_dumped(hint, each) for hint, each in zip(hints.values(), arguments, strict=True)]
            said = self._say({"call": name, "arguments": plain})
            if "error" in said:
                number, text, path = said["error"]
                raise OSError(number, text, path)
            return answer.validate_json(json.dumps(said["answer"]))

        return ask

    def _say(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._turn:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            said: dict[str, Any] = json.loads(self._process.stdout.readline())
        return said


class NamedHost(LocalHost):
    """The local host with another hostname."""

    def __init__(self, name: str) -> None:
        self._name = name

    def facts(self) -> HostFacts:
        return super().facts().model_copy(update={"hostname": self._name})


def _dumped(hint: Any, value: object) -> object:  # noqa: ANN401 - any type in the port's signatures
    return json.loads(TypeAdapter(hint).dump_json(value))


@contextmanager
def remote_host(name: str, prefix: tuple[str, ...], folder: Path) -> Iterator[tuple[Host, RemoteHost]]:
    """Starts such a process with ``prefix`` in a folder. Gives one object twice: as ``Host`` and as ``RemoteHost``."""
    words = [*prefix, sys.executable, "-m", "tests.remote_host", name]
    path = os.pathsep.join(str(Path(each).resolve()) for each in sys.path if each)
    process = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
    )
    host = RemoteHost(process, prefix)
    try:
        yield cast("Host", host), host
    finally:
        process.communicate()


def serve(host: Host) -> None:
    """Answers requests until standard input ends."""
    for line in sys.stdin:
        question = json.loads(line)
        hints = get_type_hints(getattr(Host, question["call"]))
        given = hints.pop("return")
        arguments = [
            TypeAdapter(hint).validate_json(json.dumps(each))
            for hint, each in zip(hints.values(), question["arguments"], strict=True)
        ]
        try:
            answer = {"answer": _dumped(given, getattr(host, question["call"])(*arguments))}
        except OSError as error:
            answer = {"error": [error.errno or errno.EIO, error.strerror, error.filename]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(NamedHost(sys.argv[1]))
