"""The command line: one module for each command, named like it.

`app` finds the command, runs it, and turns errors into exit codes. `options` has the options that commands share, and
reads the graphs that they name. `progress` shows progress on stderr. `select` has its options in `selection_options`,
and its jobs other than a plan in `selection_jobs`. `query` and `questions` are groups; `question_answers`
has the commands that ask questions and read answers. `campaign` is what `test` and `questions run` share.
"""

from kgprobe.cli.app import main

__all__ = ["main"]
