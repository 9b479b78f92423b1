"""Reports that commands write to files. A report replaces an earlier one: a CI server writes it again and again."""

from __future__ import annotations

from kgprobe.written_files import OwnKind

__all__ = ["JUNIT", "SARIF"]

JUNIT = OwnKind("a report", lambda start: start.startswith(b"<") and b"<testsuite" in start)
SARIF = OwnKind("a report in SARIF", lambda start: start.startswith(b"{") and b"sarif" in start.lower())
