"""Drives of queueing theory: servers with one common queue."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from iosonde.plans.models.table import Limit, ModelTable, SizeBytes
from iosonde.units import SECOND_NS, format_iops

# The engine has the same bounds.
SERVERS_MAX = 4096
SERVICE_NS_MAX = 3600 * SECOND_NS


class Service(StrEnum):
    """The distribution of service times."""

    CONSTANT = "constant"
    EXPONENTIAL = "exponential"


class QueueingTable(ModelTable):
    """Servers with one common queue, for which queueing theory has closed-form results."""

    kind: Literal["queueing"]
    size_bytes: SizeBytes
    servers: int = Field(strict=True, ge=1, le=SERVERS_MAX, description="Number of servers.")
    service: Service = Field(description="Service-time distribution: constant or exponential.")
    service_ns: int = Field(strict=True, ge=1, le=SERVICE_NS_MAX, description="Mean service time.")


def queueing_bytes_per_s(table: QueueingTable) -> int:
    """Bandwidth of writes of 1 MiB with all servers busy: the service time is independent of the request size."""
    return table.servers * (1 << 20) * SECOND_NS // table.service_ns


def queueing_limits(table: QueueingTable) -> tuple[Limit, ...]:
    """The throughput with all servers busy."""
    peak = table.servers * SECOND_NS / table.service_ns
    return (Limit(name="peak IOPS", value=f"{format_iops(peak)}/s", why="servers / service_ns, with all servers busy"),)
