"""Versions up to 4 stored facts of fio and of the engine in one form. An upgrade separates the two."""

import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from iosonde.records import EngineFacts, FioFacts, SourceFacts
from iosonde.store.frames import Kind
from iosonde.store.upgrades import Upgrader
from tests.builders import engine_facts, fio_facts

FORM: TypeAdapter[SourceFacts] = TypeAdapter(SourceFacts)
OWN: dict[str, Any] = {
    "engine": "io_uring",
    "workers": 1,
    "ring_flags": ["SINGLE_ISSUER", "DEFER_TASKRUN"],
    "poll_mode": "interrupt",
    "fixed_buffers": True,
    "fixed_file": True,
    "batch_max": 32,
    "clock_source": "tsc",
    "kernel_workers": 0,
    "fallbacks": [],
    "fio": None,
}
BY_FIO: dict[str, Any] = OWN | {
    "engine": "fio",
    "ring_flags": [],
    "fixed_buffers": False,
    "fixed_file": False,
    "batch_max": 1,
    "clock_source": "fio",
    "kernel_workers": None,
    "fio": {"version": "fio-3.33", "ioengine": "io_uring", "arguments": ["--name=target-1"]},
}


def upgraded(cell: dict[str, Any], kind: Kind = Kind.CELL) -> Any:  # noqa: ANN401 - a payload, whatever it holds
    return json.loads(Upgrader(4).payload(kind, json.dumps(cell).encode()))


@pytest.mark.parametrize("kind", [Kind.CELL, Kind.PREPARATION])
def test_what_our_own_engine_was_granted_stays(kind: Kind) -> None:
    assert FORM.validate_python(upgraded({"engine": OWN}, kind)["engine"]) == engine_facts()


def test_of_the_first_version_which_knew_no_fio_as_well() -> None:
    first = {name: value for name, value in OWN.items() if name != "fio"}
    assert FORM.validate_python(upgraded({"engine": first})["engine"]) == engine_facts()


def test_of_fio_only_what_is_known_stays() -> None:
    assert FORM.validate_python(upgraded({"engine": BY_FIO})["engine"]) == fio_facts()


def test_a_cell_of_which_no_engine_is_known_stays_so() -> None:
    assert upgraded({"engine": None}) == {"engine": None}


@pytest.mark.parametrize("facts", [engine_facts(), fio_facts()])
def test_facts_in_the_newer_form_are_left_alone(facts: EngineFacts | FioFacts) -> None:
    cell = {"engine": facts.model_dump(mode="json")}
    assert upgraded(cell) == cell
