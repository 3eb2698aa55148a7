"""The chart library that is kept beside the templates."""

import vl_convert

from iosonde.report.html import LIBRARY, _static

RENEW = (
    'renew it with: python -c "import pathlib, vl_convert; '
    f"pathlib.Path('src/iosonde/report/static/{LIBRARY}').write_text(vl_convert.javascript_bundle())\""
)


def test_the_library_is_what_the_installed_vl_convert_bundles() -> None:
    bundled = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets that the snippet is optional
    assert _static(LIBRARY) == bundled, RENEW


def test_the_library_can_stand_inside_a_script_element() -> None:
    text = _static(LIBRARY).lower()
    assert "</script" not in text
    assert "<!--" not in text
