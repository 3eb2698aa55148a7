"""The engine names what went wrong by words that the front knows."""

import re

from iosonde.vocabulary import FailureKind
from tests.house.checkout import ROOT

FROM_FIO = {FailureKind.SHORT, FailureKind.CONTRADICTION, FailureKind.NOTHING}


def test_the_front_knows_each_kind_of_failure_that_the_engine_can_send_and_adds_those_of_fio() -> None:
    engine = (ROOT / "engine/src/failure.rs").read_text(encoding="utf-8")
    kinds = engine[engine.index("pub enum FailureKind") : engine.index("\n}\n")]
    names = re.findall(r"^    (\w+),$", kinds, re.MULTILINE)
    sent = [re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in names]
    assert sent == [kind for kind in FailureKind if kind not in FROM_FIO]


def test_the_protocol_names_each_kind_of_error() -> None:
    page = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    listed = re.search(r"^`kind` is one of (.*?)\.", page, re.MULTILINE)
    assert listed is not None
    # It ends a cell, and is the answer to no command.
    errors = set(FailureKind) - FROM_FIO - {FailureKind.NOTHING_COMPLETED}
    assert set(re.findall(r"`(\w+)`", listed[1])) == errors
