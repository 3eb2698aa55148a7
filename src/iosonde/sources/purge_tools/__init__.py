"""Purges of SATA and SAS drives by hdparm and sg3_utils, and arrays by mdadm. In: a path. Out: how a command ended."""

from iosonde.sources.purge_tools.ata import AtaSecurity, ata_security, erase_ata
from iosonde.sources.purge_tools.mdadm import (
    array_name,
    assemble_array,
    create_array,
    create_words,
    stop_array,
    why_not,
)
from iosonde.sources.purge_tools.running import ToolEnd, ToolRunner
from iosonde.sources.purge_tools.scsi import check_scsi, purge_scsi

__all__ = [
    "AtaSecurity",
    "ToolEnd",
    "ToolRunner",
    "array_name",
    "assemble_array",
    "ata_security",
    "check_scsi",
    "create_array",
    "create_words",
    "erase_ata",
    "purge_scsi",
    "stop_array",
    "why_not",
]
