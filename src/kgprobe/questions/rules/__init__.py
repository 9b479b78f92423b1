"""The rules of inference: one TOML file for each built-in rule, and `language`, which reads such files.

Entry points: `language.built_in` gives the built-in rules by name, `language.read_rule` reads a file, and
`language.chosen_rules` gives the rules that a user asks for. Start with `transitive.toml`. To add a rule, add a file.
"""
