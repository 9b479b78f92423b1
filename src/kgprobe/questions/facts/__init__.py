"""The facts of a graph in a DuckDB file: integers instead of terms, so that joins over millions of facts are fast.

The entry point is `loading.open_facts`. Read `database` (the file, and the meaning of its tables), `sources` (files,
folders and endpoints), `loading` (from these into the database, with resuming), and `names` (which terms stand for the
same thing, and how it is called). `spark` has the same tables on Spark, and the differences in SQL.
"""
