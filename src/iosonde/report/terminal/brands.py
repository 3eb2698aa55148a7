"""The labels of a run on a terminal."""

from rich.text import Text

from iosonde.printing import printable
from iosonde.report.brand import Brand


def brand_text(brand: Brand) -> Text:
    """A label, and the sentence that explains it."""
    return Text.assemble((f" {brand.word.upper()} ", "bold black on yellow"), " ", printable(brand.sentence))
