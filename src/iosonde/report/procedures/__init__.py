"""The part of a report on standard procedures: a chapter for each, and the header block of its pages."""

from iosonde.report.procedures.chapters import procedure_chapters, procedure_charts, procedure_headings
from iosonde.report.procedures.header import PageHeader, page_headers
from iosonde.report.procedures.summary_blocks import procedure_answers, setup_groups
from iosonde.report.procedures.throughput_blocks import throughput_blocks
from iosonde.report.procedures.verdict_table import verdict_table

__all__ = [
    "PageHeader",
    "page_headers",
    "procedure_answers",
    "procedure_chapters",
    "procedure_charts",
    "procedure_headings",
    "setup_groups",
    "throughput_blocks",
    "verdict_table",
]
