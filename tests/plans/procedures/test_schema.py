"""An editor that knows the schema accepts every file of procedures that iosonde does, and refuses a slip."""

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from iosonde.plans.procedure_files import PACKAGE, has_procedures, procedure_names
from iosonde.plans.procedures import procedures_schema
from iosonde.plans.shipped_files import shipped_text
from tests.house.checkout import ROOT
from tests.plans.procedures.test_read_procedures import OWN

SCHEMA = Draft202012Validator(procedures_schema())


def wrong(text: str) -> list[str]:
    return [error.message for error in SCHEMA.iter_errors(tomllib.loads(text))]


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((ROOT / "docs/procedures.schema.json").read_text(encoding="utf-8"))
    assert published == procedures_schema(), "make schema writes it anew"


@pytest.mark.parametrize("name", procedure_names())
def test_every_shipped_file_is_accepted(name: str) -> None:
    assert wrong(shipped_text(PACKAGE, name)) == []


def test_every_example_is_accepted() -> None:
    files: list[Path] = sorted((ROOT / "examples").glob("*.toml"))
    texts = [text for text in (each.read_text(encoding="utf-8") for each in files) if has_procedures(text)]
    assert texts
    for text in texts:
        assert wrong(text) == []


def test_an_own_procedure_and_one_that_is_based_on_another_are_accepted() -> None:
    assert wrong(OWN) == []
    assert wrong('name = "own"\n[[procedure]]\nuse = "pts-iops"\nactive_range = "50%"\ndefaults = { jobs = 2 }') == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('name = "first"', 'name = "first"\nactive_rnge = "50%"'),
        ("read = [100, 0]", "read = [101]"),
        ("queue_depth = 4", "qeue_depth = 4"),
        ('quantity = "iops"', 'quantity = "iopses"'),
        ('[[procedure]]\nname = "first"', '[[procedure]]\nuse = "pts-nothing"\nname = "first"'),
        ('[[procedure]]\nname = "first"', '[[procedure]]\ndefaults = { jbs = 1 }\nname = "first"'),
        ('name = "rounds"', 'name = "rounds"\nrole = "round"'),
    ],
)
def test_a_slip_is_refused(before: str, after: str) -> None:
    assert before in OWN
    assert wrong(OWN.replace(before, after, 1))
