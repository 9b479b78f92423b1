"""Facts as English sentences and questions.

Entry point: the functions of `sentences`, which take a claim and return a `Template`. `labels` has the words of a
relation, given or made from its label; `nouns` is about single words: articles, plurals, names of classes.
"""
