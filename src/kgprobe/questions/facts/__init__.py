"""The facts of a graph in a DuckDB file: integers instead of terms, so that joins over millions of facts are fast.

The entry point is `loading.open_facts`. Read `database` (the file, and the meaning of its tables), `sources` (files,
folders and endpoints), `loading` (from these into the database, with resuming), `dictionary` (terms to integers),
`things` (which terms stand for the same thing), and `names` (how a thing is called in a question). `spark` has the same
tables on Spark, and `dialect` the differences in SQL.
"""
