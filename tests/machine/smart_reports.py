"""Reports of smartctl with the fields that its versions 7.0 to 7.5 print (``ataprint.cpp``, ``scsiprint.cpp``)."""

from typing import Any


def report(*messages: str, exit_status: int = 0, **fields: Any) -> dict[str, Any]:
    """A report with these messages."""
    said = [{"string": each, "severity": "error"} for each in messages]
    head = {"version": [7, 3], "exit_status": exit_status, **({"messages": said} if said else {})}
    return {"json_format_version": [1, 0], "smartctl": head, **fields}


def attribute(number: int, name: str, raw: int | str, value: int = 100) -> dict[str, Any]:
    """A vendor attribute. ``raw`` is the printed form; the number has other bits above it, as some drives have."""
    plain = str(raw)
    number_of = int(plain) if plain.isdecimal() else (7 << 32) + 1
    return {"id": number, "name": name, "value": value, "worst": value, "raw": {"value": number_of, "string": plain}}


def statistics(**pages: Any) -> dict[str, Any]:
    """The Device Statistics log: pages by number, as ``p1={0x18: 5}``. A value of None is not valid."""
    return {
        "pages": [
            {
                "number": int(name.removeprefix("p")),
                "table": [
                    {"offset": offset, "flags": {"valid": value is not None}}
                    | ({} if value is None else {"value": value})
                    for offset, value in page.items()
                ],
            }
            for name, page in pages.items()
        ]
    }


def sata(*attributes: dict[str, Any], known: bool = True, **fields: Any) -> dict[str, Any]:
    """A SATA drive that is well."""
    plain: dict[str, Any] = {
        "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
        "in_smartctl_database": known,
        "logical_block_size": 512,
        "smart_support": {"available": True, "enabled": True},
        "smart_status": {"passed": True},
        "ata_smart_attributes": {"revision": 16, "table": list(attributes)},
        "temperature": {"current": 31},
        "power_on_time": {"hours": 4000},
        "power_cycle_count": 40,
    }
    return report(**(plain | fields))


def sas(**fields: Any) -> dict[str, Any]:
    """A SAS drive that is well."""
    counters = {"total_errors_corrected": 0, "total_uncorrected_errors": 0}
    plain: dict[str, Any] = {
        "device": {"name": "/dev/sda", "type": "scsi", "protocol": "SCSI"},
        "logical_block_size": 512,
        "smart_support": {"available": True, "enabled": True},
        "smart_status": {"passed": True},
        "scsi_percentage_used_endurance_indicator": 2,
        "temperature": {"current": 35, "drive_trip": 74},
        "power_on_time": {"hours": 3862, "minutes": 30},
        "scsi_grown_defect_list": 0,
        "scsi_error_counter_log": {
            "read": counters | {"gigabytes_processed": "12.699"},
            "write": counters | {"gigabytes_processed": "6082.745"},
        },
    }
    return report(**(plain | fields))
