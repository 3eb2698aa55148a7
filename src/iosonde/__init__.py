"""iosonde characterises block storage: from a command to a report that can be trusted.

For scripts and notebooks: ``open_run`` reads a run, ``run`` and ``probe`` measure as the commands do (docs/python.md).
Errors that the user can fix are raised as ``iosonde.errors.IosondeError``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iosonde.api import Frame, Run, open_run, probe, run

__version__ = "0.1.0"

__all__ = ["Frame", "Run", "__version__", "open_run", "probe", "run"]


if not TYPE_CHECKING:
    # A type checker sees only the imports above, so that it reports misspelt names.
    def __getattr__(name: str) -> object:
        # The command line imports this module too, and must start without loading the API.
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from iosonde import api

        return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
