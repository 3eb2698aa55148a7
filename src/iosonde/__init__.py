"""iosonde characterises block storage: from a command to a report that can be trusted.

For scripts and notebooks: ``open_run`` reads a run, ``run`` and ``probe`` measure as the commands do (docs/python.md).
What can go wrong is an ``iosonde.errors.IosondeError``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iosonde.api import Frame, Run, open_run, probe, run

__version__ = "0.1.0"

__all__ = ["Frame", "Run", "__version__", "open_run", "probe", "run"]


if not TYPE_CHECKING:
    # For a type checker the names above are all that there is, so that it finds those that are spelt wrong.
    def __getattr__(name: str) -> object:
        # The command starts here too, and must not wait for what only scripts use.
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from iosonde import api

        return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
