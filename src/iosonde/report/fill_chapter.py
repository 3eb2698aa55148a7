"""The chapter on the preconditioning writes: their bandwidth over the data written. Absent if it had a single level."""

from typing import Final

from iosonde.analysis.stretches import Stretch
from iosonde.charts.figure import Figure
from iosonde.charts.theme import WRITE
from iosonde.charts.transfer import transfer_chart
from iosonde.failures import FailureLog
from iosonde.report.blocks import Chapter, Charts, notices
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.experiment_chapters import shown_table, told
from iosonde.report.made_charts import made_figure
from iosonde.report.plateau_words import PLATEAU_RULE, plateau_sentence, plateau_table
from iosonde.report.preconditioning_words import assumption_of
from iosonde.report.titles import FILL
from iosonde.units import format_amount, format_bandwidth

CAPTION: Final = f"Plateaus of the preconditioning write. {PLATEAU_RULE}"
CACHE: Final = (
    "A write cache that fills up, such as the SLC cache of an SSD, would look like this; so would burst credits of a "
    "cloud volume that run out."
)
DECIDE: Final = 'An experiment with kind = "sustained" that also reads can decide.'


def fill_chapter(found: EvaluatedRun, failures: FailureLog) -> Chapter | None:
    """The bandwidth of the preconditioning writes over the data written; None unless it changed."""
    writes = [each for each in found.estimates.fills if each.is_finished and len(each.transfer.plateaus) > 1]
    if not writes:
        return None
    failed: list[str] = []
    decide = "" if found.estimates.sustained else DECIDE
    answer = told(FILL.title, lambda: " ".join(_sentences(each, decide) for each in writes), failures, failed)
    figures = tuple(_figure(number, each, found, failures) for number, each in enumerate(writes, 1))
    table = plateau_table(writes, CAPTION)
    tables = () if table is None else (shown_table(table, found.invalid),)
    return Chapter(*FILL, (*answer, *notices(failed), Charts(figures), *tables))


def _figure(number: int, write: Stretch, found: EvaluatedRun, failures: FailureLog) -> Figure:
    identity = "fill-bandwidth" if number == 1 else f"fill-bandwidth-{number}"
    title = "Bandwidth over the data written"
    return made_figure(
        identity, title, lambda: transfer_chart(identity, title, [write], WRITE), found.invalid, failures
    )


def _sentences(write: Stretch, decide: str) -> str:
    transfer = write.transfer
    assumed = assumption_of(write.record.workload)
    begins = f"The preconditioning write ({assumed})" if assumed else "The preconditioning write"
    first, second, *_ = transfer.plateaus
    whole = f"The mean over all {format_amount(transfer.bytes)} is {format_bandwidth(transfer.mean_bytes_per_s)}."
    cause = [CACHE, *filter(None, [decide])] if second.bytes_per_s < first.bytes_per_s else []
    return " ".join([plateau_sentence(transfer, begins), whole, *cause])
