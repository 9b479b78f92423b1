"""Oracles: they judge observations.

`protocol` defines the interface: an oracle names the inputs that it needs observations on, and gives a verdict; the
verdicts of several oracles are combined there, too. Then read `single_run`, which has the simplest oracles. The others
are in `differential`, with `facts` to compare answers and show their differences, and in `inference`, which asks for
premises before conclusions.
`signatures` recognises failures and known bugs. `kgprobe.campaign.harness` creates the oracles of a profile.
"""
