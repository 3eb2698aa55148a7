"""Drives of queueing theory: servers and one line before them."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from iosonde.plans.models.table import Limit, ModelTable, SizeBytes
from iosonde.units import SECOND_NS, format_iops

# The engine holds the same bounds.
SERVERS_MAX = 4096
SERVICE_NS_MAX = 3600 * SECOND_NS


class Service(StrEnum):
    """How the times of a server are distributed."""

    CONSTANT = "constant"
    EXPONENTIAL = "exponential"


class QueueingTable(ModelTable):
    """Servers and one line before them: what queueing theory has closed forms for."""

    kind: Literal["queueing"]
    size_bytes: SizeBytes
    servers: int = Field(strict=True, ge=1, le=SERVERS_MAX, description="Number of servers.")
    service: Service = Field(description="Service-time distribution: constant or exponential.")
    service_ns: int = Field(strict=True, ge=1, le=SERVICE_NS_MAX, description="Mean service time.")


def queueing_bytes_per_s(table: QueueingTable) -> int:
    """What a stream of writes of 1 MiB each gets: servers are all busy, and take as long whatever a request's size."""
    return table.servers * (1 << 20) * SECOND_NS // table.service_ns


def queueing_limits(table: QueueingTable) -> tuple[Limit, ...]:
    """What all servers together can do when none of them ever waits for work."""
    peak = table.servers * SECOND_NS / table.service_ns
    return (Limit(name="peak IOPS", value=f"{format_iops(peak)}/s", why="servers / service_ns, with all servers busy"),)
