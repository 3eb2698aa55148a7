"""The chapter on the preconditioning write: its levels over the data written, in all forms."""

import json

from iosonde.analysis.run import RunAnalysis
from iosonde.records import RunRecord
from iosonde.report.blocks import Chapter, Paragraph
from iosonde.report.export import run_json
from iosonde.report.markdown import page_markdown
from iosonde.report.page import page_of
from iosonde.report.tables import ResultTable
from iosonde.report.titles import FILL
from tests.transfer_builder import filled_run

CACHED = [2400.0] * 30 + [1060.0] * 60


def chapter_of(run: RunRecord) -> Chapter | None:
    found = [each for each in page_of(RunAnalysis(run), ()).chapters if each.id == FILL.id]
    return found[0] if found else None


def test_a_cache_that_ends_is_told_with_its_size_and_both_bandwidths() -> None:
    chapter = chapter_of(filled_run(CACHED))
    assert chapter is not None
    (answer,) = chapter.all_of(Paragraph)
    assert answer.text.startswith(
        "The preconditioning write ran at 2,400 ± 1 MB/s; after 7.20 GB (6.96 GB to 7.31 GB), it fell to "
        "1,060 ± 1 MB/s. The mean over all 13.6 GB is 1,507 MB/s. A write cache that fills up"
    )
    (table,) = chapter.all_of(ResultTable)
    assert [line.texts[:2] for line in table.lines] == [("fill", "1"), ("fill", "2")]


def test_a_rise_is_not_called_a_cache() -> None:
    chapter = chapter_of(filled_run([500.0] * 30 + [1500.0] * 60))
    assert chapter is not None
    (answer,) = chapter.all_of(Paragraph)
    assert "it rose to" in answer.text
    assert "cache" not in answer.text


def test_a_level_write_and_a_short_one_have_no_chapter() -> None:
    assert chapter_of(filled_run([1000.0] * 90)) is None
    assert chapter_of(filled_run([2400.0] * 4 + [1060.0] * 4)) is None


def test_the_chapter_stands_in_markdown_and_the_plateaus_in_json() -> None:
    run = filled_run(CACHED)
    text = page_markdown(page_of(RunAnalysis(run), ()), "charts")
    assert "## Preconditioning" in text
    (write,) = json.loads(run_json(RunAnalysis(run), ()))["transfers"]
    assert write["cell"] == "fill"
    assert [round(each["bytes_per_s"] / 1e7) for each in write["plateaus"]] == [240, 106]
