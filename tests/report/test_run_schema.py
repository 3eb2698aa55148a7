"""The published schema of what ``report --json`` writes."""

import json
from typing import Any

import jsonschema
import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.records import RunRecord
from iosonde.report.export import export_schema, run_json
from iosonde.store import load_run
from tests.builders import finding
from tests.house.checkout import ROOT
from tests.judging import findings_of
from tests.lab_builder import lab_run

PLACE = ROOT / "docs/run.schema.json"


def strict(schema: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """The schema, where a field that it does not name is a mistake as well."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: strict(each) for name, each in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(inner.get("properties"), dict) else inner


def test_the_published_schema_is_that_of_the_code() -> None:
    assert json.loads(PLACE.read_text(encoding="utf-8")) == export_schema(), "make schema writes it anew"


def test_the_published_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(export_schema())


@pytest.mark.parametrize(
    "run", [load_run(ROOT / "tests/fixtures/runs/v1"), lab_run(repeats=1, quick=True)], ids=["measured", "modelled"]
)
def test_what_is_written_fits_the_published_schema(run: RunRecord) -> None:
    schema = strict(json.loads(PLACE.read_text(encoding="utf-8")))
    document = json.loads(run_json(RunAnalysis(run), [*findings_of(run), finding()]))
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    assert errors == []


def test_a_document_with_a_field_missing_or_renamed_does_not_fit() -> None:
    document = json.loads(run_json(RunAnalysis(lab_run(repeats=1, quick=True)), []))
    document["cells"][0]["cel"] = document["cells"][0].pop("cell")
    messages = [error.message for error in jsonschema.Draft202012Validator(export_schema()).iter_errors(document)]
    assert messages == ["'cell' is a required property"]
