"""What hdparm prints about the security of a drive is read as it is meant."""

import pytest

from iosonde.errors import TargetError
from iosonde.sources.purge_tools import AtaSecurity

FREE = """
/dev/sda:

ATA device, with non-removable media
Commands/features:
\tEnabled\tSupported:
\t   *\tSMART feature set
\t    \tSecurity Mode feature set
Security:\x20
\tMaster password revision code = 65534
\t\tsupported
\tnot\tenabled
\tnot\tlocked
\tnot\tfrozen
\tnot\texpired: security count
\t\tsupported: enhanced erase
\t6min for SECURITY ERASE UNIT. 2min for ENHANCED SECURITY ERASE UNIT.
Logical Unit WWN Device Identifier: 5002538c40000000
Checksum: correct
"""


def parsed(text: str) -> AtaSecurity:
    found = AtaSecurity.parse(text)
    assert found is not None
    return found


def test_a_free_drive_may_be_erased_and_its_times_are_in_seconds() -> None:
    found = parsed(FREE)
    assert found == AtaSecurity(
        supported=True,
        enabled=False,
        locked=False,
        frozen=False,
        enhanced=True,
        erase_s=360,
        enhanced_erase_s=120,
    )
    found.check("/dev/sda", enhanced=True)


@pytest.mark.parametrize("word", ["enabled", "locked", "frozen"])
def test_each_state_is_that_of_its_own_line(word: str) -> None:
    found = parsed(FREE.replace(f"\tnot\t{word}", f"\t\t{word}"))
    states = {name: getattr(found, name) for name in ("enabled", "locked", "frozen")}
    assert states == {name: name == word for name in states}
    with pytest.raises(TargetError):
        found.check("/dev/sda", enhanced=False)


def test_a_drive_without_the_enhanced_erase_and_without_times() -> None:
    text = FREE.replace("\t\tsupported: enhanced erase\n", "")
    text = text.replace("\t6min for SECURITY ERASE UNIT. 2min for ENHANCED SECURITY ERASE UNIT.\n", "")
    found = parsed(text)
    assert (found.supported, found.enhanced, found.erase_s, found.enhanced_erase_s) == (True, False, None, None)
    found.check("/dev/sda", enhanced=False)
    with pytest.raises(TargetError, match="does not support the enhanced erase"):
        found.check("/dev/sda", enhanced=True)


def test_a_drive_that_does_not_support_it_is_refused() -> None:
    with pytest.raises(TargetError, match="does not support ATA Security Erase"):
        parsed(FREE.replace("\t\tsupported\n", "\tnot\tsupported\n")).check("/dev/sda", enhanced=False)


@pytest.mark.parametrize("text", ["", "/dev/sda:\n", FREE.partition("Security: ")[0]])
def test_output_without_the_section_is_none(text: str) -> None:
    assert AtaSecurity.parse(text) is None
