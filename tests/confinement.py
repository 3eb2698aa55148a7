"""Ways to take something away from a child process, as containers and limits do. Each is for ``preexec_fn``."""

import ctypes
import os
import resource
import struct
from collections.abc import Callable

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
SECCOMP_MODE_FILTER = 2
CAP_IPC_LOCK = 14
IO_URING_SETUP = 425

# Three instructions of classic BPF: load the call's number; if it is io_uring_setup, answer with an error; else allow.
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000

_LIBC = ctypes.CDLL(None, use_errno=True)


def without_io_uring(errno: int) -> Callable[[], None]:
    """A seccomp filter that answers io_uring_setup with this error: what container runtimes do."""
    code = b"".join(
        (
            struct.pack("HBBI", _LOAD, 0, 0, 0),
            struct.pack("HBBI", _JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP),
            struct.pack("HBBI", _RETURN, 0, 0, _ERRNO | errno),
            struct.pack("HBBI", _RETURN, 0, 0, _ALLOW),
        )
    )

    def confine() -> None:
        buffer = ctypes.create_string_buffer(code, len(code))
        program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
        whole = ctypes.create_string_buffer(program, len(program))
        if _LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or _LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, whole):
            raise OSError(ctypes.get_errno(), "seccomp")

    return confine


def with_locked_memory(limit_bytes: int) -> Callable[[], None]:
    """So much memory may be locked, and no capability goes past that."""

    def confine() -> None:
        # Only root can drop it, and only root has it.
        _LIBC.prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit_bytes, limit_bytes))

    return confine


def on_one_cpu() -> None:
    """The first of the CPUs that may be used."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
