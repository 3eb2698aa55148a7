"""docs/glossary.md matches docs/glossary.toml, which has a term for all flags, keys, columns and chapters."""

from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Final

import pytest
from pydantic import ValidationError

from iosonde.analysis.experiments import ExperimentCells
from iosonde.plans import campaign_schema
from iosonde.report import titles
from iosonde.report.titles import Heading, experiment_headings
from tests.docs import test_numbers as numbers
from tests.docs.test_commands import COMMANDS
from tests.house.checkout import ROOT
from tools.glossary import PAGES, Term, glossary, read_glossary

TERMS: Final = glossary()
OUTPUT: Final = "names a form or a place of output, and is not a term of measurement"
FLAGS_WITHOUT_A_TERM: Final = {
    "--csv": OUTPUT,
    "--force": OUTPUT,
    "--fio": "takes the options of another tool",
    "--json": OUTPUT,
    "--no-pager": OUTPUT,
    "--paper": OUTPUT,
    "--parquet": OUTPUT,
    "--sort": "sorts what is listed",
}
KEYS_OF_THE_FILE: Final = campaign_schema()
ONE_TERM: Final = '[[term]]\ngroup = "Load"\nterm = "in flight"\nmeaning = "Submitted but not completed."\n'


def flags() -> set[str]:
    """Every long option of every command."""
    options = (name for command in COMMANDS.values() for each in command.params for name in each.opts)
    return {name for name in options if name.startswith("--")}


def keys() -> set[str]:
    """Every key of a campaign file."""
    return {*KEYS_OF_THE_FILE["properties"], *KEYS_OF_THE_FILE["$defs"]["ExperimentTable"]["properties"]}


def columns() -> set[str]:
    """Every column of all tables, without the name of the table."""
    return {column.partition(".")[2] for column in numbers.columns()}


def chapters() -> set[str]:
    """The anchor of every chapter of the report."""
    fixed = (value for value in vars(titles).values() if isinstance(value, Heading))
    experiments = experiment_headings([ExperimentCells(kind, ()) for kind in titles.TITLES])
    return {each.id for each in (*fixed, *experiments)}


def without_a_term(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The names that no pattern matches."""
    known = tuple(patterns)
    return sorted(name for name in names if not any(fnmatchcase(name, each) for each in known))


@pytest.mark.parametrize("name", PAGES)
def test_the_published_page_is_that_of_the_table(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name](), "make docs writes it again"


def test_each_term_is_there_once_and_terms_of_a_group_are_together() -> None:
    assert [name for name, count in Counter(each.term for each in TERMS).items() if count > 1] == []
    changes = sum(before.group != after.group for before, after in pairwise(TERMS))
    assert changes == len({each.group for each in TERMS}) - 1


@pytest.mark.parametrize("term", TERMS, ids=lambda each: each.term)
def test_a_term_has_a_meaning_in_whole_sentences_that_does_not_break_the_table(term: Term) -> None:
    assert term.meaning[0].isupper() or term.meaning.startswith("p99")
    assert term.meaning.endswith(".")
    assert not any("|" in text or "\n" in text for text in (term.term, term.meaning, term.elsewhere))


def test_every_flag_has_one_term_or_a_reason_for_none() -> None:
    named = Counter(flag for each in TERMS for flag in each.flags)
    assert without_a_term(flags() - set(FLAGS_WITHOUT_A_TERM), named) == []
    assert sorted(set(named) - flags()) == [], "there is no such flag"
    assert [flag for flag, count in named.items() if count > 1] == []
    assert [flag for flag in FLAGS_WITHOUT_A_TERM if flag in named or flag not in flags()] == []


def test_every_key_of_a_campaign_file_has_one_term() -> None:
    named = Counter(key for each in TERMS for key in each.keys)
    assert without_a_term(keys(), named) == []
    assert sorted(set(named) - keys()) == [], "there is no such key"
    assert [key for key, count in named.items() if count > 1] == []


def test_every_column_of_every_table_has_a_term() -> None:
    patterns = {pattern for each in TERMS for pattern in each.columns}
    assert without_a_term(columns(), patterns) == []
    assert [each for each in patterns if not any(fnmatchcase(name, each) for name in columns())] == []


def test_every_chapter_of_the_report_has_one_term() -> None:
    named = Counter(heading for each in TERMS for heading in each.headings)
    assert without_a_term(chapters(), named) == []
    assert sorted(set(named) - chapters()) == [], "there is no such chapter"
    assert [heading for heading, count in named.items() if count > 1] == []


def test_what_the_glossary_lacks_is_found() -> None:
    assert without_a_term(["latency_ns_p99", "latency_ns_mode"], ["latency_ns_p*"]) == ["latency_ns_mode"]


def test_a_key_that_no_term_has_is_a_mistake_in_the_table() -> None:
    assert read_glossary(ONE_TERM)[0].term == "in flight"
    with pytest.raises(ValidationError, match="vdbench"):
        read_glossary(f'{ONE_TERM}vdbench = "threads"\n')
