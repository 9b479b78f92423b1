"""Changed tests: the tests that were edited since a revision, or that use an edited file.

The entry points are `judgement.ChangedTests` and `judgement.with_changed_tests`. Reading order: `edits` (the changed
files), `dependencies` (the files that a Python test needs), `judgement`.
"""
