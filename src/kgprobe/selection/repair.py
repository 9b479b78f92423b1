"""Tests that name entities which are gone, and what they should name instead where a replacement is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import exact_text
from kgprobe.graph.files import replace_file
from kgprobe.graph.terms import NamedNode
from kgprobe.selection.tests import Mention, Test

__all__ = ["Broken", "Repair", "apply", "broken_tests", "repairs"]


@dataclass(frozen=True, slots=True)
class Broken:
    """A test that names an entity which is gone, and the entity that takes its place, if one is known."""

    test: Test
    term: NamedNode
    replacement: NamedNode | None


@dataclass(frozen=True, slots=True)
class Repair:
    """A file of tests as it is and as it should be. The two texts differ in names only."""

    file: Path
    before: str
    after: str

    def as_diff(self) -> str:
        """The change, as `diff -u` would show it."""
        import difflib  # not above: few plans have anything to repair

        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, f"a/{self.file}", f"b/{self.file}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def broken_tests(
    tests: Iterable[Test], gone: Collection[NamedNode], replacements: Mapping[NamedNode, NamedNode]
) -> list[Broken]:
    """The tests that name what is gone, each once for every such name."""
    found = []
    for test in tests:
        for term in dict.fromkeys(mention.term for mention in test.mentions):
            if term in gone:
                found.append(Broken(test, term, replacements.get(term)))
    return found


def repairs(broken: Iterable[Broken], label_of: Callable[[NamedNode], str | None]) -> list[Repair]:
    """What to change in which files. Files of names that have no replacement, or cannot be rewritten, are left out."""
    places: dict[Path, dict[tuple[int, int], str]] = defaultdict(dict)
    for each in broken:
        if each.replacement is None:
            continue
        for mention in each.test.mentions:
            if mention.term == each.term:
                new = _rewritten(mention, each.replacement, label_of)
                if new is not None:
                    places[mention.file][mention.start, mention.end] = new
    return [repair for file in sorted(places) if (repair := _repair(file, places[file])) is not None]


def apply(found: Iterable[Repair]) -> None:
    """Write the repaired files. A file that has changed meanwhile is left alone."""
    for repair in found:
        if _text(repair.file) != repair.before:
            raise InputError("has changed while it was read", where=Position(str(repair.file)), hint="run again")
        replace_file(repair.file, repair.after.encode())


def _repair(file: Path, places: Mapping[tuple[int, int], str]) -> Repair | None:
    before = after = _text(file)
    if before is None or after is None:
        return None
    for (start, end), new in sorted(places.items(), reverse=True):
        after = after[:start] + new + after[end:]
    return Repair(file, before, after) if after != before else None


def _text(file: Path) -> str | None:
    """What a file says, with the ends of its lines as they are; None if it cannot be read any more."""
    try:
        return exact_text(file)
    except InputError:
        return None


def _rewritten(mention: Mention, replacement: NamedNode, label_of: Callable[[NamedNode], str | None]) -> str | None:
    """The replacement, written as the term was: as a full IRI, with the same prefix, or as a label."""
    old, new, written = mention.term.value, replacement.value, mention.written
    if old in written:
        return written.replace(old, new)
    prefix, colon, local = written.partition(":")
    if colon:
        for separator in (local, local.replace(":", "_"), f"{prefix}_{local}"):
            if old.endswith(separator) and new.startswith(old[: -len(separator)]):
                rest = new[len(old) - len(separator) :]
                if separator == f"{prefix}_{local}":  # an OBO name: GO:0000001 is …/GO_0000001
                    return rest.replace("_", ":", 1) if "_" in rest else None
                return f"{prefix}:{rest}" if _is_plain(rest) else f"<{new}>"
        return f"<{new}>" if mention.file.suffix in _QUERIES else None
    if old.endswith(written) and new.startswith(old[: -len(written)]):
        return new[len(old) - len(written) :]
    label = label_of(replacement)
    return label.replace("'", "''") if label and mention.file.suffix == ".sql" else label


_QUERIES = (".rq", ".sparql")


def _is_plain(local: str) -> bool:
    return all(character.isalnum() or character in "_-" for character in local)
