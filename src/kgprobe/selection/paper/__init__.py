"""The selection of "Efficient Regression Testing of Ontology-Driven Systems" (Kim and others, 2012), to the letter.

It stays for comparison: it is not safe for every test. The default selection is elsewhere, and does not use it.
"""
