"""The stored measurements of the models agree with those of the current engine."""

import pytest

from verify.cells import Figure
from verify.kept import kept_models
from verify.models import FIGURES, measure_model


@pytest.mark.parametrize("name", ["client-nvme", "disk-7200", "usb-stick"])
def test_a_model_measured_anew_gives_what_was_kept(name: str) -> None:
    kept = kept_models()[name]
    anew = measure_model(name)
    assert anew.parameters == kept.parameters
    assert [(cell.cell, cell.figure) for cell in anew.cells] == [(cell.cell, cell.figure) for cell in kept.cells]
    for before, now in zip(kept.cells, anew.cells, strict=True):
        assert now.seen == pytest.approx(before.seen, rel=1e-9), f"{now.cell}: python -m verify models, then make docs"


def test_every_figure_that_a_source_may_give_can_be_measured() -> None:
    assert set(FIGURES) == set(Figure)
