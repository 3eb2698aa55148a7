"""How well percentiles are known, beside them."""

from dataclasses import replace

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
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
    table = percentile_interval_table(cells_of(Experiment.TAIL, *ENDS_NS))
    assert table.lines
    assert all(text == "61.00 to 83.00" for line in table.lines for text in line.texts[1:])
    assert not table.notes


def test_a_percentile_without_an_interval_has_a_dash_and_the_reason() -> None:
    table = percentile_interval_table(cells_of(Experiment.TAIL, None, None))
    assert {text for line in table.lines for text in line.texts[1:]} == {NO_VALUE}
    assert table.notes == (f"{NO_VALUE}: too few samples for one.",)


def test_the_range_of_the_repeats_is_another_table() -> None:
    cells = cells_of(Experiment.TAIL, *ENDS_NS)
    assert tail_range_table(cells).lines != percentile_interval_table(cells).lines


def test_elsewhere_the_interval_stands_behind_p99_alone() -> None:
    [table] = experiment_tables(Experiment.QUEUE_DEPTH, cells_of(Experiment.QUEUE_DEPTH, *ENDS_NS))
    names = [head.name for head in table.heads]
    with_interval = {names[place] for line in table.lines for place, text in enumerate(line.texts) if " to " in text}
    assert with_interval == {"p99"}
    [bare] = experiment_tables(Experiment.QUEUE_DEPTH, cells_of(Experiment.QUEUE_DEPTH, None, None))
    assert not any(" to " in text for line in bare.lines for text in line.texts)
