"""Durable names in directories."""

import os
from pathlib import Path


def flush_directory(path: Path) -> None:
    """Makes new and removed names in a directory durable. Raises OSError if it cannot."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
