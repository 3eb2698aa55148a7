"""What ``--for``, ``--profile`` and ``--against`` of a run name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iosonde.campaign import Preflight
    from iosonde.expectations.expected import Expected


def campaign_and_bounds(
    purpose: str | None, profile: str | None, against: str | None = None
) -> tuple[str, "Expected | None"]:
    """The campaign to run, as ``--profile`` takes it, and the expected values to compare it with. Raises UsageError."""
    # Few runs have expected values, and their files' schema takes long to load.
    if purpose is None and against is None:
        from iosonde.plans import DEFAULT_PROFILE

        return profile or DEFAULT_PROFILE, None
    from iosonde.expectations import names

    return names.campaign_and_bounds(purpose, profile, against)


def bounds_named(against: str | None) -> "Expected | None":
    """What ``--against`` names; None without it. Raises UsageError."""
    if against is None:
        return None
    from iosonde.expectations.names import expected_values

    return expected_values(against)


def check_expected(expected: "Expected | None", ahead: "Preflight") -> "Preflight":
    """What is known ahead. Raises UsageError if values are expected of cells that the run will not measure."""
    if expected is not None:
        expected.check_cells(ahead.run, ahead.plan.cells)
    return ahead
