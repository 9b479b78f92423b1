"""The rules of inference: one TOML file for each built-in rule, and the reader of such files.

Entry points: `reading.built_in` gives the built-in rules by name, `reading.read_rule` reads a file, and
`reading.chosen_rules` gives the rules that a user asks for. Start with `transitive.toml`, then `syntax`, which has the
values that a rule consists of.
"""
