"""OBO 1.2 and 1.4: text to triples, by the translation of OBO to OWL.

`reader.read` is the entry point. It reads `header` clauses first, then frames with the handlers of `clauses` and
`axioms`, which parse `text` and add triples to a `document`.
"""

from kgprobe.formats.obo.reader import read

__all__ = ["read"]
