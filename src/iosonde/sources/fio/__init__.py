"""fio as a second engine: it measures the same cells, on targets that iosonde's own engine locks and keeps open."""

from iosonde.sources.fio.limits import check_fio_can
from iosonde.sources.fio.source import FioSource

__all__ = ["FioSource", "check_fio_can"]
