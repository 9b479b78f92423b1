"""Oracles: they judge observations.

`protocol` defines the interface: an oracle names the inputs that it needs observations on, and gives a verdict. Then
read `status`, the simplest oracle, and `verdicts`, which combines the verdicts of several. The others are `outputs`,
`unchanged`, `predicate` and `differential`, with `facts` to compare answers. `signatures` recognises failures, `known`
lists known ones, and `wording` shortens messages. `kgprobe.config.oracles` creates the oracles of a profile.
"""
