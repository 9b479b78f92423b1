"""The texts in the cells of a spreadsheet in Office Open XML. A damaged or huge file is refused, not read in part."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

from kgprobe.errors import UnavailableError, one_line

__all__ = ["DamagedError", "cells"]

_LARGEST = 64 << 20
_MOST_CELLS = 2_000_000
_BY_OPENPYXL = ("xl/worksheets/sheet", "xl/sharedStrings", "xl/styles", "xl/theme", "xl/calcChain")


class DamagedError(Exception):
    """Why a spreadsheet cannot be read."""


def cells(content: bytes) -> list[tuple[str, str]]:
    """The places and texts of all cells: constants, formulas and their last results; and comments and other texts."""
    try:
        import openpyxl
    except ImportError:
        raise UnavailableError("openpyxl is not installed", hint="pip install 'kgprobe[warehouse]'") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(each.file_size for each in archive.infolist()) > _LARGEST:
                raise DamagedError(f"is larger than {_LARGEST >> 20} MB when it is unpacked")
            found = list(_other_texts(archive))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts that openpyxl does not know
            for only_values in (False, True):
                book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=only_values)
                found += _in_sheets(book)
                book.close()
    except DamagedError:
        raise
    except Exception as error:  # openpyxl has no type for what damaged files cause
        raise DamagedError(f"is not a spreadsheet that can be read: {one_line(str(error))}") from None
    return list(dict.fromkeys(found))


def _in_sheets(book: object) -> Iterator[tuple[str, str]]:
    count = 0
    for sheet in book.worksheets:  # type: ignore[attr-defined]  # openpyxl has no types
        sheet.reset_dimensions()  # a file may state wrong ones
        for row in sheet.iter_rows():
            count += len(row) + 1
            if count > _MOST_CELLS:
                raise DamagedError(f"has more than {_MOST_CELLS:,} cells")
            for cell in row:
                if cell.value is not None:
                    yield f"{sheet.title}!{cell.coordinate}", str(cell.value)


def _other_texts(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """The texts of comments, drawings and properties. Raise if any part declares entities."""
    for each in archive.infolist():
        if not each.filename.endswith((".xml", ".rels", ".vml")):
            continue
        said: list[str] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        if not each.filename.startswith(_BY_OPENPYXL):
            parser.CharacterDataHandler = said.append
        parser.StartDoctypeDeclHandler = _refuse
        parser.Parse(archive.read(each), True)
        if text := " ".join(said).strip():
            yield each.filename.rpartition("/")[2], text


def _refuse(*_: object) -> None:
    raise DamagedError("declares a document type, which spreadsheets do not need")
