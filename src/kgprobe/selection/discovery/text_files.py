"""Test files of any other kind: the terms that their text names, and the queries in it that can be read.

The test is assumed to read only what is about these terms, and what its queries read. A file that names no term for
certain, or has a query that cannot be read, is not understood.
"""

from __future__ import annotations

import html
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote
from xml.parsers import expat

from kgprobe.errors import InputError, UnavailableError, one_line
from kgprobe.given_files import LARGEST_TEXT, read_bytes
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.search import BLIND, Search, stated_regime, stated_terms
from kgprobe.selection.discovery.sql_files import looks_like_sql
from kgprobe.selection.discovery.text_names import Named
from kgprobe.selection.tests import Language, Mention, TermUse, Test, TestUse
from kgprobe.sparql.reading import looks_like_query

TEXT = Language("text", has_values=True)
LANGUAGES = ()  # no file is one of these, unless the user names it

_SHEETS = (".xlsx", ".xlsm", ".xltx", ".xltm")
_XML = (".xml", ".xhtml", ".xsl", ".xslt", ".svg")
# In these, a value needs no quotes: a delimiter, or the end of a line, is enough.
_DATA = frozenset(
    [
        *(".csv", ".tsv", ".psv", ".yaml", ".yml", ".json", ".jsonl", ".ndjson", ".feature", ".txt", ".md", ".rst"),
        *(".toml", ".ini", ".cfg", ".conf", ".properties", ".html", ".htm", *_XML, *_SHEETS),
    ]
)
_SHELLS = (".sh", ".bash", ".zsh", ".ksh", ".bats")
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # the marks of UTF-16
_MOST_REASONS = 5

_ESCAPE = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([0-3][0-7]{2})|(\r?\n)|(.))"
)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_WHITE = {"n": "\n", "t": "\t", "r": "\r", "f": " ", "v": " ", "b": " "}
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
# Two constants that make one: "a" + "b", 'a' || 'b', "a" "b", in one line or in two.
_JOINT = re.compile(r"""(["'])\s*+(?:\+|\|\||\.\.?|&|\\)?+\s*+\1(?!\1)""")
_CONSTANT = re.compile(
    r'"""(.*?)"""' + r"|'''(.*?)'''" + r'|"((?>(?:\\.|[^"\\\n])*))"' + r"|'((?>(?:\\.|[^'\\\n])*))'|`([^`]*+)`",
    re.DOTALL,
)
_STATEMENT = re.compile(
    r"\b(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b[^;]{0,4000}?(?:\bFROM\b|\{)|\b(?:INSERT\s+INTO|DELETE\s+FROM)\b"
    r"|^\s*select\b[^;]{0,4000}?\bfrom\b",
    re.MULTILINE,
)
_MOST_QUERIES = 500
_NO_LINE_END = re.compile(r"[^\n]")
_END_OF_STATEMENT = re.compile(r";|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of a file: all of it, or a cell at a `place`. `is_exact` says that it is the text of a file in UTF-8."""

    text: str
    line: int | None = 1
    place: str = ""
    is_exact: bool = False


class _UnreadableError(Exception):
    """Why a file cannot be read."""


def text_test(found: TestFile, search: Search) -> Test:
    """The test of a file, by the language that its name ends with."""
    reader = _Reader(found, search)
    pieces, stated = [Piece("")], None
    try:
        pieces = list(_pieces(found))
        stated = stated_terms(pieces[0].text, found.name, search) if pieces else None
        for piece in pieces:
            reader.read(piece)
    except _UnreadableError as error:
        reader.not_seen(f"it {error}")
    else:
        reader.finish()
    uses, unseen = (tuple(reader.uses.values()), tuple(reader.unseen)) if stated is None else stated
    return Test(
        found.name,
        TEXT,
        uses=uses,
        terms=tuple(reader.terms),
        unseen=unseen,
        regime=stated_regime(pieces[0].text, found.name, search.note) if pieces else None,
        file=found.file,
        mentions=tuple(reader.mentions),
        expected=search.neighbours.expected(found),
    )


class _Reader:
    """Collects what the pieces of a file use."""

    def __init__(self, found: TestFile, search: Search) -> None:
        self._file = found.file
        self._search = search
        self._has_cells = found.suffix in _DATA
        self._is_shell = found.suffix in _SHELLS
        self._is_certain = False
        self._common = ""
        self.uses: dict[object, TestUse] = {}
        self.terms: dict[TermUse, None] = {}
        self.unseen: dict[str, None] = {}
        self.mentions: list[Mention] = []

    def read(self, piece: Piece) -> None:
        text = self._without_queries(piece)
        starts = self._names(piece, text, is_itself=True)
        for other in _other_forms(text):
            starts = self._names(piece, other, is_itself=False)  # the last form has what is concatenated
        if starts:
            self.not_seen(f"an IRI is completed when it runs{starts[0]}")

    def finish(self) -> None:
        if self._is_certain or self.unseen:
            return
        common = f" for certain: '{self._common}' is too common a word" if self._common else " of the ontology"
        self.not_seen(f"it names no term{common}")

    def not_seen(self, reason: str) -> None:
        if len(self.unseen) < _MOST_REASONS:
            self.unseen[f"{BLIND}: {reason}"] = None

    def _names(self, piece: Piece, text: str, *, is_itself: bool) -> list[str]:
        """Add the names in a text; the places of IRIs that are not complete."""
        found, starts = self._search.names_in_text.found_in(
            text, has_cells=self._has_cells, are_words_apart=self._is_shell
        )
        for named in found:
            self._is_certain |= named.is_certain
            self._common = self._common or ("" if named.is_certain else named.written)
            self._use(named, text, piece, is_itself=is_itself)
        return [_at(piece, text, start) for start in starts]

    def _use(self, named: Named, text: str, piece: Piece, *, is_itself: bool) -> None:
        for term in named.terms:
            if term not in self.uses:
                line = _line(piece, text, named.start) if is_itself else None
                said = f"{named.written} ({piece.place})" if piece.place else named.written
                self.uses[term] = TermUse(term, said, line)
        if is_itself and piece.is_exact and len(named.terms) == 1 and named.is_certain:
            self.mentions.append(Mention(named.terms[0], self._file, named.start, named.end, named.written))

    # -- queries in a text ---------------------------------------------------------------------------------------

    def _without_queries(self, piece: Piece) -> str:
        """The text with spaces in place of the queries that were read."""
        text = piece.text
        if piece.place and _is_query(text):
            return "" if self._query(text, _at(piece, text, 0)) else text
        if _STATEMENT.search(text) is None and not any(_is_query(_content(hit)) for hit in _CONSTANT.finditer(text)):
            return text
        joined = _JOINT.sub(lambda found: "" if "\n" not in found[0] else "\n" * found[0].count("\n"), text)
        rest, constants = _Blanks(joined), list(_CONSTANT.finditer(joined))
        asked = [(constant, content) for constant in constants if _is_query(content := _content(constant))]
        for found, content in asked[:_MOST_QUERIES]:
            if self._query(_unescaped(content), _at(piece, joined, found.start())):
                rest.add(found.start(), found.end())
        outside = rest.text
        starts = list(islice(_statements(outside), _MOST_QUERIES + 1))
        for start, end in starts[:_MOST_QUERIES]:
            self._query(outside[start:end].strip(), _at(piece, outside, start))
            rest.add(start, end)
        if max(len(asked), len(starts)) > _MOST_QUERIES:
            self.not_seen(f"it has more than {_MOST_QUERIES} queries")
        # Constants that are joined here may be separate values. Then names in queries count as well.
        return text if self.unseen or joined != text else rest.text

    def _query(self, text: str, where: str) -> bool:
        """Add what a query uses; whether it could be read."""
        unseen: tuple[str, ...]
        if looks_like_query(text):
            sparql = self._search.queries.read(text)
            uses, unseen = tuple[TestUse, ...](sparql.uses), sparql.unseen
        else:
            sql = self._search.sql.read(text)
            self.terms.update(dict.fromkeys(sql.terms))
            uses, unseen = tuple[TestUse, ...](sql.uses), sql.unseen
        for reason in unseen:
            self.not_seen(f"{reason.removeprefix(f'{BLIND}: ')}, in a query{where}")
        self.uses.update((("query", use), use) for use in uses)
        self._is_certain = True
        return not unseen


def _is_query(text: str) -> bool:
    return looks_like_query(text) or looks_like_sql(text)


def _content(constant: re.Match[str]) -> str:
    return next((part for part in constant.groups() if part is not None), "")


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Where statements are that stand by themselves."""
    place = 0
    while (found := _STATEMENT.search(text, place)) is not None:
        end = _END_OF_STATEMENT.search(text, found.end())
        place = end.start() if end else len(text)
        yield found.start(), place


class _Blanks:
    """A text with spaces in place of some of its parts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        self._parts.append((start, end))

    @property
    def text(self) -> str:
        kept, last = [], 0
        for start, end in sorted(self._parts):
            kept += [self._text[last:start], _NO_LINE_END.sub(" ", self._text[start:end])]
            last = end
        return "".join([*kept, self._text[last:]])


def _line(piece: Piece, text: str, start: int) -> int | None:
    return None if piece.line is None else piece.line + text.count("\n", 0, start)


def _at(piece: Piece, text: str, start: int) -> str:
    line = _line(piece, text, start)
    return f" ({piece.place})" if piece.place else f" (line {line})" if line else ""


# -- other forms of a text: what its escapes mean ----------------------------------------------------------------------


def _other_forms(text: str) -> Iterator[str]:
    """The text as a program may see it, if that differs: without escapes, doubled quotes and entities, and joined."""
    seen = {text}
    plain = html.unescape(_unescaped(text)) if "\\" in text or "&" in text else text
    single = plain.replace("''", "'").replace('""', '"')
    for form in (single, unquote(text) if _PERCENT.search(text) else text, plain, _JOINT.sub("", plain)):
        if form not in seen:
            seen.add(form)
            yield form


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    decoded = _ESCAPE.sub(_character, text)
    return _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), decoded)


def _character(found: re.Match[str]) -> str:
    code = next((group for group in found.groups()[:4] if group is not None), None)
    number = int(code, 16) if code else int(found[5], 8) if found[5] else None
    if number is not None:
        return chr(number) if number < 0x110000 else " "
    return "" if found[6] else _WHITE.get(found[7], found[7])


# -- the pieces of a file ----------------------------------------------------------------------------------------------


def _pieces(found: TestFile) -> Iterable[Piece]:
    try:
        content = read_bytes(found.path, LARGEST_TEXT)
    except InputError as error:
        raise _UnreadableError(error.message) from None
    if found.suffix in _SHEETS:
        return [Piece(text, None, place) for place, text in _cells(content)]
    if found.suffix in _XML:
        return _xml(content)
    return [_decoded(content)]


def _decoded(content: bytes, encoding: str = "utf-8") -> Piece:
    if content.startswith(_WIDE):
        encoding = "utf-16"
    elif b"\0" in content:
        raise _UnreadableError("is not a text file")
    try:
        return Piece(content.decode(encoding), is_exact=encoding == "utf-8")
    except (UnicodeDecodeError, LookupError):
        raise _UnreadableError(f"is not {encoding.upper()} text") from None


def _xml(content: bytes) -> list[Piece]:
    """The text of an XML file as it is, and without its markup and entities."""
    said: list[str] = []
    values: list[str] = []
    encodings = ["utf-8"]
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = said.append
    parser.StartElementHandler = lambda _, attributes: values.extend(
        value for name, value in attributes.items() if not name.startswith("xmlns")
    )
    parser.XmlDeclHandler = lambda _, encoding, __: encodings.append(encoding.lower() if encoding else "utf-8")

    def refuse(*_: object) -> None:
        raise _UnreadableError("declares entities, which may expand without end")

    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise _UnreadableError(f"is not XML: {expat.ErrorString(error.code)} (line {error.lineno})") from None
    except (LookupError, ValueError):
        raise _UnreadableError(f"is in the encoding '{encodings[-1]}', which is not known") from None
    return [_decoded(content, encodings[-1]), Piece("".join(said), None), Piece("\n".join(values), None)]


# -- spreadsheets in Office Open XML: a damaged or huge file is refused, not read in part ------------------------------

_LARGEST = 64 << 20
_MOST_CELLS = 2_000_000
_BY_OPENPYXL = ("xl/worksheets/sheet", "xl/sharedStrings", "xl/styles", "xl/theme", "xl/calcChain")


def _cells(content: bytes) -> list[tuple[str, str]]:
    """The places and texts of all cells: constants, formulas and their last results; and comments and other texts."""
    try:
        import openpyxl
    except ImportError:
        raise UnavailableError("openpyxl is not installed", hint="pip install 'kgprobe[warehouse]'") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _LARGEST:
                raise _UnreadableError(f"is larger than {_LARGEST >> 20} MB when it is unpacked")
            found = list(_other_texts(archive))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts that openpyxl does not know
            for only_values in (False, True):
                book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=only_values)
                found += _in_sheets(book)
                book.close()
    except _UnreadableError:
        raise
    except Exception as error:  # openpyxl has no type for what damaged files cause
        raise _UnreadableError(f"is not a spreadsheet that can be read: {one_line(str(error))}") from None
    return list(dict.fromkeys(found))


def _in_sheets(book: object) -> Iterator[tuple[str, str]]:
    count = 0
    for sheet in book.worksheets:  # type: ignore[attr-defined]  # openpyxl has no types
        sheet.reset_dimensions()  # a file may state wrong ones
        for row in sheet.iter_rows():
            count += len(row) + 1
            if count > _MOST_CELLS:
                raise _UnreadableError(f"has more than {_MOST_CELLS:,} cells")
            for cell in row:
                if cell.value is not None:
                    yield f"{sheet.title}!{cell.coordinate}", str(cell.value)


def _other_texts(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """The texts of comments, drawings and properties. Raise if any part declares entities."""
    for member in archive.infolist():
        if not member.filename.endswith((".xml", ".rels", ".vml")):
            continue
        said: list[str] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        if not member.filename.startswith(_BY_OPENPYXL):
            parser.CharacterDataHandler = said.append
        parser.StartDoctypeDeclHandler = _refuse
        parser.Parse(archive.read(member), True)
        if text := " ".join(said).strip():
            yield member.filename.rpartition("/")[2], text


def _refuse(*_: object) -> None:
    raise _UnreadableError("declares a document type, which spreadsheets do not need")
