"""How observations are judged.

`protocol` defines the interface: an oracle names the inputs that it needs observations on, and gives a verdict. Then
read `status`, the simplest oracle, and `verdicts`, which combines the verdicts of several. The others are `outputs`,
`unchanged`, `predicate` and `differential`, with `facts` to compare answers. `signatures` recognises failures, `known`
lists those that are known, and `wording` shortens what is shown. `kgprobe.config.oracles` makes those of a profile.
"""
