"""What joins methods with each other or with stored results.

`operator_trials` tries mined operators on graphs, and repairs or drops those that leave OWL 2 EL.
"""
