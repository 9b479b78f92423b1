"""What joins methods with stored results.

`store_cases` makes the judged mutants of a campaign again, for learned masks; `locating` finds the steps of failing
mutants that cause their failures.
"""
