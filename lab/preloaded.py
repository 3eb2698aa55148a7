"""Inside the guest: runs commands of iosonde in children of a process that has all modules already.

To load the modules takes 15 s or more in a guest, for each command. The command that a script calls is a client of this
process. A child of this process has its words, environment, working directory, CPUs and standard streams, and runs what
``iosonde`` runs. The client ends with the exit code of the child; if it is killed, so is the child.
"""

import ctypes
import os
import select
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.forked import command, end_with, load_modules
from lab.guest import PRELOADED, REQUESTS

# The system call that copies an open file of another process, which Python does not offer.
PIDFD_GETFD: Final = 438
LIBC: Final = ctypes.CDLL(None, use_errno=True)


@dataclass
class Child:
    """A command that runs: the process, its client, and where that waits for the exit code."""

    number: int
    client: int
    answer: int
    is_over: bool = False


def main() -> None:
    """Answers requests, for as long as the guest runs."""
    load_modules()
    # Open for writing as well, or it would end with the first client.
    requests = os.open(REQUESTS, os.O_RDWR)
    children: dict[int, Child] = {}
    clients: dict[int, Child] = {}
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    while True:
        for handle, _ in poll.poll():
            if handle == requests:
                for client in map(int, os.read(requests, select.PIPE_BUF).split()):
                    child = _started(client)
                    for number, known in ((child.number, children), (client, clients)):
                        watched = os.pidfd_open(number)
                        known[watched] = child
                        poll.register(watched, select.POLLIN)
                continue
            poll.unregister(handle)
            os.close(handle)
            if handle in children:
                _end(children.pop(handle))
            else:
                _abandon(clients.pop(handle))


def _started(client: int) -> Child:
    """Starts the command of a client."""
    answer = os.open(f"{REQUESTS}.{client}", os.O_RDWR)
    number = os.fork()
    if number == 0:
        os.close(answer)
        end_with(lambda: _run_as(client))
    return Child(number, client, answer)


def _run_as(client: int) -> None:
    """Takes the place of a client."""
    process = Path("/proc", str(client))
    _copy_streams(client)
    words = process.joinpath("cmdline").read_bytes().decode().split("\0")[:-1]
    environment = process.joinpath("environ").read_bytes().decode().split("\0")[:-1]
    os.environ.clear()
    os.environ.update({name: value for name, _, value in (each.partition("=") for each in environment)})
    os.chdir((process / "cwd").readlink())
    os.sched_setaffinity(0, os.sched_getaffinity(client))
    # The shell and its script come first.
    command(*words[words.index(str(PRELOADED)) + 1 :])


def _copy_streams(client: int) -> None:
    """Has the standard streams of a client."""
    handle = os.pidfd_open(client)
    for number in range(3):
        copied = LIBC.syscall(PIDFD_GETFD, handle, number, 0)
        if copied < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
        os.dup2(copied, number)
        os.close(copied)
    os.close(handle)


def _end(child: Child) -> None:
    """Tells a client the exit code of its command."""
    code = os.waitstatus_to_exitcode(os.waitpid(child.number, 0)[1])
    child.is_over = True
    if child.answer >= 0:
        os.write(child.answer, f"{code if code >= 0 else 128 - code}\n".encode())


def _abandon(child: Child) -> None:
    """Ends the command of a client that has ended."""
    os.close(child.answer)
    child.answer = -1
    if not child.is_over:
        os.kill(child.number, signal.SIGKILL)


if __name__ == "__main__":
    main()
