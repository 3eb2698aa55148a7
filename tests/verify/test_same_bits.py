"""Simulated drives give identical results on every machine."""

import json

import pytest

from iosonde.plans.models import model_names
from verify.same_bits import KEPT, fingerprint

DIGITS: dict[str, str] = json.loads(KEPT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("model", model_names())
def test_a_shipped_model_does_here_what_it_did_where_its_digits_were_kept(model: str) -> None:
    found = fingerprint(model)
    assert found == DIGITS[model], (
        "where the model or what simulates it was changed on purpose, `python -m verify same-bits` keeps the new digits"
    )
