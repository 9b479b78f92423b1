"""Facts as English sentences and questions.

Entry point: the functions of `sentences`, which take a claim and return a `Template`. Read `words` (how a relation is
worded), `labels` (words made from a label), `templates`, then `sentences`; `articles`, `nouns` and `plurals` are about
single words.
"""
