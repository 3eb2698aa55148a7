"""fio as a second engine: the same cells by another hand, on targets that our own engine guards and holds open."""

from iosonde.sources.fio.limits import check_fio_can
from iosonde.sources.fio.source import FioSource

__all__ = ["FioSource", "check_fio_can"]
