"""How well percentiles are known, beside them."""

from dataclasses import replace

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.histogram import PERCENTS
from iosonde.charts.quantities import NO_VALUE
from iosonde.records import Experiment
from iosonde.report.percentile_tables import percentile_interval_table, tail_range_table
from iosonde.report.result_tables import experiment_tables
from tests.lab_builder import lab_run

ENDS_NS = (61_000, 83_000)


def cells_of(experiment: Experiment, low_ns: int | None, high_ns: int | None) -> list[CellEstimate]:
    """The cells of a lab run, with these ends at every percentile."""
    return [
        replace(
            cell,
            operations={
                operation: replace(
                    figures,
                    percentiles=tuple(replace(each, low_ns=low_ns, high_ns=high_ns) for each in figures.percentiles),
                )
                for operation, figures in cell.operations.items()
            },
        )
        for cell in estimate_run(lab_run()).of(experiment)
    ]


def test_where_the_distribution_is_the_question_every_percentile_has_its_interval() -> None:
    table = percentile_interval_table(Experiment.TAIL, cells_of(Experiment.TAIL, *ENDS_NS))
    assert table is not None
    assert len(table.heads) == 1 + len(PERCENTS)
    assert all(text == "61.00 to 83.00" for line in table.lines for text in line.texts[1:])
    assert not table.notes


def test_elsewhere_those_have_one_that_the_tables_show() -> None:
    table = percentile_interval_table(Experiment.QUEUE_DEPTH, cells_of(Experiment.QUEUE_DEPTH, *ENDS_NS))
    assert table is not None
    assert [head.name for head in table.heads] == ["Cell", "p50", "p95", "p99", "p99.9"]
    [own] = experiment_tables(Experiment.QUEUE_DEPTH, cells_of(Experiment.QUEUE_DEPTH, *ENDS_NS))
    assert [line.texts[0] for line in table.lines] == [line.texts[0] for line in own.lines]


def test_a_percentile_without_an_interval_has_a_dash_and_the_reason() -> None:
    first = cells_of(Experiment.TAIL, None, None)[0]
    table = percentile_interval_table(Experiment.TAIL, [first, *cells_of(Experiment.TAIL, *ENDS_NS)])
    assert table is not None
    assert set(table.lines[0].texts[1:]) == {NO_VALUE}
    assert table.explained.notes == (f"{NO_VALUE}: the 3 repeats vary too much for a useful confidence interval.",)


def test_there_is_no_table_of_dashes() -> None:
    assert percentile_interval_table(Experiment.TAIL, cells_of(Experiment.TAIL, None, None)) is None


def test_the_range_of_the_repeats_is_another_table() -> None:
    cells = cells_of(Experiment.TAIL, *ENDS_NS)
    known = percentile_interval_table(Experiment.TAIL, cells)
    assert known is not None
    assert tail_range_table(cells).lines != known.lines
