"""A PDF as its reader sees it."""

import ctypes
from collections.abc import Iterator

import pypdfium2  # type: ignore[import-untyped] # It comes without types.
from pypdfium2 import raw

NAME_BYTES_MAX = 200


class Paged:
    """A PDF that was opened: its pages, their text, fonts and links."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.document = pypdfium2.PdfDocument(content)
        self.pages = list(self.document)
        self.texts = [" ".join(page.get_textpage().get_text_range().split()) for page in self.pages]

    @property
    def letters(self) -> str:
        """All text without any space, so that it does not matter where lines end; a hyphen there reads as U+FFFE."""
        return "".join("".join(self.texts).split()).replace("\ufffe", "-")

    def fonts(self) -> set[str]:
        """The fonts of all letters."""
        return {
            _font_name(text, index)
            for text in (page.get_textpage() for page in self.pages)
            for index in range(text.count_chars())
            if raw.FPDFText_GetUnicode(text.raw, index) > ord(" ") and not raw.FPDFText_IsGenerated(text.raw, index)
        }

    def outside(self) -> list[tuple[int, str]]:
        """Letters that do not stand on their page in full, with its number."""
        found = []
        for number, page in enumerate(self.pages):
            text = page.get_textpage()
            width, height = page.get_size()
            for index in range(text.count_chars()):
                left, bottom, right, top = text.get_charbox(index)
                if left < 0 or bottom < 0 or right > width or top > height:
                    found.append((number, text.get_text_range(index, 1)))
        return found

    def links(self, number: int) -> list[int]:
        """The pages that the links of a page lead to."""
        return list(self._link_targets(self.pages[number]))

    def _link_targets(self, page: pypdfium2.PdfPage) -> Iterator[int]:
        document = self.document.raw
        position, link = ctypes.c_int(0), raw.FPDF_LINK()
        while raw.FPDFLink_Enumerate(page.raw, position, link):
            place = raw.FPDFLink_GetDest(document, link)
            yield raw.FPDFDest_GetDestPageIndex(document, place)


def _font_name(text: pypdfium2.PdfTextPage, index: int) -> str:
    buffer = ctypes.create_string_buffer(NAME_BYTES_MAX)
    raw.FPDFText_GetFontInfo(text.raw, index, buffer, len(buffer), ctypes.c_int())
    return buffer.value.decode()


def squeezed(text: str) -> str:
    """The text without any space."""
    return "".join(text.split())
