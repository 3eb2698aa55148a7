"""No committed text holds what a merge leaves where it could not decide."""

import re

import pytest

from tests.house.checkout import files_under, name_of

# Seven signs at the start of a line, with the name of a side behind: a line of equal signs may be a heading.
MARK = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE)


def test_no_file_holds_the_marks_of_an_open_merge() -> None:
    assert not [name_of(path) for path in files_under() if MARK.search(path.read_bytes())]


@pytest.mark.parametrize("line", [b"<<<<<<< HEAD", b">>>>>>> 1bfd760 (End it)", b"|||||||"])
def test_a_mark_of_a_merge_is_found(line: bytes) -> None:
    assert MARK.search(b"fine\n" + line + b"\nfine\n")


@pytest.mark.parametrize("line", [b"a <<<<<<< b", b"=======", b"<<<<<<<<<<"])
def test_other_signs_are_not(line: bytes) -> None:
    assert not MARK.search(line)
