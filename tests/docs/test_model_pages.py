"""The pages of docs/models/ match the model files, their sources and the measured figures."""

import pytest

from iosonde.plans.models import load_model, model_names
from tests.house.checkout import ROOT
from tools.model_pages import PAGES
from verify.cells import FOLDER as SOURCES
from verify.cells import OFF_MAX, source_of
from verify.kept import RESULTS, kept_models
from verify.tables import TABLES

FOLDER = ROOT / "docs/models"
MEASURED_AFTER_A_REPORT = ("sata-dc", "client-nvme", "usb-stick")


@pytest.mark.parametrize("name", PAGES)
def test_the_published_page_is_what_the_tool_makes(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), "make docs writes it anew"


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_beside_the_measured_figures_are_made_from_them(name: str) -> None:
    assert (RESULTS / name).read_text(encoding="utf-8") == TABLES[name](), "python -m verify tables writes it anew"


def test_every_shipped_model_has_a_page_a_source_and_measured_cells_and_nothing_else_has() -> None:
    names = list(model_names())
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(["README.md", *(f"{name}.md" for name in names)])
    assert sorted(path.stem for path in SOURCES.iterdir()) == names
    assert list(kept_models()) == names


@pytest.mark.parametrize("name", model_names())
def test_the_cells_of_the_source_were_measured_with_the_parameters_of_today(name: str) -> None:
    measured = kept_models()[name]
    asked = [(cell.name, cell.figure) for cell in source_of(name).cells]
    assert asked, "a model is compared with something"
    assert [(cell.cell, cell.figure) for cell in measured.cells] == asked, "python -m verify models measures them anew"
    assert measured.parameters == load_model(name).parameters, "python -m verify models measures it anew"


@pytest.mark.parametrize("name", model_names())
def test_every_figure_that_is_off_says_why(name: str) -> None:
    pairs = zip(source_of(name).cells, kept_models()[name].cells, strict=True)
    silent = [cell.name for cell, given in pairs if cell.is_off(given.seen) and not cell.reason]
    assert silent == [], f"more than {OFF_MAX:.0%} off without a reason in verify/sources/{name}.toml"


@pytest.mark.parametrize("name", model_names())
def test_every_model_says_what_it_leaves_out_in_sentences(name: str) -> None:
    leaves_out = load_model(name).leaves_out
    assert leaves_out
    assert all(each.endswith(".") for each in leaves_out)


@pytest.mark.parametrize("name", MEASURED_AFTER_A_REPORT)
def test_a_model_of_a_drive_with_a_report_is_compared_with_six_figures_of_it_or_more(name: str) -> None:
    assert sum(cell.document == "report" for cell in source_of(name).cells) >= 6
