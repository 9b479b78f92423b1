"""Print the answers of a query: python answers.py QUERY GRAPH..."""

import sys
from pathlib import Path

from pyoxigraph import RdfFormat, Store

store = Store()
for path in sys.argv[2:]:
    store.load(path=path, format=RdfFormat.TURTLE)
rows = list(store.query(Path(sys.argv[1]).read_text(encoding="utf-8")))
print(f"answers: {len(rows)}")
for row in rows:
    print("  " + ", ".join(term.value.rpartition("#")[2] for term in row))
