"""The language server, as an editor sees it: the real program, over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from kgprobe.lsp.editing import Lines

ONTOLOGY = """\
@prefix : <http://example.org/town#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<http://example.org/town> a owl:Ontology .

:Person a owl:Class ; rdfs:comment "A human being." .
:City a owl:Class ; owl:disjointWith :Person .
:T_0001 a owl:Class ; rdfs:label "market square" .

:livesIn a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :City .
:isHomeOf a owl:ObjectProperty ; owl:inverseOf :livesIn .
:mayor a owl:ObjectProperty ; rdfs:domain :City ; rdfs:range :Person .
:age a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:integer .
"""
PREFIXES = "# kgprobe: ontology town.ttl\nPREFIX : <http://example.org/town#>\n"
LABEL = '  ?home <http://www.w3.org/2000/01/rdf-schema#label> "🏠" . '
WRONG = PREFIXES + "SELECT * WHERE {\n  ?home a :City .\n" + LABEL + "?home :livesIn ?who .\n}\n"
SECONDS = 30


class Editor(LanguageClient):
    """A client that opens documents in a folder, and waits for the diagnostics of a version."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        register_lsp_features(self, DEFAULT_CLIENT_FEATURES | {types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _publish})
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.folder = Path()
        self._versions = 0

    def show(self, text: str, name: str) -> str:
        """Open a document."""
        uri = (self.folder / name).as_uri()
        self.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "sparql", 0, text)))
        return uri

    def type(self, uri: str, text: str) -> int:
        """Replace the text of a document. The number of its new version."""
        self._versions += 1
        changed = types.VersionedTextDocumentIdentifier(self._versions, uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(types.DidChangeTextDocumentParams(changed, [change]))
        return self._versions

    async def problems(self, uri: str, version: int = 0) -> list[types.Diagnostic]:
        """The diagnostics of a version of a document, as soon as they arrive."""
        async with asyncio.timeout(SECONDS):
            while (found := self.published.get(uri)) is None or (found.version or 0) < version:
                await asyncio.sleep(0.01)
        return list(found.diagnostics)


def _publish(client: Editor, params: types.PublishDiagnosticsParams) -> None:
    client.published[params.uri] = params


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    scope="module",
    config=ClientServerConfig([sys.executable, "-m", "kgprobe", "lsp", "--ontology", "town.ttl"], Editor),
)
async def editor(lsp_client: Editor, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[None]:
    lsp_client.folder = tmp_path_factory.mktemp("town")
    (lsp_client.folder / "town.ttl").write_text(ONTOLOGY, encoding="utf-8")
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"), root_uri=lsp_client.folder.as_uri()
        )
    )
    yield
    await lsp_client.shutdown_session()


pytestmark = pytest.mark.asyncio(loop_scope="module")


def _at(uri: str, text: str, marked: str, inside: int = 1) -> tuple[types.TextDocumentIdentifier, types.Position]:
    """A place in a text: some characters into the last occurrence of a piece of it, in units of UTF-16."""
    before = text[: text.rindex(marked) + inside]
    line = before.rpartition("\n")[2]
    position = types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)
    return types.TextDocumentIdentifier(uri), position


async def test_a_wrong_pattern_is_underlined_in_units_of_utf16(editor: Editor) -> None:
    uri = editor.show(WRONG, "wrong.rq")
    [problem] = await editor.problems(uri)
    assert problem.severity == types.DiagnosticSeverity.Error
    assert problem.source == "kgprobe"
    assert (problem.range.start.line, problem.range.end.line) == (4, 4)
    assert problem.range.start.character == len(LABEL) + 1  # the house is one character, and two units
    assert problem.range.end.character == len(LABEL) + 1 + len("?home :livesIn ?who")
    assert "City" in problem.message
    assert problem.related_information


async def test_diagnostics_follow_the_text(editor: Editor) -> None:
    uri = editor.show(WRONG, "follow.rq")
    assert await editor.problems(uri)
    version = editor.type(uri, WRONG.replace(":livesIn", ":isHomeOf"))
    assert await editor.problems(uri, version) == []
    version = editor.type(uri, WRONG.replace(":livesIn", ":livesInn"))
    assert [each.code for each in await editor.problems(uri, version)] == ["unknown-term"]


async def test_unfinished_text_has_its_mistakes_and_a_syntax_error(editor: Editor) -> None:
    text = WRONG.replace("?who .\n}\n", "?who .\n  ?who :ag")
    uri = editor.show(text, "unfinished.rq")
    codes = [each.code for each in await editor.problems(uri)]
    assert "syntax" in codes
    assert "contradiction" in codes


async def test_a_quick_fix_makes_the_error_go_away(editor: Editor) -> None:
    uri = editor.show(WRONG, "fix.rq")
    [problem] = await editor.problems(uri)
    actions = await editor.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri), problem.range, types.CodeActionContext(diagnostics=[problem])
        )
    )
    assert actions
    for action in actions:
        assert isinstance(action, types.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        text = WRONG
        for edit in sorted(action.edit.changes[uri], key=lambda each: each.range.start.character, reverse=True):
            assert isinstance(edit, types.TextEdit)
            assert edit.range.start.line == edit.range.end.line == 4
            lines = text.split("\n")
            units = lines[4].encode("utf-16-le")
            start, end = 2 * edit.range.start.character, 2 * edit.range.end.character
            lines[4] = (units[:start] + edit.new_text.encode("utf-16-le") + units[end:]).decode("utf-16-le")
            text = "\n".join(lines)
        version = editor.type(uri, text)
        assert await editor.problems(uri, version) == [], action.title


async def test_hover_shows_what_a_name_means(editor: Editor) -> None:
    uri = editor.show(WRONG, "hover.rq")
    found = await editor.text_document_hover_async(types.HoverParams(*_at(uri, WRONG, ":livesIn")))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert "object property" in found.contents.value
    assert "Person → City" in found.contents.value


async def test_hover_shows_what_a_variable_is_and_why(editor: Editor) -> None:
    uri = editor.show(WRONG, "hover_variable.rq")
    found = await editor.text_document_hover_async(types.HoverParams(*_at(uri, WRONG, "?who")))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert "**?who**: City" in found.contents.value
    assert "line 5" in found.contents.value
    assert "livesIn Range City" in found.contents.value


async def test_the_definition_of_a_name_is_in_the_ontology(editor: Editor) -> None:
    uri = editor.show(WRONG, "definition.rq")
    found = await editor.text_document_definition_async(types.DefinitionParams(*_at(uri, WRONG, ":livesIn")))
    assert isinstance(found, types.Location)
    assert found.uri == (editor.folder / "town.ttl").as_uri()
    assert ONTOLOGY.split("\n")[found.range.start.line].startswith(":livesIn")


async def _completed(editor: Editor, text: str, name: str, marked: str, inside: int) -> list[types.CompletionItem]:
    uri = editor.show(text, name)
    found = await editor.text_document_completion_async(types.CompletionParams(*_at(uri, text, marked, inside)))
    assert isinstance(found, types.CompletionList)
    return sorted(found.items, key=lambda item: item.sort_text or "")


async def test_completion_offers_properties_that_fit_the_subject_first(editor: Editor) -> None:
    text = PREFIXES + "SELECT * WHERE {\n  ?town a :City .\n  ?town :"
    labels = [item.label for item in await _completed(editor, text, "properties.rq", "?town :", len("?town :"))]
    assert labels[:2] == [":isHomeOf", ":mayor"]  # one of them by its inverse
    assert labels.index(":mayor") < labels.index(":age")
    assert ":Person" not in labels


async def test_completion_offers_classes_by_label(editor: Editor) -> None:
    text = PREFIXES + "SELECT * WHERE {\n  ?place a "
    items = await _completed(editor, text, "classes.rq", "a ", 2)
    [market] = [item for item in items if item.label == "market square"]
    assert isinstance(market.text_edit, types.TextEdit)
    assert market.text_edit.new_text == ":T_0001"


async def test_completion_offers_variables(editor: Editor) -> None:
    text = PREFIXES + "SELECT * WHERE {\n  ?place :mayor ?person .\n  ?p"
    labels = [item.label for item in await _completed(editor, text, "variables.rq", "  ?p", 4)]
    assert sorted(labels) == ["?person", "?place"]


async def test_an_ontology_that_does_not_exist_is_reported_where_it_is_named(editor: Editor) -> None:
    uri = editor.show(WRONG.replace("town.ttl", "twon.ttl"), "missing.rq")
    [problem] = await editor.problems(uri)
    assert problem.code == "ontology"
    assert problem.range.start.line == 0
    assert "twon.ttl" in problem.message


async def test_a_changed_ontology_is_loaded_again(editor: Editor) -> None:
    own = editor.folder / "own.ttl"
    own.write_text(ONTOLOGY, encoding="utf-8")
    text = WRONG.replace("town.ttl", "own.ttl")
    uri = editor.show(text, "changed.rq")
    assert await editor.problems(uri)
    own.write_text(ONTOLOGY.replace("owl:disjointWith :Person", "rdfs:seeAlso :Person"), encoding="utf-8")
    version = editor.type(uri, text + "\n")
    assert await editor.problems(uri, version) == []


async def test_the_client_names_the_ontology_of_documents_that_name_none(editor: Editor) -> None:
    uri = editor.show(WRONG.partition("\n")[2], "client.rq")
    assert [each.code for each in await editor.problems(uri)] == ["contradiction"]


def _applied(text: str, edits: Sequence[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit]) -> str:
    """A text after edits, as an editor makes them."""
    lines = Lines(text)
    for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
        assert isinstance(edit, types.TextEdit)
        start, end = (lines.offset(point.line, point.character) for point in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    return text


async def test_a_chosen_completion_declares_its_prefix(editor: Editor) -> None:
    text = "# kgprobe: ontology town.ttl\nSELECT * WHERE {\n  ?x a ?kind ; sk"
    [skos] = [item for item in await _completed(editor, text, "prefix.rq", "sk", 2) if item.label == "skos:"]
    assert isinstance(skos.text_edit, types.TextEdit)
    written = _applied(text, [skos.text_edit, *(skos.additional_text_edits or ())])
    assert written == (
        "# kgprobe: ontology town.ttl\nPREFIX skos: <http://www.w3.org/2004/02/skos/core#>\n"
        "SELECT * WHERE {\n  ?x a ?kind ; skos:"
    )


async def test_formatting(editor: Editor) -> None:
    uri = editor.show(WRONG, "format.rq")
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    document = types.TextDocumentIdentifier(uri)
    edits = await editor.text_document_formatting_async(types.DocumentFormattingParams(document, options))
    assert edits is not None
    assert '    ?home <http://www.w3.org/2000/01/rdf-schema#label> "🏠" .\n    ?home' in _applied(WRONG, edits)


async def test_rename_references_and_highlights(editor: Editor) -> None:
    uri = editor.show(WRONG, "rename.rq")
    document, place = _at(uri, WRONG, "?home :livesIn")
    known = await editor.text_document_prepare_rename_async(types.PrepareRenameParams(document, place))
    assert isinstance(known, types.PrepareRenamePlaceholder)
    assert known.placeholder == "home"
    renamed = await editor.text_document_rename_async(types.RenameParams(document, place, "?town"))
    assert renamed is not None
    assert renamed.changes is not None
    assert _applied(WRONG, renamed.changes[uri]) == WRONG.replace("?home", "?town")
    context = types.ReferenceContext(include_declaration=True)
    found = await editor.text_document_references_async(types.ReferenceParams(context, document, place))
    assert found is not None
    assert len(found) == 3
    shown = await editor.text_document_document_highlight_async(types.DocumentHighlightParams(document, place))
    assert shown is not None
    assert [each.range for each in shown] == [each.range for each in found]
    with pytest.raises(JsonRpcException, match=r"\?who is another variable here"):
        await editor.text_document_rename_async(types.RenameParams(document, place, "who"))


async def test_symbols(editor: Editor) -> None:
    uri = editor.show(WRONG, "symbols.rq")
    document = types.TextDocumentIdentifier(uri)
    found = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert found is not None
    assert [each.name for each in found] == [":", "SELECT *"]
