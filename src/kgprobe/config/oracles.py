"""Oracles as a profile asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgprobe.config.profile import Profile
from kgprobe.config.python_files import PythonFiles
from kgprobe.given_files import read_text
from kgprobe.model import Observation
from kgprobe.oracles.answers import OutputQuery
from kgprobe.oracles.differential import CONSISTENCY, Differential
from kgprobe.oracles.expected import ExpectedOutput
from kgprobe.oracles.known import KnownBugs
from kgprobe.oracles.predicate import Predicate
from kgprobe.oracles.protocol import Oracle
from kgprobe.oracles.status import ExitStatus
from kgprobe.oracles.unchanged import SameAsSeed

__all__ = ["known_in", "oracles_for"]


def oracles_for(profile: Profile, on_seed: Callable[[str], Sequence[Observation]]) -> list[Oracle]:
    """All of them; `on_seed` tells what the systems do on a seed graph."""
    asked = profile.oracle
    found: list[Oracle] = [ExitStatus(asked.exit, asked.invalid)]
    if asked.expected is not None:
        found.append(ExpectedOutput(read_text(asked.expected)))
    if asked.same_as_seed:
        found.append(SameAsSeed(on_seed))
    found += [OutputQuery(read_text(path), path.name) for path in asked.queries]
    if asked.python is not None:
        found.append(Predicate(PythonFiles().function(asked.python.file, asked.python.name), asked.python.name))
    is_differential = len(profile.systems) > 1 if asked.differential is None else asked.differential
    if is_differential:
        asked_for = {system.task if system.reasoner else system.answers for system in profile.systems}
        found.append(Differential(question=CONSISTENCY if asked_for == {CONSISTENCY} else ""))
    return found


def known_in(profile: Profile) -> KnownBugs:
    """The bugs that a profile lists."""
    return KnownBugs([(bug.signature, bug.note) for bug in profile.known])
