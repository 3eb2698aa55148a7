"""Files of standard procedures: inheritance, defaults, and mistakes told with file, line, key and value."""

import subprocess
import sys

import pytest

from iosonde.errors import UsageError
from iosonde.plans.procedure_files import has_procedures, procedure_names
from iosonde.plans.procedures import load_procedures, read_procedures
from iosonde.vocabulary import Mode

FILL = """
[[procedure.phase]]
name = "fill"
role = "preconditioning"
[[procedure.phase.cells]]
pattern = "sequential"
read = 0
block_size = "128KiB"
queue_depth = 8
capacities = 2
"""
ROUNDS = """
[[procedure.phase]]
name = "rounds"
[procedure.phase.steady]
track = [{ read = 0, quantity = "iops" }]
[[procedure.phase.cells]]
pattern = "random"
read = [100, 0]
block_size = "4KiB"
queue_depth = 4
duration = "1s"
"""
TRACK = 'track = [{ read = 0, quantity = "iops" }]'
OWN = f"""name = "own"
[[procedure]]
name = "first"
{FILL}{ROUNDS}"""


def mistake(before: str, after: str) -> UsageError:
    """The error of a file in which something is replaced by a mistake."""
    assert before in OWN
    with pytest.raises(UsageError) as raised:
        read_procedures(OWN.replace(before, after, 1), "own.toml")
    return raised.value


def test_a_campaign_file_is_one_of_procedures_if_it_has_such_tables() -> None:
    assert has_procedures(OWN)
    assert not has_procedures('name = "other"\n[[experiment]]\nname = "procedure"\n')


def test_defaults_are_keys_of_all_cells_that_lack_them() -> None:
    text = OWN.replace("queue_depth = 4\n", "").replace(
        'name = "first"\n', 'name = "first"\ndefaults = { queue_depth = 32 }\n'
    )
    first, second = (phase.cells[0] for phase in read_procedures(text, "own.toml").procedure[0].phase)
    assert (first.values("queue_depth"), second.values("queue_depth")) == ([8], [32])


def test_a_table_can_use_a_shipped_procedure_with_other_keys() -> None:
    text = """name = "mine"
    [[procedure]]
    use = "pts-iops"
    mode = "client"
    active_range = "75%"
    [procedure.defaults]
    jobs = 2
    queue_depth = 16
    """
    (found,) = read_procedures(text, "mine.toml").procedure
    preconditioning, rounds = (phase.cells[0] for phase in found.phase)
    assert (found.mode, found.active_range, found.title) == (Mode.CLIENT, 75.0, "IOPS test")
    assert (rounds.values("jobs"), rounds.values("queue_depth")) == ([2], [16])
    # The preconditioning has a number of jobs of its own.
    assert preconditioning.values("jobs") == [1]


@pytest.mark.parametrize("name", procedure_names())
def test_every_shipped_procedure_can_be_read(name: str) -> None:
    assert load_procedures(name).name == name


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('role = "preconditioning"', 'rolle = "x"', "own.toml:7: unknown key rolle in [[procedure.phase]]"),
        ('block_size = "4KiB"', 'block_size = "5 apples"', "own.toml:22: block_size"),
        ("read = [100, 0]", "read = [100, 101]", "own.toml:21: read = 101"),
        ("capacities = 2", "", "cells of a phase have no end"),
        ('duration = "1s"', 'duration = "1s"\namount = "1GiB"', "amount and duration"),
        ("queue_depth = 4", "queue_depth = 4\nrate_of = 3", "own.toml:24: unknown key rate_of"),
        (
            'track = [{ read = 0, quantity = "iops" }]',
            'track = [{ read = 0, quantity = "iops" }]\nwindow = 30',
            "a window of 30 rounds does not fit into at most 25 rounds",
        ),
        (
            'track = [{ read = 0, quantity = "iops" }]',
            'track = [{ read = 0, quantity = "iops" }, { read = 0, quantity = "iops" }]',
            "two tracking variables are the same",
        ),
        (
            'track = [{ read = 0, quantity = "iops" }]',
            "window = 5",
            "own.toml:17: steady needs either track, or sample and block",
        ),
        ('name = "first"', 'use = "nonsense"', "own.toml:3: use = 'nonsense' is not a shipped procedure"),
        (TRACK, f"{TRACK}\nwindow = 1", "own.toml:19: window = 1 is not in the range"),
        (TRACK, f"{TRACK}\nround_max = 9", "own.toml:19: unknown key round_max in [procedure.phase.steady]"),
        (TRACK, TRACK.replace("iops", "latency_ns_p99"), 'own.toml:18: quantity = "latency_ns_p99" cannot be tracked'),
        (TRACK, TRACK.replace("read = 0, ", ""), "own.toml:18: track has no read"),
        (
            TRACK,
            'track = [\n{ read = 0, quantity = "iops" },\n{ red = 1 },\n]',
            "own.toml:20: unknown key red",
        ),
        ("[procedure.phase.steady]", "rounds = 3\n[procedure.phase.steady]", "rounds and steady both end the phase"),
        ("[[procedure.phase.cells]]", "[procedure.phase.cells]", "cells is a single table"),
        ('name = "first"', 'name = "first"\npurge = "format"', 'own.toml:4: purge = "format" is not true or false'),
        ('name = "own"', 'name = "own"\nexperiment = []', "own.toml:2: a file has either [[procedure]] or"),
    ],
)
def test_a_mistake_is_told_with_its_place(before: str, after: str, message: str) -> None:
    error = mistake(before, after)
    assert message in error.message
    assert error.hint


@pytest.mark.parametrize(
    ("before", "after", "hint"),
    [
        ("queue_depth = 4", 'queue_depth = 4\nbs = "4k"', 'fio\'s bs is block_size = "4KiB"'),
        ('duration = "1s"', "duration = 60", 'write "60s"'),
        (TRACK, f"{TRACK}\nwindow = 1", "window accepts 2 to 100"),
        ('name = "first"', 'name = "first"\n[procedure.steady]', "write [procedure.phase.steady]"),
        ('name = "first"', 'use = "pts-iop"', 'did you mean "pts-iops"?'),
    ],
)
def test_the_hint_of_a_mistake_names_the_way_out(before: str, after: str, hint: str) -> None:
    assert hint in mistake(before, after).hint


def test_the_specification_of_a_changed_procedure_names_the_changes() -> None:
    text = """name = "mine"
    [[procedure]]
    use = "pts-tp-client"
    name = "mine"
    purge = false
    active_range = "75%"
    defaults = { queue_depth = 8 }
    """
    found = read_procedures(text, "mine.toml").procedure

    assert [each.name for each in found] == ["mine-tp-128KiB", "mine-tp-1MiB"]
    # The active range is that of the shipped procedure, and a name changes nothing.
    changed = "SNIA SSS PTS 2.0.2, chapter 8, with changes (purge, queue_depth)"
    assert {each.specification for each in found} == {changed}


@pytest.mark.parametrize("name", procedure_names())
def test_a_shipped_procedure_that_is_used_as_it_is_has_no_changes(name: str) -> None:
    used = read_procedures(f'name = "mine"\n[[procedure]]\nuse = "{name}"\n', "mine.toml").procedure

    assert used == load_procedures(name).procedure


def test_a_mistake_after_a_table_of_several_procedures_is_told_with_its_place() -> None:
    for name in ("pts-tp", "tkperf-tp"):
        text = f'name = "two"\n[[procedure]]\nuse = "{name}"\n[[procedure]]\nuse = "pts-lat"\nactive_rnge = 50\n'
        with pytest.raises(UsageError, match=r"two\.toml:6: unknown key active_rnge"):
            read_procedures(text, "two.toml")


def test_two_procedures_of_one_name_are_refused() -> None:
    text = OWN + OWN.partition("\n")[2]
    second = [number for number, line in enumerate(text.splitlines(), 1) if line == "[[procedure]]"][1]
    with pytest.raises(UsageError, match=rf"own\.toml:{second}: two procedures have the name first"):
        read_procedures(text, "own.toml")


def test_two_phases_of_one_name_are_refused() -> None:
    first, *_, last = [line for line in OWN.splitlines() if line.startswith("name = ")][-2:]
    with pytest.raises(UsageError, match="two phases have the name"):
        read_procedures(OWN.replace(last, first), "own.toml")


def test_campaigns_without_procedures_do_not_load_their_tables() -> None:
    check = "import sys, iosonde.campaign.requests; print([m for m in sys.modules if 'plans.procedures' in m])"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("key", "after", "owner"),
    [
        ('track = [{ read = 0, quantity = "iops" }]', 'role = "preconditioning"', "[procedure.phase.steady]"),
        ("rounds = 3", "queue_depth = 4", "[[procedure.phase]]"),
    ],
)
def test_a_key_in_the_wrong_table_is_told_where_it_belongs(key: str, after: str, owner: str) -> None:
    assert after in OWN
    with pytest.raises(UsageError) as raised:
        read_procedures(OWN.replace(after, f"{after}\n{key}", 1), "own.toml")
    assert f"{key.partition(' ')[0]} belongs to {owner}" in raised.value.hint
