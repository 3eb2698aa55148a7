"""Splits cells into one per stream and host, so that no figure mixes two workloads or two machines."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iosonde.records import CellPlan, CellRecord, CellTurn, RunRecord, Stream


class _Part(NamedTuple):
    stream: Stream
    host: str

    def name_of(self, cell: str) -> str:
        return part_name(cell, self.stream.name, self.host)


def part_name(cell: str, stream: str, host: str = "") -> str:
    """The name of a stream on a host: ``mixed/log@db-2``; the cell's own if there is only one of each."""
    return f"{cell}{f'/{stream}' if stream else ''}{f'@{host}' if host else ''}"


def by_stream(run: RunRecord) -> RunRecord:
    """The run with a cell for each stream on each host; the run itself if there is only one of both everywhere."""
    plan, hosts = run.header.plan, _host_names(run)
    parts = {cell.cell: [_Part(stream, host) for stream in cell.streams for host in hosts] for cell in plan.cells}
    if all(len(each) == 1 for each in parts.values()):
        return run
    split = plan.model_copy(
        update={
            "cells": tuple(each for cell in plan.cells for each in _cells_of(cell, parts[cell.cell])),
            "turns": tuple(_turns_of(plan.turns, parts)),
        }
    )
    return run.model_copy(
        update={
            "header": run.header.model_copy(update={"plan": split}),
            "cells": tuple(_named(record, hosts) for record in run.cells),
            "superseded": tuple(_named(record, hosts) for record in run.superseded),
            "turns_chosen": tuple(_turns_of(run.turns_chosen, parts)),
        }
    )


def _host_names(run: RunRecord) -> tuple[str, ...]:
    """A unique name for each host; an empty name if there is only one host."""
    hosts = run.header.hosts
    if len(hosts) == 1:
        return ("",)
    names = [host.hostname or "host" for host in hosts]
    return tuple(name if names.count(name) == 1 else f"{name}-{number}" for number, name in enumerate(names, start=1))


def _cells_of(cell: CellPlan, parts: Sequence[_Part]) -> Iterator[CellPlan]:
    for part in parts:
        alone = part.stream.model_copy(update={"name": ""})
        yield cell.model_copy(update={"cell": part.name_of(cell.cell), "streams": (alone,)})


def _turns_of(turns: Sequence[CellTurn], parts: dict[str, list[_Part]]) -> Iterator[CellTurn]:
    for turn in turns:
        for part in parts[turn.cell]:
            yield turn.model_copy(update={"cell": part.name_of(turn.cell)})


def _named(record: CellRecord, hosts: Sequence[str]) -> CellRecord:
    # A record may have a host that the header lacks.
    host = hosts[record.host] if record.host < len(hosts) else f"host-{record.host + 1}"
    name = part_name(record.cell, record.stream, host)
    return record if name == record.cell else record.model_copy(update={"cell": name})
