"""The list of characters that lies beside the fonts."""

from iosonde.report.fonts_folder import _characters, fonts_folder
from tools.write_characters import LIST, _code_points, characters_text


def test_the_published_list_is_that_of_the_font_files() -> None:
    assert LIST.read_text(encoding="ascii") == characters_text(), "python -m tools.write_characters writes it anew"


def test_a_report_takes_exactly_the_characters_that_every_font_has() -> None:
    with fonts_folder() as folder:
        fonts = [_code_points(path) for path in sorted(folder.glob("*.ttf"))]
    assert len(fonts) == 2
    assert _characters() == fonts[0] & fonts[1]
