"""The shipped requirements of purposes. Each is a file in the same format as a user's, and names its campaign."""

from iosonde.plans.shipped_files import shipped_text


def purpose_text(name: str) -> str:
    """The file of a purpose, which is one of ``iosonde.plans.PURPOSES``."""
    return shipped_text(__name__, name)
