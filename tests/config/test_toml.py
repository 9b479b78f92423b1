"""Positions of keys and values in a TOML file."""

from __future__ import annotations

import pytest

from kgprobe.config.toml import KeyPath, find_places

# QQQ stands for three double quotes.
TEXT = r"""# a comment with [brackets] and = signs
top = 1
[graph] # [not.this]
seeds = ["a.ttl", # first = 1
  'b.ttl',
]
"quoted key" = QQQ
[not.a.table]
x = \"2QQQ
dotted.inner = 'it'
[mutation]
weights = { A = 1, "B c" = {deep = [[1], [2, 3]]} }
[[list]]
x = 1
[[list]]
x = 2
[list.sub]
y = '''
]
'''
z = true
""".replace("QQQ", '"' * 3)


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("top",), 2, 1),
        (("graph",), 3, 1),
        (("graph", "seeds"), 4, 1),
        (("graph", "quoted key"), 7, 1),
        (("graph", "dotted"), 10, 1),
        (("graph", "dotted", "inner"), 10, 1),
        (("mutation", "weights", "A"), 12, 13),
        (("mutation", "weights", "B c"), 12, 20),
        (("mutation", "weights", "B c", "deep"), 12, 29),
        (("list", 0, "x"), 14, 1),
        (("list", 1), 15, 1),
        (("list", 1, "x"), 16, 1),
        (("list", 1, "sub", "z"), 21, 1),
        (("graph", "missing"), 3, 1),
        (("graph", "seeds", 7), 4, 1),
        (("nowhere",), None, None),
    ],
)
def test_keys(path: KeyPath, line: int | None, column: int | None) -> None:
    where = find_places(TEXT, "p.toml").key(path)
    assert (where.file, where.line, where.column) == ("p.toml", line, column)


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("top",), 2, 7),
        (("graph", "seeds"), 4, 9),
        (("graph", "seeds", 0), 4, 10),
        (("graph", "seeds", 1), 5, 3),
        (("graph", "quoted key"), 7, 16),
        (("mutation", "weights", "A"), 12, 17),
        (("mutation", "weights", "B c", "deep", 1, 1), 12, 46),
        (("list", 1, "sub", "y"), 18, 5),
    ],
)
def test_values(path: KeyPath, line: int, column: int) -> None:
    where = find_places(TEXT, "p.toml").value(path)
    assert (where.line, where.column) == (line, column)
