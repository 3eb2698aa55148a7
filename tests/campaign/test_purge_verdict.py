"""A purge counts as one only if the drive reports success and reading confirms it."""

import pytest

from iosonde.campaign.purge_verdict import verdict
from iosonde.records import DeviceIdentity, Purge, PurgedDevice, ReadBack, Sampled
from iosonde.records.purge import ReadContent
from iosonde.vocabulary import PurgeMethod, PurgeOutcome

SIZE = 1 << 30
ERASED = ReadBack(
    finished=True,
    places=256,
    read_bytes=256 * 4096,
    content=ReadContent(zero_bytes=256 * 4096, one_bytes=0, other_bytes=0),
    survivors=0,
    first_survivors=(),
    unreadable=0,
    first_unreadable=(),
    read_error=None,
)
HELD = Sampled(size_bytes=SIZE, places=256, place_bytes=4096, sentinels=128, data=128, empty=0, unreadable=0)


def ended(method: PurgeMethod, **changes: object) -> Purge:
    fields = {"end": "completed", "reason": None, "duration_ns": 1, "before": None, "after": None, "changed": None}
    return Purge.model_validate({"method": method, **fields, **changes})


def device(read: ReadBack | None = ERASED, held: Sampled = HELD) -> PurgedDevice:
    identity = DeviceIdentity(name="S6Z1", kind="serial", size_bytes=SIZE)
    return PurgedDevice(path="/dev/nvme0n1", identity=identity, sampled=held, read_back=read)


SURVIVED = ERASED.model_copy(update={"survivors": 7, "first_survivors": (0, 8, 16, 24, 32, 40, 48)})


def test_success_that_reading_confirms_is_a_purge() -> None:
    assert verdict(ended(PurgeMethod.FORMAT), [device()]) == (PurgeOutcome.PURGED, ())


@pytest.mark.parametrize("method", [method for method in PurgeMethod if method is not PurgeMethod.DISCARD])
def test_data_that_survives_an_erase_is_no_purge(method: PurgeMethod) -> None:
    outcome, reasons = verdict(ended(method), [device(SURVIVED)])
    assert outcome is PurgeOutcome.NOT_PURGED
    assert "7 of 256 places still hold their data" in reasons[0]
    assert "(offsets 0, 8, 16, 24, 32, …)" in reasons[0]


def test_data_that_survives_a_discard_is_not_verified() -> None:
    outcome, reasons = verdict(ended(PurgeMethod.DISCARD), [device(SURVIVED)])
    assert (outcome, len(reasons)) == (PurgeOutcome.NOT_VERIFIED, 1)


def test_a_survivor_on_another_device_that_it_reached_counts_as_well() -> None:
    outcome, _ = verdict(ended(PurgeMethod.SANITIZE_BLOCK), [device(), device(SURVIVED)])
    assert outcome is PurgeOutcome.NOT_PURGED


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ("failed", PurgeOutcome.NOT_PURGED),
        ("stopped", PurgeOutcome.NOT_PURGED),
        ("left_running", PurgeOutcome.NOT_VERIFIED),
        ("unknown", PurgeOutcome.NOT_VERIFIED),
    ],
)
def test_reading_zeros_does_not_make_up_for_a_purge_that_did_not_complete(end: str, outcome: PurgeOutcome) -> None:
    assert verdict(ended(PurgeMethod.SANITIZE_BLOCK, end=end, reason="x"), [device()])[0] is outcome


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (device(None), "was not read back"),
        (device(ERASED.model_copy(update={"finished": False, "places": 9})), "interrupted after 9 of 256"),
        (
            device(ERASED.model_copy(update={"unreadable": 2, "first_unreadable": (0, 512), "read_error": "EIO"})),
            "2 places could not be read: EIO (offsets 0, 512)",
        ),
        (device(held=HELD.model_copy(update={"sentinels": 0, "data": 0, "empty": 256})), "no place held data before"),
    ],
)
def test_what_was_not_read_is_not_verified(found: PurgedDevice, told: str) -> None:
    outcome, reasons = verdict(ended(PurgeMethod.FORMAT), [found])
    assert outcome is PurgeOutcome.NOT_VERIFIED
    assert told in reasons[0]


def test_a_device_that_has_changed_is_not_verified() -> None:
    outcome, reasons = verdict(ended(PurgeMethod.FORMAT, changed="it has another size"), [device()])
    assert (outcome, reasons) == (PurgeOutcome.NOT_VERIFIED, ("the device has changed: it has another size",))
