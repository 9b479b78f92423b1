"""The command line: one module for each command, named like it.

`app` finds the command, runs it, and turns errors into exit codes. `options` has the options that commands share,
`progress` and `campaign_progress` show progress on stderr. `select` has a module for each of its jobs.
"""

from kgprobe.cli.app import main

__all__ = ["main"]
