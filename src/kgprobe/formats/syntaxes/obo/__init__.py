"""OBO 1.2 and 1.4: text to triples, by the translation of OBO to OWL.

`reader.read` is the entry point. It reads `header` clauses first, then frames with the handlers of `clauses` and
`axioms`, which parse `text` and add triples to a `document`.
"""

import re

from kgprobe.formats.format import Beginning, Format, first_token
from kgprobe.formats.source import Source
from kgprobe.rdf.table import TableBuilder

_START = re.compile(
    r"(?:!.*\n\s*)*(?:\[(?:Term|Typedef|Instance)\]|(?:format-version|data-version|ontology|date|saved-by"
    r"|auto-generated-by|default-namespace|subsetdef|synonymtypedef|idspace|remark|import)\s*:\s)"
)


def _read(
    source: Source, _format: Format, builder: TableBuilder, _base: str | None
) -> tuple[dict[str, str], list[str]]:
    from kgprobe.formats.syntaxes.obo.reader import read

    return read(source.text(), source.name, builder), []


def _likelihood(beginning: Beginning) -> int:
    return 1 if beginning.claimed == "obo" else 0


FORMATS = (
    Format(
        name="obo",
        title="OBO",
        extensions=("obo",),
        read=_read,
        starts=first_token(_START),
        likelihood=_likelihood,
    ),
)
