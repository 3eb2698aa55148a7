"""Docs, help texts, messages and reports use the words of the glossary, and no obsolete words."""

from pathlib import Path

import pytest

from tests.docs.old_words import files_with_texts, old_words_in, old_words_of, texts_of
from tests.house.checkout import name_of


@pytest.mark.parametrize("path", files_with_texts(), ids=name_of)
def test_a_file_has_none_of_the_old_words(path: Path) -> None:
    assert old_words_in(path) == []


def test_an_old_word_is_found_with_what_to_say() -> None:
    assert old_words_of("Operations are handed over; the run was broken off.") == [
        "'handed over', say: submit",
        "'broken off', say: interrupted, failed",
    ]
    assert old_words_of("Operations are submitted; the run was interrupted.") == []


def test_what_a_page_quotes_from_the_program_is_not_its_own_text(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```\nasked\n```\n> asked\n\n`asked` *asked* [it](asked.md)\n", encoding="utf-8")
    assert [text for _, text in texts_of(page) if "asked" in text] == []
