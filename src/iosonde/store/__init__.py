"""Runs on disk: written to a directory during the run, and read from it or from an archive at any time.

In: records. Out: files, and records again. ``load_run``, ``load_header`` and ``open_files`` accept a directory or an
archive, and so does ``FollowedRun``, which reads a run while it is being written.
"""

from iosonde.store.archive import ARCHIVE_SUFFIX, is_archive
from iosonde.store.arrow import arrow_table, plain_values
from iosonde.store.discovery import RunLocation, runs_below
from iosonde.store.files import open_files
from iosonde.store.followed_run import FollowedRun, NewInterval, News, load_run
from iosonde.store.header import load_header
from iosonde.store.journal import Journal
from iosonde.store.names import ACCOUNT_NAME, HEADER_NAME, JOURNAL_NAME
from iosonde.store.packing import write_archive
from iosonde.store.parquet import write_csv, write_parquet
from iosonde.store.purges import keep_purge, last_purge
from iosonde.store.run_summary import CellGlance, Glance, summarise_run
from iosonde.store.rundir import RunDirectory, check_run_directory, make_directory
from iosonde.store.settings import HeldSetting, keep_setting, kept_settings, left_settings
from iosonde.store.stopped_arrays import forget_stopped_array, keep_stopped_array, stopped_array
from iosonde.store.versions import newer

__all__ = [
    "ACCOUNT_NAME",
    "ARCHIVE_SUFFIX",
    "HEADER_NAME",
    "JOURNAL_NAME",
    "CellGlance",
    "FollowedRun",
    "Glance",
    "HeldSetting",
    "Journal",
    "NewInterval",
    "News",
    "RunDirectory",
    "RunLocation",
    "arrow_table",
    "check_run_directory",
    "forget_stopped_array",
    "is_archive",
    "keep_purge",
    "keep_setting",
    "keep_stopped_array",
    "kept_settings",
    "last_purge",
    "left_settings",
    "load_header",
    "load_run",
    "make_directory",
    "newer",
    "open_files",
    "plain_values",
    "runs_below",
    "stopped_array",
    "summarise_run",
    "write_archive",
    "write_csv",
    "write_parquet",
]
