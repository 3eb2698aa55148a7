"""Names that are cut are still told apart."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from iosonde.report.terminal.telling_apart import WIDTH_MIN, least_width, told_apart

DRIVES = ["/dev/disk/by-id/nvme-SAMSUNG_MZ7L3480_A1", "/dev/disk/by-id/nvme-SAMSUNG_MZ7L3480_B2"]


def test_paths_keep_their_ends_where_these_differ() -> None:
    assert told_apart(DRIVES, 11) == ["…Z7L3480_A1", "…Z7L3480_B2"]


def test_what_differs_in_the_middle_is_kept() -> None:
    names = ["/srv/benchmarks/fast-pool/volumes/data", "/srv/benchmarks/slow-pool/volumes/data"]
    assert told_apart(names, 12) == ["…fast-pool/…", "…slow-pool/…"]


def test_what_differs_at_the_beginning_is_kept() -> None:
    assert told_apart(["sda-of-the-first-host/data", "sdb-of-the-first-host/data"], 12) == [
        "sda…ost/data",
        "sdb…ost/data",
    ]


def test_a_name_that_fits_stays_whole() -> None:
    assert told_apart(["/mnt/a", "/srv/somewhere/else/deep"], 10) == ["/mnt/a", "…else/deep"]


def test_equal_names_stay_equal() -> None:
    assert told_apart(["/srv/data/deep"] * 2, 8) == ["…ta/deep"] * 2


def test_names_that_would_become_one_are_not_cut() -> None:
    names = ["a" * 20 + str(number) + "b" * 20 for number in range(3)]
    assert told_apart(names, 10) is None
    assert least_width(names) > 10


@given(st.lists(st.text("abcdefg/0123ü漢-", min_size=1, max_size=40), min_size=1, max_size=12))
def test_whatever_the_names_they_fit_and_differ_at_the_least_width_and_above(names: list[str]) -> None:
    least = least_width(names)
    for width in (least, least + 3):
        shown = told_apart(names, width)
        if width == least or shown is not None:
            assert shown is not None
            assert max(map(cell_len, shown)) <= max(width, WIDTH_MIN)
            assert len(set(shown)) == len(set(names))
