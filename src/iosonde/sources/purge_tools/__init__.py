"""Purges of SATA and SAS drives, by hdparm and sg3_utils. In: a path to the open device. Out: how the command ended."""

from iosonde.sources.purge_tools.ata import AtaSecurity, ata_security, erase_ata
from iosonde.sources.purge_tools.running import ToolEnd, ToolRunner
from iosonde.sources.purge_tools.scsi import check_scsi, purge_scsi

__all__ = ["AtaSecurity", "ToolEnd", "ToolRunner", "ata_security", "check_scsi", "erase_ata", "purge_scsi"]
