"""The pages of docs/reference/, generated from the code."""

from collections.abc import Callable
from typing import Final

from tools.reference.commands import commands_page
from tools.reference.findings import findings_page
from tools.reference.other_tools import other_tools_page
from tools.reference.settings import settings_page

PAGES: Final[dict[str, Callable[[], str]]] = {
    "commands.md": commands_page,
    "settings.md": settings_page,
    "findings.md": findings_page,
    "other-tools.md": other_tools_page,
}
"""The file name of each page, and the function that generates it."""
