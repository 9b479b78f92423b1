"""`kgprobe explain`: explain why a graph is inconsistent, or why one class is below another."""

from __future__ import annotations

import click

from kgprobe.cli.options import NumberRange, print_json, prints_text_or_json, reads_graph, searches_for_a_reason
from kgprobe.errors import InputError, UnavailableError, did_you_mean
from kgprobe.formats.files import Loaded
from kgprobe.owl.expression import Expression
from kgprobe.owl.wording import in_words, labels_of
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.explanation import Explanation, axiom_texts, explain
from kgprobe.reasoners.models import find_model
from kgprobe.reasoners.negation import refutations
from kgprobe.reasoners.ontology import Ontology
from kgprobe.wording import number_of

_EXAMPLES = """\b
Examples:
  kgprobe explain robot.ttl                          why is it inconsistent?
  kgprobe explain pizza.owl --subclass Margherita VegetarianPizza
  kgprobe explain pizza.owl --reasoner hermit        use another reasoner
  kgprobe explain pizza.owl --model                  show a model, which proves that it is consistent
"""


@click.command("explain", epilog=_EXAMPLES)
@prints_text_or_json
@reads_graph("graph")
@click.option(
    "--subclass",
    metavar="A B",
    nargs=2,
    help="Explain why every A is a B. Each is an IRI, prefix:name, a name, or a label.",
)
@click.option("--model", "wants_model", is_flag=True, help="If there is no contradiction, show a model that proves it.")
@click.option("--reasoner", "name", metavar="NAME", default="auto", help="The reasoner to use.  [auto]")
@click.option(
    "--time-limit", metavar="SECONDS", type=NumberRange(min=0.1), default=60.0, help="Time limit for one check."
)
@searches_for_a_reason
@click.option(
    "--memory", metavar="MB", type=click.IntRange(min=16), default=2048, help="Memory limit for the reasoner."
)
def command(
    loaded: Loaded,
    subclass: tuple[str, str] | None,
    wants_model: bool,
    name: str,
    time_limit: float,
    seconds: float,
    memory: int,
    as_json: bool,
) -> int:
    """Show which axioms make GRAPH inconsistent, or with --subclass, why every A is a B.

    If it is consistent, or some A need not be a B, --model shows a model: individuals for which all axioms are true.
    """
    ontology = Ontology.of(loaded.graph)
    prefixes = dict(loaded.graph.spelling.prefixes)
    conclusion: Expression | None = None
    if subclass is not None:
        lower, upper = (_class_named(text, ontology, loaded.graph) for text in subclass)
        conclusion = Expression("SubClassOf", lower, upper)
    yes, no = ("inconsistent", "consistent") if conclusion is None else ("it follows", "it does not follow")
    with opened(name, Limits(time_limit, memory)) as reasoner:
        found = explain(
            ontology,
            reasoner,
            conclusion=conclusion,
            seconds=seconds,
            # Print the answer at once, and the reason on the same line when it is found.
            on_answer=None if as_json else lambda _: click.echo(f"{loaded.name}: {yes}", nl=False),
        )
    is_answered = found.axioms is not None
    if not is_answered and not found.answer.decided and found.answer.value is None:
        raise UnavailableError(f"{loaded.name}: undecided: {found.answer.why}")
    model = _model(ontology, conclusion) if wants_model and not is_answered else None
    axioms = found.axioms if found.is_found and found.axioms is not None else ()
    words = [in_words(axiom, loaded.graph) for axiom in axioms]
    if as_json:
        texts = axiom_texts(axioms, prefixes)
        said: dict[str, object] = (
            {"axioms": texts, "words": words} if found.is_found else {"axioms": None, "words": None}
        )
        if wants_model:
            said["model"] = None if model is None else axiom_texts(model, prefixes)
        print_json({"name": loaded.name, "answer": yes if is_answered else no, **said, **_as_json(found)})
    elif is_answered:
        _print_reason(found, words, seconds)
    else:
        note = "" if found.answer.complete else f", as far as kgprobe can tell: {found.answer.why}"
        click.echo(f"{loaded.name}: {no}{note} ({found.answer.reasoner}, {found.answer.seconds:.2f} s)")
        if wants_model:
            _print_model(model, loaded.graph)
    # An inconsistency is a finding, and so is an expected subclass relation that does not hold.
    return 1 if is_answered is (conclusion is None) else 0


def _model(ontology: Ontology, conclusion: Expression | None) -> tuple[Expression, ...] | None:
    """A model of the ontology, as assertions, in which the conclusion is false; None if none was found."""
    ways = [[]] if conclusion is None else refutations(conclusion) or []
    models = (find_model((*ontology.axioms, *way)) for way in ways)
    return next((tuple(model.assertions()) for model in models if model is not None), None)


def _print_model(model: tuple[Expression, ...] | None, graph: Graph) -> None:
    if model is None:
        click.echo("no model was found: perhaps all are infinite, or have something that kgprobe does not model")
        return
    click.echo("a model, in which only this is true of individuals:")
    for fact in model:
        click.echo(f"  {in_words(fact, graph)}")


def _print_reason(found: Explanation, words: list[str], seconds: float) -> None:
    who = f"({found.answer.reasoner}, {number_of(found.checks, 'check')})"
    if not found.is_found:
        click.echo(f"; no explanation found in {seconds:g} s {who}: try more --seconds")
        return
    size = "a set of axioms, some of which may not be needed,"
    if found.is_smallest:
        size = "the smallest set of axioms"
    elif found.is_minimal:
        size = "a set of axioms, all of them needed"
    click.echo(f"; {size} that is enough {who}:")
    for text in words:
        click.echo(f"  {text}")


def _as_json(found: Explanation) -> dict[str, object]:
    return {
        "found": found.is_found,
        "minimal": found.is_minimal,
        "smallest": found.is_smallest,
        "reasoner": found.answer.reasoner,
        "complete": found.answer.complete,
        "why": found.answer.why,
        "checks": found.checks,
        "seconds": round(found.seconds, 3),
    }


def _class_named(text: str, ontology: Ontology, graph: Graph) -> NamedNode:
    """The class that a user names by an IRI, with a prefix of the graph, the end of an IRI, or a label."""
    by_iri = {class_.value: class_ for class_ in ontology.classes}
    prefix, colon, local = text.partition(":")
    spelled = [text.strip("<>"), graph.spelling.prefixes.get(prefix, "") + local if colon else ""]
    exact = next((by_iri[iri] for iri in spelled if iri in by_iri), None)
    if exact is not None:
        return exact
    by_name: dict[str, list[NamedNode]] = {}
    by_label: dict[str, list[NamedNode]] = {}
    for class_ in sorted(ontology.classes, key=str):
        by_name.setdefault(_local_name(class_.value), []).append(class_)
        for label in labels_of(class_, graph):
            by_label.setdefault(label, []).append(class_)
    meant = by_name.get(text) or by_label.get(text, [])
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise InputError(f"'{text}' is the name of {len(meant)} classes", hint=f"give an IRI, such as {meant[0].value}")
    raise InputError(f"no class is named '{text}'", hint=did_you_mean(text, [*by_name, *by_label]))


def _local_name(iri: str) -> str:
    return iri[max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1 :]
