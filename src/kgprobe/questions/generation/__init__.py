"""Cases from facts, a schema and rules, made inside the database.

The entry point is `steps.generate`, which calls the other modules in this order: `knowledge` (a graph with its schema)
and `closure` (all that follows from the facts), `premises` (the relations to which a rule applies, and the facts that
match), `samples` (which of them), `refutation` (why an answer is yes or no), `conclusions` (the claims of a case),
`further_questions` (extended questions and other forms), and `texts` (from numbers to text). `engines` runs the SQL.
"""
