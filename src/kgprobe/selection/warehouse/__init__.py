"""Databases that are loaded from an ontology: which tests in SQL a change of the ontology can affect.

`selection.sql` says which rows of which stored tables can matter to the result of a statement.

- `with_profile` compares these rows in two versions, if a loading profile (`profile`) says what the tables hold.
  `layout` has the edges between terms that a loader follows, `rows` the rows that it makes, and `affected` the terms
  whose rows a change can affect.
- `without_profile` finds the terms that a statement can see if nobody says what the tables hold.
"""
