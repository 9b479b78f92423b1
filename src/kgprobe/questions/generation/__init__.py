"""Cases from facts, a schema and rules, made inside the database.

The entry point is `generating.generate`. In reading order: `closure` (all that follows from the facts), `bindings` (the
relations to which a rule applies), `joins` and `sampling` (the facts that match its premises), `refutation` (why an
answer is no), `replacements` (extended questions), `texts` and `wordings` (from numbers to text).
"""
