"""Run directories: written while a run goes on, read back at any time. In: records. Out: files, and records again."""

from iosonde.store.glance import CellGlance, Glance, glance_at
from iosonde.store.journal import Journal
from iosonde.store.parquet import write_csv, write_parquet
from iosonde.store.places import Place, places_below
from iosonde.store.reading import load_header, load_run
from iosonde.store.rundir import RunDirectory, make_directory, write_whole

__all__ = [
    "CellGlance",
    "Glance",
    "Journal",
    "Place",
    "RunDirectory",
    "glance_at",
    "load_header",
    "load_run",
    "make_directory",
    "places_below",
    "write_csv",
    "write_parquet",
    "write_whole",
]
