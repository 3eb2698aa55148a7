"""The chapter on the preconditioning writes: their bandwidth over the data written. Absent if it had a single level."""

from typing import Final

from iosonde.analysis.plateaus import Transfer, transfer_of
from iosonde.charts.figure import Figure
from iosonde.charts.theme import WRITE
from iosonde.charts.transfer import Stretch, transfer_chart
from iosonde.failures import FailureLog
from iosonde.records import CellRecord, Outcome
from iosonde.report.blocks import Chapter, Charts, notices
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.experiment_chapters import shown_table, told
from iosonde.report.made_charts import made_figure
from iosonde.report.plateau_words import plateau_sentence, plateau_table
from iosonde.report.titles import FILL
from iosonde.units import format_amount, format_bandwidth

CAPTION: Final = "Plateaus of the preconditioning write."
CACHE: Final = (
    "A write cache that fills up, such as the SLC cache of an SSD, would look like this; so would burst credits of a "
    'cloud volume that run out. An experiment with kind = "sustained" that also reads can decide.'
)


def filled_transfers(preparation: tuple[CellRecord, ...]) -> list[tuple[CellRecord, Transfer]]:
    """The finished preconditioning writes whose bandwidth changed, with their plateaus."""
    found = [(each, transfer_of(each)) for each in preparation if each.outcome is Outcome.FINISHED]
    return [(record, transfer) for record, transfer in found if len(transfer.plateaus) > 1]


def fill_chapter(found: EvaluatedRun, failures: FailureLog) -> Chapter | None:
    """The bandwidth of the preconditioning writes over the data written; None unless it changed."""
    writes = filled_transfers(found.run.preparation)
    if not writes:
        return None
    failed: list[str] = []
    answer = told(FILL.title, lambda: " ".join(_sentences(transfer) for _, transfer in writes), failures, failed)
    figures = tuple(_figure(number, each, found, failures) for number, each in enumerate(writes, 1))
    table = plateau_table([(record.cell, transfer) for record, transfer in writes], CAPTION)
    tables = () if table is None else (shown_table(table, found.invalid),)
    return Chapter(*FILL, (*answer, *notices(failed), Charts(figures), *tables))


def _figure(number: int, write: tuple[CellRecord, Transfer], found: EvaluatedRun, failures: FailureLog) -> Figure:
    record, transfer = write
    identity = "fill-bandwidth" if number == 1 else f"fill-bandwidth-{number}"
    title = "Bandwidth over the data written"
    return made_figure(
        identity,
        title,
        lambda: transfer_chart(identity, title, record.cell, [Stretch(transfer)], WRITE),
        found.invalid,
        failures,
    )


def _sentences(transfer: Transfer) -> str:
    first, second, *_ = transfer.plateaus
    whole = f"The mean over all {format_amount(transfer.bytes)} is {format_bandwidth(transfer.mean_bytes_per_s)}."
    cause = [CACHE] if second.bytes_per_s < first.bytes_per_s else []
    return " ".join([plateau_sentence(transfer, "The preconditioning write"), whole, *cause])
