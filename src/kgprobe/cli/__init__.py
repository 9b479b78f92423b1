"""The command line: one small file for each command, and one place where errors become exit codes."""

from kgprobe.cli.app import main

__all__ = ["main"]
