"""Restrictions of a child process, as containers and resource limits impose them. Each is for ``preexec_fn``."""

import ctypes
import os
import resource
import struct
from collections.abc import Callable

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
SECCOMP_MODE_FILTER = 2
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_IPC_LOCK = 1, 2, 14
CAPABILITY_VERSION_3 = 0x20080522
IO_URING_SETUP = 425

# Classic BPF: load the number of the system call; if it is io_uring_setup, return an error; otherwise allow it.
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000

_LIBC = ctypes.CDLL(None, use_errno=True)


def without_io_uring(errno: int) -> Callable[[], None]:
    """A seccomp filter that fails io_uring_setup with this error, as container runtimes do."""
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
    """Limits the memory that may be locked, and drops CAP_IPC_LOCK, which would override the limit."""

    def confine() -> None:
        # This fails without root, but only root has the capability.
        _LIBC.prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit_bytes, limit_bytes))

    return confine


def subject_to_file_modes() -> None:
    """Makes root subject to the permissions of files, like any other user. Changes nothing for other users."""
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    # Two words each of effective, permitted and inheritable capabilities.
    held = ctypes.create_string_buffer(24)
    if _LIBC.capget(header, held):
        raise OSError(ctypes.get_errno(), "capget")
    override = 1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH
    effective, permitted, inheritable, *more = struct.unpack("6I", held.raw[:24])
    kept = struct.pack("6I", effective & ~override, permitted & ~override, inheritable & ~override, *more)
    if _LIBC.capset(header, kept):
        raise OSError(ctypes.get_errno(), "capset")


def on_one_cpu() -> None:
    """Pins the process to the first of its allowed CPUs."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
