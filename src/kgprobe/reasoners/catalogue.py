"""The reasoners that kgprobe supports, whether each is installed, and how to install it."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from kgprobe.errors import InputError, UnavailableError, nearest
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.hosted import HostedReasoner
from kgprobe.reasoners.java_parts import INSTALL, find_parts
from kgprobe.reasoners.protocol import Availability

__all__ = ["REASONERS", "Entry", "entry", "hosted"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A reasoner that kgprobe can drive."""

    name: str
    title: str
    kind: str
    available: Callable[[], Availability]


def _package(name: str, module: str) -> Callable[[], Availability]:
    def available() -> Availability:
        install = f"pip install {name}"
        try:
            found = version(name)
        except PackageNotFoundError:
            return Availability(None, f"the Python package {name} is not installed", install)
        if importlib.util.find_spec(module) is None:
            return Availability(None, f"the Python package {name} is damaged", install)
        return Availability(found)

    return available


def _jar(name: str) -> Callable[[], Availability]:
    def available() -> Availability:
        try:
            return Availability(find_parts().version_of(name))
        except UnavailableError as error:
            return Availability(None, error.message, error.hint or INSTALL)

    return available


def _konclude() -> Availability:
    program = shutil.which("Konclude")
    if program is None:
        return Availability(None, "the program Konclude is not installed", "apt-get install konclude")
    # Konclude is not run for this: sometimes it does not terminate, even when it only has to print its help.
    return Availability("installed")


REASONERS: dict[str, Entry] = {
    each.name: each
    for each in (
        Entry("rustdl", "rustdl", "native", _package("rustdl", "rustdl")),
        Entry("pyhermit", "pyHermiT", "native", _package("pyHermiT", "pyhermit")),
        Entry("hermit", "HermiT", "Java", _jar("hermit")),
        Entry("openllet", "Openllet", "Java", _jar("openllet")),
        Entry("elk", "ELK", "Java", _jar("elk")),
        Entry("jfact", "JFact", "Java", _jar("jfact")),
        Entry("konclude", "Konclude", "program", _konclude),
    )
}


def entry(name: str) -> Entry:
    """The reasoner with this name; InputError if none has it."""
    found = REASONERS.get(name.casefold())
    if found is None:
        meant = nearest(name, [*REASONERS, "auto"])
        hint = f"did you mean '{meant}'?" if meant else f"choose from auto, {', '.join(REASONERS)}"
        raise InputError(f"there is no reasoner named '{name}'", hint=hint)
    return found


def hosted(name: str, limits: Limits | None = None, *, verbatim: bool = False) -> HostedReasoner:
    """A reasoner of the catalogue. UnavailableError if it is not installed, with the command that installs it."""
    known = entry(name)
    status = known.available()
    if not status.usable:
        raise UnavailableError(f"{known.title} cannot be used: {status.missing}", hint=status.install)
    return HostedReasoner(known.name, limits or Limits(), known.available, verbatim=verbatim)
