"""The kinds of sources that cases come from: mutants of seed graphs, and graphs that the user has.

Start with `catalogue`, which finds the kind that a profile asks for. Each other module implements the protocols of
`kgprobe.campaign.source` for one kind.
"""
