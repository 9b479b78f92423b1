"""The language server: what an editor asks, in the words of the protocol, and the answers of the other modules.

Checks run in a thread, a moment after the last keystroke; a newer text makes an older check superfluous. The whole text
is sent with each change, because offsets must count lines as the protocol does, and in UTF-16.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from kgprobe.errors import InputError, KgprobeError, Position, one_line
from kgprobe.given_files import read_text
from kgprobe.lsp import editing
from kgprobe.lsp.completion import Completion, completions, prefix_place
from kgprobe.lsp.editing import Lines, range_of
from kgprobe.lsp.hover import definition_of, hover, name_at
from kgprobe.lsp.sessions import Ontologies, Session
from kgprobe.lsp.transport import AnsweringProtocol, Messages
from kgprobe.queries.diagnostics import Diagnostic, Fix, Severity
from kgprobe.queries.files.texts import QueryText
from kgprobe.sparql.algebra import Document, Span
from kgprobe.sparql.comments import directives_in
from kgprobe.sparql.documents import read_document
from kgprobe.version import __version__

__all__ = ["serve"]

_SOURCE = "kgprobe"
_CONFIGURATION = "kgprobe"
_PAUSE = 0.15  # seconds after a keystroke before a check starts
_SEVERITIES = {Severity.ERROR: types.DiagnosticSeverity.Error, Severity.WARNING: types.DiagnosticSeverity.Warning}
_KINDS = {
    "class": types.CompletionItemKind.Class,
    "property": types.CompletionItemKind.Property,
    "individual": types.CompletionItemKind.Value,
    "datatype": types.CompletionItemKind.TypeParameter,
    "variable": types.CompletionItemKind.Variable,
    "keyword": types.CompletionItemKind.Keyword,
    "prefix": types.CompletionItemKind.Module,
}
_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)


def serve(ontologies: tuple[Path, ...] = ()) -> None:
    """Talk to an editor over standard input and output until it ends the session."""
    server = make_server(ontologies)
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    logging.getLogger("pygls").addHandler(handler)
    # pygls closes the files that it is given, and the rest of the program still has standard output.
    with os.fdopen(os.dup(0), "rb") as given, os.fdopen(os.dup(1), "wb") as answers:
        try:
            server.start_io(cast("BinaryIO", Messages(given)), answers)
        finally:
            server.ontologies.close()


class _OneLine(logging.Formatter):
    """What pygls says about a message that it cannot handle. Its traceback would show only code of pygls."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        return f"kgprobe: {one_line(record.getMessage())}{'' if error is None else f': {one_line(str(error))}'}"


class QueryServer(LanguageServer):
    """A server, the ontologies that it has loaded, and those that apply if a document names none."""

    def __init__(self, given: tuple[Path, ...] = ()) -> None:
        kind = types.TextDocumentSyncKind.Full
        super().__init__(_SOURCE, __version__, text_document_sync_kind=kind, protocol_cls=AnsweringProtocol)
        self.ontologies = Ontologies()
        self.given = given
        self.root = Path.cwd()
        self.checks: dict[str, asyncio.Task[None]] = {}

    def opened(self, uri: str) -> TextDocument | None:
        """The document that the editor shows; None if it shows no such document."""
        found: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return found

    def text(self, uri: str) -> str:
        """The text of a document as the editor has it, or as it is in its file. InputError if it cannot be read."""
        document = self.opened(uri)
        if document is not None:
            return str(document.source)
        path = to_fs_path(uri)
        if path is None:
            raise InputError("is not open, and is no file", where=Position(uri))
        return read_text(path)

    def session(self, uri: str, document: Document) -> Session | None:
        """The ontologies of a document."""
        return self.ontologies.session(self.files(uri, document))

    def files(self, uri: str, document: Document) -> list[Path]:
        """The ontologies that a document names, or those of the client."""
        path = to_fs_path(uri)
        folder = Path(path).parent if path else self.root
        named = [
            directive.rest
            for directive in directives_in(document.text, document.comments)
            if directive.word == "ontology"
        ]
        return [folder / name for name in named if name] or [self.root / name for name in self.given]


def make_server(ontologies: tuple[Path, ...] = ()) -> QueryServer:
    """A server with all its features."""
    server = QueryServer(ontologies)
    for name, feature, options in _FEATURES:
        server.feature(name, options)(feature)
    return server


# -- configuration -----------------------------------------------------------------------------------------------------


def _initialized(server: QueryServer, params: types.InitializeParams) -> None:
    root = to_fs_path(params.root_uri) if params.root_uri else None
    if root:
        server.root = Path(root)
    _configure(server, params.initialization_options)


async def _configuration_changed(server: QueryServer, params: types.DidChangeConfigurationParams) -> None:
    settings = _plain(params.settings)
    _configure(server, settings.get(_CONFIGURATION, settings) if isinstance(settings, dict) else None)
    await _check_all(server)


async def _files_changed(server: QueryServer, _: types.DidChangeWatchedFilesParams) -> None:
    await _check_all(server)


def _configure(server: QueryServer, settings: Any) -> None:
    """Take the ontologies from the settings of a client: `{"ontology": "FILE"}`, or a list of files."""
    settings = _plain(settings)
    named = settings.get("ontology") if isinstance(settings, dict) else None
    if isinstance(named, str):
        named = [named]
    if isinstance(named, list) and all(isinstance(name, str) for name in named):
        server.given = tuple(map(Path, named))
    elif named is not None:
        _log.warning("the setting 'ontology' is neither a file nor a list of files: %r", named)


def _plain(settings: Any) -> Any:
    """Settings as dictionaries. pygls makes objects of JSON whose type it does not know."""
    if hasattr(settings, "_asdict"):
        return {key: _plain(value) for key, value in settings._asdict().items()}
    if isinstance(settings, dict):
        return {key: _plain(value) for key, value in settings.items()}
    return settings


# -- diagnostics -------------------------------------------------------------------------------------------------------


async def _opened(server: QueryServer, params: types.DidOpenTextDocumentParams) -> None:
    _plan_check(server, params.text_document.uri, 0)


async def _changed(server: QueryServer, params: types.DidChangeTextDocumentParams) -> None:
    _plan_check(server, params.text_document.uri, _PAUSE)


async def _saved(server: QueryServer, params: types.DidSaveTextDocumentParams) -> None:
    _plan_check(server, params.text_document.uri, 0)


def _closed(server: QueryServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    planned = server.checks.pop(uri, None)
    if planned is not None:
        planned.cancel()
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


async def _check_all(server: QueryServer) -> None:
    for uri in list(server.workspace.text_documents):
        _plan_check(server, uri, 0)


def _plan_check(server: QueryServer, uri: str, pause: float) -> None:
    planned = server.checks.pop(uri, None)
    if planned is not None:
        planned.cancel()
    server.checks[uri] = asyncio.create_task(_check_after(server, uri, pause))


async def _check_after(server: QueryServer, uri: str, pause: float) -> None:
    await asyncio.sleep(pause)
    document = server.opened(uri)
    if document is None:
        return
    text, version = str(document.source), document.version
    try:
        found = await asyncio.to_thread(_diagnostics, server, uri, text)
    except Exception:  # a bug in a check must not end the session of the editor
        _log.exception("the check of %s failed", uri)
        return
    shown = server.opened(uri)
    if shown is not None and shown.source == text:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def _diagnostics(server: QueryServer, uri: str, text: str) -> list[types.Diagnostic]:
    lines = Lines(text)
    document = read_document(text, tolerant=True)
    found = [_syntax_error(text, lines)] if document.broken is not None else []
    session = server.session(uri, document)
    if session is None:
        return found
    if session.error is not None:
        return [*found, _about_ontology(session.error, document, lines)]
    report = session.check(document, QueryText.whole(uri, text), has_fixes=False)
    return [*found, *(_diagnostic(diagnostic, uri, lines) for diagnostic in report.diagnostics)]


def _syntax_error(text: str, lines: Lines) -> types.Diagnostic:
    """The mistake in a text that is not SPARQL, as the command line reports it."""
    start = len(text)
    message = "this is not a SPARQL query"
    try:
        read_document(text)
    except InputError as error:
        message = error.message if error.hint is None else f"{error.message} ({error.hint})"
        if error.where is not None and error.where.line is not None:
            line_start = _line_start(text, error.where.line)
            start = min(line_start + (error.where.column or 1) - 1, len(text))
    end = start
    while end < len(text) and not text[end].isspace():
        end += 1
    return _as_diagnostic(
        range_of(lines, Span(start, max(end, start))), message, types.DiagnosticSeverity.Error, "syntax"
    )


def _line_start(text: str, line: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return len(text)
    return start


def _about_ontology(error: KgprobeError, document: Document, lines: Lines) -> types.Diagnostic:
    """An ontology that cannot be used, at the comment that names it, or at the first line."""
    named = [
        directive.span for directive in directives_in(document.text, document.comments) if directive.word == "ontology"
    ]
    span = named[0] if named else Span(0, max(document.text.find("\n"), 0))
    return _as_diagnostic(range_of(lines, span), str(error), types.DiagnosticSeverity.Error, "ontology")


def _diagnostic(found: Diagnostic, uri: str, lines: Lines) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, range_of(lines, Span(each.place.start, each.place.end))), each.message
        )
        for each in found.related
    ]
    reasons = "".join(f"\n  {axiom}" for axiom in found.axioms)
    made = _as_diagnostic(
        range_of(lines, Span(found.place.start, found.place.end)),
        found.message + reasons,
        _SEVERITIES[found.severity],
        found.code,
    )
    made.related_information = related or None
    return made


def _as_diagnostic(place: types.Range, message: str, severity: types.DiagnosticSeverity, code: str) -> types.Diagnostic:
    return types.Diagnostic(place, message, severity=severity, code=code, source=_SOURCE)


# -- quick fixes -------------------------------------------------------------------------------------------------------


async def _code_actions(server: QueryServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    return await _answered(_fixes_in, server, params.text_document.uri, params.range)


def _fixes_in(server: QueryServer, uri: str, place: types.Range) -> list[types.CodeAction]:
    """The fixes for a part of a text. They are made now: each takes a check, which is too slow for each keystroke."""
    text = server.text(uri)
    lines = Lines(text)
    start = lines.offset(place.start.line, place.start.character)
    end = lines.offset(place.end.line, place.end.character)
    document = read_document(text, tolerant=True)
    session = server.session(uri, document)
    if session is None:
        return []
    report = session.check(document, QueryText.whole(uri, text), has_fixes=True)
    return [
        _code_action(fix, found, uri, lines)
        for found in report.diagnostics
        if found.place.start <= end and start <= found.place.end
        for fix in found.fixes
    ]


def _code_action(fix: Fix, found: Diagnostic, uri: str, lines: Lines) -> types.CodeAction:
    edits = [types.TextEdit(range_of(lines, Span(edit.place.start, edit.place.end)), edit.text) for edit in fix.edits]
    return types.CodeAction(
        fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(found, uri, lines)],
        is_preferred=fix.is_safe,
        edit=types.WorkspaceEdit(changes={uri: edits}),
    )


# -- hover, definition and completion ----------------------------------------------------------------------------------


async def _hover(server: QueryServer, params: types.HoverParams) -> types.Hover | None:
    return await _at(server, params, _hover_at)


def _hover_at(text: str, offset: int, document: Document, session: Session | None) -> types.Hover | None:
    if session is None or session.schema is None:
        return None
    found = hover(document, offset, session.schema, session.classes)
    if found is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
    return types.Hover(content, range_of(Lines(text), found.span))


async def _definition(server: QueryServer, params: types.DefinitionParams) -> types.Location | None:
    return await _at(server, params, _definition_at)


def _definition_at(_: str, offset: int, document: Document, session: Session | None) -> types.Location | None:
    named = name_at(document, offset)
    if named is None or session is None:
        return None
    found = definition_of(named[0], session.files)
    if found is None:
        return None
    lines = Lines(found.text)
    start, end = lines.point(found.start), lines.point(found.end)
    place = types.Range(types.Position(found.line, start.character), types.Position(found.line, end.character))
    return types.Location(from_fs_path(str(found.file.resolve())) or "", place)


async def _completion(server: QueryServer, params: types.CompletionParams) -> types.CompletionList | None:
    return await _at(server, params, _completion_at)


def _completion_at(text: str, offset: int, _: Document, session: Session | None) -> types.CompletionList:
    lines = Lines(text)
    found = completions(text, offset, session.schema if session else None)
    return types.CompletionList(False, [_item(completion, text, lines) for completion in found])


def _item(found: Completion, text: str, lines: Lines) -> types.CompletionItem:
    more = None
    if found.prefix is not None:
        prefix, iri = found.prefix
        at, before, after = prefix_place(text, found.start)
        more = [types.TextEdit(range_of(lines, Span(at, at)), f"{before}PREFIX {prefix}: <{iri}>{after}")]
    return types.CompletionItem(
        found.label,
        kind=_KINDS[found.kind],
        detail=found.detail or None,
        sort_text=f"{found.rank:02}{found.label}",
        filter_text=found.search or found.text,
        text_edit=types.TextEdit(range_of(lines, Span(found.start, found.end)), found.text),
        additional_text_edits=more,
    )


# -- editing: these need no ontology -----------------------------------------------------------------------------------


async def _formatting(server: QueryServer, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return await _answered(lambda: editing.formatting(server.text(params.text_document.uri), params.options))


async def _prepare_rename(
    server: QueryServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    return await _answered(lambda: editing.renamable(server.text(params.text_document.uri), params.position))


async def _rename(server: QueryServer, params: types.RenameParams) -> types.WorkspaceEdit:
    uri = params.text_document.uri
    edits = await _answered(lambda: editing.renaming(server.text(uri), params.position, params.new_name))
    return types.WorkspaceEdit(changes={uri: edits})


async def _references(server: QueryServer, params: types.ReferenceParams) -> list[types.Location]:
    uri = params.text_document.uri
    found = await _answered(lambda: editing.occurrences(server.text(uri), params.position))
    return [types.Location(uri, place) for place in found]


async def _highlights(server: QueryServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    found = await _answered(lambda: editing.occurrences(server.text(params.text_document.uri), params.position))
    return [types.DocumentHighlight(place) for place in found]


async def _symbols(server: QueryServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    return await _answered(lambda: editing.symbols(server.text(params.text_document.uri)))


# -- answers -----------------------------------------------------------------------------------------------------------


async def _at(
    server: QueryServer,
    params: types.HoverParams | types.DefinitionParams | types.CompletionParams,
    answer: Callable[[str, int, Document, Session | None], _Answer],
) -> _Answer:
    """The answer about a position."""

    def compute() -> _Answer:
        uri = params.text_document.uri
        text = server.text(uri)
        offset = Lines(text).offset(params.position.line, params.position.character)
        document = read_document(text, tolerant=True)
        return answer(text, offset, document, server.session(uri, document))

    return await _answered(compute)


async def _answered(compute: Callable[..., _Answer], *given: Any) -> _Answer:
    """An answer that is computed in a thread: it may have to read a file or load an ontology first."""
    try:
        return await asyncio.to_thread(compute, *given)
    except KgprobeError as error:
        raise JsonRpcInvalidParams(str(error)) from None


_FEATURES: tuple[tuple[str, Callable[..., Any], Any], ...] = (
    (types.INITIALIZE, _initialized, None),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, _configuration_changed, None),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _files_changed, None),
    (types.TEXT_DOCUMENT_DID_OPEN, _opened, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, _changed, None),
    (types.TEXT_DOCUMENT_DID_SAVE, _saved, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, _closed, None),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        _code_actions,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    ),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (types.TEXT_DOCUMENT_FORMATTING, _formatting, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_REFERENCES, _references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlights, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols, None),
    (types.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (
        types.TEXT_DOCUMENT_COMPLETION,
        _completion,
        types.CompletionOptions(trigger_characters=["?", "$", ":", "<", " ", "/", "^", "|", "("]),
    ),
)
