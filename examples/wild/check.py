"""Check the queries of public repositories, and join what was found with what a person thinks of it.

    python check.py ../checkouts/fibo ../checkouts/robot > found.csv
    python check.py ../checkouts/fibo --judgements judgements.csv

Each folder is the checkout of a repository. Its name and its commit come from git, or, for a folder OWNER+NAME without
a history, from the folder and from the file OWNER+NAME.commit beside it.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_COLUMNS = ("repository", "commit", "path", "line", "column", "severity", "rule", "message", "verdict", "reason")
_KEY = ("repository", "commit", "path", "line", "rule")


def main() -> int:
    """Print a table of all findings, and a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--judgements", type=Path, help="a table of findings with a verdict and a reason each")
    parser.add_argument("--prefixes", help="prefixes that queries need not declare, for 'kgprobe query check'")
    parser.add_argument("--format", choices=("csv", "json"), default="csv")
    parser.add_argument("--seconds", type=float, default=1800.0, help="the limit for each repository")
    given = parser.parse_args()
    verdicts = _verdicts(given.judgements) if given.judgements else {}
    rows = []
    for checkout in given.checkouts:
        try:
            report = _checked(checkout, given.prefixes, given.seconds)
        except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
            print(f"{checkout}: not checked: {type(error).__name__}", file=sys.stderr)
            continue
        found = list(_rows(checkout, report, verdicts))
        rows += found
        print(_summary(checkout, report, found), file=sys.stderr)
    if given.format == "json":
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


def _checked(checkout: Path, prefixes: str | None, seconds: float) -> dict:
    """The report of kgprobe on a folder. What is no query is said on standard error, and does not count."""
    command = [sys.executable, "-m", "kgprobe", "query", "check", str(checkout), "--no-ontology", "--json"]
    command += ["--prefixes", prefixes] if prefixes else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)  # noqa: S603 - the user's own folder
    return {**json.loads(done.stdout), "unreadable": done.stderr.count("kgprobe: error:")}


def _rows(checkout: Path, report: dict, verdicts: dict[tuple[str, ...], dict[str, str]]) -> Iterator[dict[str, str]]:
    repository, commit = _origin(checkout)
    for each in report["diagnostics"]:
        row = {
            "repository": repository,
            "commit": commit,
            "path": str(Path(each["file"]).relative_to(checkout)),
            "line": str(each["line"]),
            "column": str(each["column"]),
            "severity": each["severity"],
            "rule": each["code"],
            "message": each["message"],
        }
        verdict = verdicts.get(tuple(row[name] for name in _KEY), {})
        yield row | {"verdict": verdict.get("verdict", ""), "reason": verdict.get("reason", "")}


def _origin(checkout: Path) -> tuple[str, str]:
    """The name and the commit of a repository."""
    file = checkout.parent / f"{checkout.name}.commit"
    if file.is_file():
        return checkout.name.replace("+", "/"), file.read_text().strip()
    return (
        _git(checkout, "remote", "get-url", "origin").removesuffix(".git").rpartition("github.com")[2].strip(":/")
        or checkout.resolve().name,
        _git(checkout, "rev-parse", "HEAD"),
    )


def _git(checkout: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(checkout), *words], capture_output=True, text=True)  # noqa: S603, S607
    return done.stdout.strip() if done.returncode == 0 else ""


def _verdicts(path: Path) -> dict[tuple[str, ...], dict[str, str]]:
    with path.open(newline="") as stream:
        return {tuple(row[name] for name in _KEY): row for row in csv.DictReader(stream)}


def _summary(checkout: Path, report: dict, rows: list[dict[str, str]]) -> str:
    errors = Counter(row["verdict"] or "not judged" for row in rows if row["severity"] == "error")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in errors.most_common())
    skipped = len(report["skipped"]) + report["unreadable"]
    warnings = len(rows) - errors.total()
    judged = f" ({counts})" if counts else ""
    return (
        f"{checkout.name}: {_number(report['queries'], 'query', 'queries')}, {_number(errors.total(), 'error')}{judged}, "
        f"{_number(warnings, 'warning')}, {skipped} skipped"
    )


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


if __name__ == "__main__":
    sys.exit(main())
