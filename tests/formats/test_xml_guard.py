"""Malicious XML does no harm, and the XML features that real ontologies use are allowed."""

from __future__ import annotations

import io

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.xml_guard import check, root

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
BODY = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="&ex;" xmlns:ex="&ex;">\n<!-- c --></rdf:RDF>'
NAMESPACE = '<!ENTITY ex "http://example.org/#">'


def checked(text: str | bytes) -> dict[str, str]:
    return check(io.BytesIO(text.encode() if isinstance(text, str) else text), "x.rdf").prefixes


def with_doctype(declarations: str, body: str = BODY) -> str:
    return f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [{declarations}]>\n{body}'


def test_entities_for_namespaces_are_read() -> None:
    assert checked(with_doctype(NAMESPACE)) == {
        "rdf": RDF,
        "": "http://example.org/#",
        "ex": "http://example.org/#",
    }


def test_a_doctype_that_names_a_file_does_not_read_it() -> None:
    assert checked('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a xmlns:x="urn:x"/>') == {"x": "urn:x"}


@pytest.mark.parametrize(
    ("declarations", "message"),
    [
        ('<!ENTITY a "b"><!ENTITY ex "&a;&a;">', "the entity 'ex' is refused: it is not a short text"),
        ('<!ENTITY ex "&ex;">', "the entity 'ex' is refused: it is not a short text"),
        ('<!ENTITY ex "&#38;a;">', "the entity 'ex' is refused: it is not a short text"),
        ('<!ENTITY ex "&#60;a/>">', "the entity 'ex' is refused: it is not a short text"),
        (f'<!ENTITY ex "{"x" * 201}">', "the entity 'ex' is refused: it is not a short text"),
        ('<!ENTITY ex SYSTEM "file:///etc/passwd">', "the entity 'ex' is refused: only short texts"),
        ('<!ENTITY ex PUBLIC "p" "http://example.org/">', "the entity 'ex' is refused: only short texts"),
        ('<!NOTATION n SYSTEM "n"><!ENTITY ex SYSTEM "f" NDATA n>', "the entity 'ex' is refused: only short texts"),
        ('<!ENTITY % p "text">', "the entity 'p' is refused: only short texts"),
        ('<!ENTITY % p SYSTEM "http://example.org/"> %p;', "the entity 'p' is refused: only short texts"),
        ('<!ATTLIST rdf:RDF ex CDATA "x">', "a default for the attribute 'ex' is refused"),
        ("", "not XML: undefined entity"),
    ],
)
def test_unneeded_declarations_are_refused(declarations: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        checked(with_doctype(declarations))
    assert str(raised.value).startswith("x.rdf:")
    assert message in str(raised.value)


def test_an_entity_of_an_unread_doctype_is_reported() -> None:
    with pytest.raises(InputError, match="2:4: the entity 'b' is not declared in this file"):
        checked('<!DOCTYPE a SYSTEM "a.dtd">\n<a>&b;</a>')


@pytest.mark.parametrize("count", [100_000, 1_000_000])
def test_many_references_to_one_entity_are_refused(count: int) -> None:
    longest = f'<!ENTITY ex "{"x" * 200}">'
    with pytest.raises(InputError, match="its entities expand it to more than 10 times its length"):
        checked(with_doctype(longest, f"<a>{'&ex;' * count}</a>"))


@pytest.mark.parametrize("padding", [0, 100, 300_000])
def test_a_second_declaration_is_refused(padding: int) -> None:
    # expat would report only the first one, and pyoxigraph would use the last one.
    twice = f"<!-- <!ENTITY ex 'x'> -->{NAMESPACE}{' ' * padding}<!ENTITY ex '{'x' * 100_000}'>"
    with pytest.raises(InputError, match="the entity 'ex' is refused: it is declared more than once"):
        checked(with_doctype(twice))
    with pytest.raises(InputError, match="the entity 'ex' is refused: it is declared more than once"):
        checked(f"<!--{' ' * padding}-->" + with_doctype(twice).partition("\n")[2])


def test_a_second_declaration_in_a_comment_or_text_is_ignored() -> None:
    body = BODY.replace("<!-- c -->", f"<!-- {NAMESPACE} --><![CDATA[{NAMESPACE}]]>")
    checked(with_doctype(f"<!-- {NAMESPACE}\n{NAMESPACE} -->{NAMESPACE}", body))


def test_as_many_references_as_real_files_have_are_read() -> None:
    # Protégé writes each IRI with an entity, so a tenth of the text consists of entities.
    description = '<rdf:Description rdf:about="&ex;Something"/>\n' * 50_000
    checked(with_doctype(NAMESPACE, f'<rdf:RDF xmlns:rdf="{RDF}">{description}</rdf:RDF>'))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "1:1: not XML: no element found"),
        (b"<a>", "1:4: not XML: no element found"),
        (b"<a>\n<b></a>", "2:6: not XML: mismatched tag"),
        (b"<a/><b/>", "1:5: not XML: junk after document element"),
        (b"<a>\xff</a>", "1:4: not XML: not well-formed (invalid token)"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "1:1: not XML: unknown encoding: klingon"),
        (b"<a b='1' b='2'/>", "not XML: duplicate attribute"),
    ],
)
def test_malformed_xml_is_reported_with_its_position(text: bytes, message: str) -> None:
    with pytest.raises(InputError) as raised:
        checked(text)
    assert message in str(raised.value)


def test_a_long_text_is_read_in_few_chunks() -> None:
    # expat scans an unfinished tag again with each chunk: many chunks of one size would take quadratic time.
    class Counted(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1) -> bytes:
            self.reads += 1
            return super().read(size)

    stream = Counted(b"<a>" + b" " * 64_000_000 + b"</a>")
    check(stream, "x.rdf")
    assert stream.reads < 60


def test_deep_nesting_is_refused() -> None:
    assert checked("<a>" * 5000 + "</a>" * 5000) == {}
    with pytest.raises(InputError, match="1:15001: nested more than 5,000 levels deep"):
        checked("<a>" * 5001 + "</a>" * 5001)


@pytest.mark.parametrize(
    "head", [b"", b"text", b"<", b"<a", b"<?xml version='1.0' encoding='klingon'?>", b"<a b='&x;'>"]
)
def test_a_beginning_without_an_element_has_no_root(head: bytes) -> None:
    assert root(head) is None


def test_the_root_is_found_in_a_beginning() -> None:
    found = root(b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'f'>]><rdf:RDF xmlns:rdf='urn:r'><cut off")
    assert found is not None
    assert (found.name, found.prefixes) == ("RDF", {"rdf": "urn:r"})
