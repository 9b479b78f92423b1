"""The command line: one module for each command, named like it.

`app` finds the command, runs it, and turns errors into exit codes. `options` has the options that commands share, and
reads the graphs that they name. `progress` shows progress on stderr. `select` has its options in `selection_options`,
and its jobs other than a plan in `selection_jobs`. `query` and `questions` are groups, with modules named like them for
their commands; `questions_run` shares the options and the code of `test`.
"""

from kgprobe.cli.app import main

__all__ = ["main"]
