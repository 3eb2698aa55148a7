"""The chapter of a sustained experiment: rates and latency over the data transferred, plateaus, and their causes."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from iosonde.analysis.experiments import ExperimentCells
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.sustained import Sustained
from iosonde.charts.figure import Figure
from iosonde.charts.quantities import BANDWIDTH_UNIT, significant
from iosonde.charts.theme import BY_CLASS
from iosonde.charts.transfer import transfer_chart
from iosonde.charts.transfer_latency import transfer_latency_chart
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import CellRecord, Operation
from iosonde.report.blocks import Chapter, Charts, Paragraph, notices
from iosonde.report.dashes import Dash
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.experiment_chapters import PARAGRAPHS, numbered, shown_table, told
from iosonde.report.made_charts import made_figure
from iosonde.report.plateau_words import PLATEAU_RULE, plateau_table
from iosonde.report.sustained_words import sustained_answer, workload_name
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.titles import Heading
from iosonde.units import MEGABYTE, SECOND_NS, format_amount, format_duration, format_iops

STRETCHES: Final = "Stretches: each is a continuous transfer after an idle time."
PLATEAUS: Final = f"Plateaus of the stretches. {PLATEAU_RULE}"
NO_IDLE: Final = "the stretch followed the one before it, or other trials, directly"
NOTHING: Final = "No stretch of this experiment was completed."


def sustained_chapter(
    heading: Heading, experiment: ExperimentCells, found: EvaluatedRun, failures: FailureLog
) -> Chapter:
    """The chapter of a sustained experiment. A notice replaces a part that fails."""
    failed: list[str] = []
    cells = {cell.cell for cell in experiment.cells}

    def analysed() -> tuple[list[Sustained], tuple[Sustained, ...]]:
        every = found.estimates.sustained
        return [each for each in every if cells & {stretch.cell for stretch in each.stretches}], every

    def nothing(failure: PartFailure) -> tuple[list[Sustained], tuple[Sustained, ...]]:
        failed.append(failure.sentence)
        return [], ()

    own, every = failures.attempt(f'the transfers of "{heading.title}"', analysed, nothing)
    if not own:
        return Chapter(*heading, (*notices(failed), *([] if failed else [Paragraph(NOTHING)])))
    answer = told(heading.title, lambda: PARAGRAPHS.join(sustained_answer(own, every, found.invalid)), failures, failed)
    figures = numbered(
        heading, [figure for number, each in enumerate(own, 1) for figure in _figures(number, each, found, failures)]
    )
    tables = failures.attempt(
        f'the tables in "{heading.title}"', lambda: tuple(_tables(own, found)), lambda each: _lost(each, failed)
    )
    return Chapter(*heading, (*answer, *notices(failed), Charts(figures), *tables))


def _lost(failure: PartFailure, failed: list[str]) -> tuple[ResultTable, ...]:
    failed.append(failure.sentence)
    return ()


def _figures(number: int, sustained: Sustained, found: EvaluatedRun, failures: FailureLog) -> Iterator[Figure]:
    """Bandwidth and latency of a workload."""
    only = sustained.workload.only_operation
    series = BY_CLASS[Operation.ALL if only is None else only]
    makers: tuple[tuple[str, Callable[[str, str], Figure]], ...] = (
        ("bandwidth", lambda identity, title: transfer_chart(identity, title, sustained.stretches, series)),
        ("latency", lambda identity, title: transfer_latency_chart(identity, title, sustained.stretches)),
    )
    for quantity, make in makers:
        identity, title = f"sustained-{quantity}-w{number}", f"Sustained {quantity}: {workload_name(sustained)}"
        yield made_figure(identity, title, partial(make, identity, title), found.invalid, failures)


def _tables(own: Sequence[Sustained], found: EvaluatedRun) -> Iterator[ResultTable]:
    heads = (
        Head("Cell", number=False),
        Head("Idle before"),
        Head("Transferred"),
        Head("Transferred", "of test region"),
        Head("Time"),
        Head("Bandwidth", BANDWIDTH_UNIT),
        Head("IOPS"),
    )
    span_bytes = found.run.header.target.span_bytes
    lines = [
        _line(each, sustained.workload.span_bytes or span_bytes) for sustained in own for each in sustained.stretches
    ]
    yield shown_table(ResultTable(STRETCHES, heads, tuple(lines), ()), found.invalid)
    table = plateau_table([each for sustained in own for each in sustained.stretches], PLATEAUS)
    if table is not None:
        yield shown_table(table, found.invalid)


def _line(stretch: Stretch, span_bytes: int) -> Line:
    record = stretch.record
    bytes_, count = _moved(record)
    time_s = record.measured_ns / SECOND_NS
    return Line(
        (
            stretch.cell,
            format_duration(stretch.idle_ns) if stretch.idle_ns else Dash(NO_IDLE),
            format_amount(bytes_),
            f"{significant(bytes_ / span_bytes, 3)} x",
            format_duration(record.measured_ns),
            significant(bytes_ / time_s / MEGABYTE),
            format_iops(count / time_s),
        )
    )


def _moved(record: CellRecord) -> tuple[int, int]:
    """The bytes and the operations of a stretch."""
    kinds = [record.operations[each] for each in (Operation.READ, Operation.WRITE) if each in record.operations]
    return sum(each.bytes for each in kinds), sum(each.count for each in kinds)
