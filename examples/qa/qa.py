"""A program that answers questions about the places, people and works of world.ttl. It has faults to switch on.

As functions: `answer` has no faults, and each of the functions after it has one. As a command, it reads a question from
standard input, or with --lines a JSON object on each line. With --serve PORT it is a server: POST / gets such an
object, and POST /v1/chat/completions is compatible with OpenAI's. With --chat PROFILE, the server takes a free port,
writes its address into the profile, and stays in the background.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyoxigraph

NAMESPACE = "https://kgprobe.example/qa#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"

NOUNS = {
    "place in": "contains",
    "capital of": "capital",
    "author of": "author",
    "birthplace of": "birthplace",
    "spouse of": "spouse",
    "parent of": "parent",
    "child of": "child",
    "ancestor of": "ancestor",
    "grandparent of": "grandparent",
}
FAULTS = {
    "blind-to-aliases": "knows other names of things, but does not recognise a thing by them",
    "two-steps": "takes at most two steps along a transitive relation",
    "both-ways": "reads asymmetric relations both ways",
    "yes-to-all": "answers yes to everything",
    "forgets-facts": "remembers only half of the facts while it combines facts",
}
PLURALS = {"children": "child"}

Pairs = dict[str, set[str]]


@dataclass
class World:
    """The names, classes and relations of the graph, with everything that follows from its axioms.

    `related[relation][thing]` are the values of a relation, and `classes[thing]` the classes of a thing.
    """

    names: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    class_names: dict[str, str] = field(default_factory=dict)
    related: dict[str, Pairs] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    classes: Pairs = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True)
class Program:
    """Answers questions from its world. It combines facts from a second one, so that it can forget."""

    world: World
    memory: World
    fault: str = ""

    def answer(self, prompt: str) -> str:
        """The answer to the question in a prompt: the last line that is one."""
        questions = [line.strip() for line in prompt.splitlines() if line.strip().endswith("?")]
        if not questions:
            return "I don't know."
        if self.fault == "yes-to-all":
            return "Yes."
        return "Yes." if self._holds(questions[-1].removesuffix("?")) else "No."

    def _holds(self, question: str) -> bool:
        if parts := question.split(", and is "):
            first, *others = parts
            if others:
                return self._holds(first) and all(self._holds(f"Is {other}") for other in others)
        if named := re.fullmatch(r"Is (.+) the alternative name for (.+)", question):
            return self.world.aliases.get(bare(named[1])) == self.world.names.get(bare(named[2]), "")
        if counted := re.fullmatch(r"Are there at least (\d+) (.+)", question):
            return len(self._counted(counted[2])) >= int(counted[1])
        return self._is(question.removeprefix("Is "))

    def _is(self, claim: str) -> bool:
        """Whether a claim without its verb holds: a name or description, and a class or description after it."""
        for gap in re.finditer(r" (?=an? |the )", claim):
            subject, predicate = claim[: gap.start()], claim[gap.end() :]
            known = self._things(subject)
            if not known:
                continue
            named = self.world.class_names.get(re.sub(r"^an? ", "", predicate))
            if named is not None and any(named in self.world.classes[thing] for thing in known):
                return True
            if known & self._things(predicate):
                return True
        return False

    def _things(self, text: str) -> set[str]:
        """The things that a name or a description stands for: "the author of Emma"."""
        if (thing := self._named(text)) is not None:
            return {thing}
        described = re.match(r"(?:an?|the) (\w+ (?:of|in)) ", text)
        if described is None or described[1] not in NOUNS:
            return set()
        inner = text[described.end() :]
        is_combined = self._named(inner) is None
        related = (self.memory if is_combined else self.world).related[NOUNS[described[1]]]
        return {value for thing in self._things(inner) for value in self._values(NOUNS[described[1]], thing, related)}

    def _values(self, relation: str, thing: str, related: Pairs) -> set[str]:
        found = set(related[thing])
        if self.fault == "both-ways" and relation in asymmetric():
            found |= {other for other, values in related.items() if thing in values}
        return found

    def _named(self, name: str) -> str | None:
        name = bare(name)
        if name in self.world.names:
            return self.world.names[name]
        return None if self.fault == "blind-to-aliases" else self.world.aliases.get(name)

    def _counted(self, text: str) -> set[str]:
        """The things of a description in the plural: "parents of Jane Austen"."""
        plural, preposition, name = text.split(" ", 2)
        noun = PLURALS.get(plural, plural.removesuffix("s"))
        return self._things(f"the {noun} {preposition} {name}")


def bare(name: str) -> str:
    """A name without the article that it has inside of a sentence."""
    return name.removeprefix("the ")


# ---- the world


@cache
def triples() -> tuple[tuple[str, str, str], ...]:
    """The graph; names keep their text."""
    data = (Path(__file__).parent / "world.ttl").read_bytes()
    parsed = pyoxigraph.parse(data, format=pyoxigraph.RdfFormat.TURTLE)
    return tuple((str(t.subject.value), t.predicate.value, str(t.object.value)) for t in parsed)


@cache
def asymmetric() -> frozenset[str]:
    """The asymmetric relations."""
    kind = f"{OWL}AsymmetricProperty"
    return frozenset(s.removeprefix(NAMESPACE) for s, p, o in triples() if (p, o) == (TYPE, kind))


def world_of(facts: list[tuple[str, str, str]], steps: int | None = None) -> World:
    """The world in which these facts hold, and what follows. `steps`: the most steps along a transitive relation."""
    world = World()
    for subject, predicate, value in triples():
        is_class = any(each == (subject, TYPE, f"{OWL}Class") for each in triples())
        if predicate == f"{RDFS}label":
            (world.class_names if is_class else world.names)[value] = subject
        elif predicate == ALIAS:
            world.aliases[value] = subject
    for subject, predicate, value in facts:
        if predicate == TYPE:
            world.classes[subject].add(value)
        else:
            world.related[predicate.removeprefix(NAMESPACE)][subject].add(value)
    close_relations(world, steps)
    close_classes(world)
    return world


def facts_about(axiom: str) -> Iterator[tuple[str, str]]:
    """The pairs that an axiom relates, without their namespace."""
    return (
        (s.removeprefix(NAMESPACE), o.removeprefix(NAMESPACE))
        for s, p, o in triples()
        if p == axiom and s.startswith("http")
    )


def close_relations(world: World, steps: int | None) -> None:
    """Add what follows from sub-properties, inverses, symmetry, the chain of parents, and transitivity."""
    kinds = dict.fromkeys(facts_about(TYPE))
    related = world.related
    for lower, upper in facts_about(f"{RDFS}subPropertyOf"):
        add(related[upper], pairs(related[lower]))
    for inverse, relation in facts_about(f"{OWL}inverseOf"):
        add(related[inverse], [(b, a) for a, b in pairs(related[relation])])
    for relation, kind in kinds:
        if kind == f"{OWL}SymmetricProperty":
            add(related[relation], [(b, a) for a, b in pairs(related[relation])])
    parents = related["parent"]
    add(related["grandparent"], [(a, c) for a, b in pairs(parents) for c in parents[b]])
    for relation, kind in kinds:
        if kind == f"{OWL}TransitiveProperty":
            close_transitively(related[relation], steps)


def close_transitively(related: Pairs, steps: int | None) -> None:
    """Add one more step to all pairs until nothing is new, or after the given number of steps."""
    stated = {thing: set(values) for thing, values in related.items()}
    taken = 1
    while steps is None or taken < steps:
        new = [(a, c) for a, b in pairs(related) for c in stated.get(b, ()) if c not in related[a]]
        if not new:
            return
        add(related, new)
        taken += 1


def close_classes(world: World) -> None:
    """Add the classes that follow from domains, ranges and sub-classes."""
    for relation, domain in facts_about(f"{RDFS}domain"):
        for thing, _ in pairs(world.related[relation]):
            world.classes[thing].add(NAMESPACE + domain)
    for relation, range_ in facts_about(f"{RDFS}range"):
        for _, thing in pairs(world.related[relation]):
            world.classes[thing].add(NAMESPACE + range_)
    above: Pairs = defaultdict(set)
    add(above, facts_about(f"{RDFS}subClassOf"))
    close_transitively(above, None)
    for classes in world.classes.values():
        classes |= {NAMESPACE + upper for each in list(classes) for upper in above[each.removeprefix(NAMESPACE)]}


def pairs(related: Pairs) -> list[tuple[str, str]]:
    """The pairs of a relation."""
    return [(thing, value) for thing, values in related.items() for value in values]


def add(related: Pairs, more: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> None:
    """Add pairs to a relation."""
    for thing, value in more:
        related[thing].add(value)


@cache
def program(fault: str = "") -> Program:
    """The program, with one of its faults or none."""
    facts = [(s, p, o) for s, p, o in triples() if (p.startswith(NAMESPACE) or p == TYPE) and not o.startswith(OWL)]
    world = world_of(facts, steps=2 if fault == "two-steps" else None)
    memory = world_of(facts[::2]) if fault == "forgets-facts" else world
    return Program(world, memory, fault)


# ---- functions


def answer(prompt: str) -> str:
    """No fault."""
    return program().answer(prompt)


def blind_to_aliases(prompt: str) -> str:
    """A fault: see FAULTS."""
    return program("blind-to-aliases").answer(prompt)


def two_steps(prompt: str) -> str:
    """A fault: see FAULTS."""
    return program("two-steps").answer(prompt)


def both_ways(prompt: str) -> str:
    """A fault: see FAULTS."""
    return program("both-ways").answer(prompt)


def yes_to_all(prompt: str) -> str:
    """A fault: see FAULTS."""
    return program("yes-to-all").answer(prompt)


def forgets_facts(prompt: str) -> str:
    """A fault: see FAULTS."""
    return program("forgets-facts").answer(prompt)


# ---- a command and a server


class Handler(BaseHTTPRequestHandler):
    """Answers questions over HTTP, as a chat model or as plain text."""

    protocol_version = "HTTP/1.1"
    program: Program

    def do_GET(self) -> None:
        """The server is ready."""
        self._send("ready", "text/plain")

    def do_POST(self) -> None:
        """A question."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        asked = json.loads(body)
        if not self.path.startswith("/v1"):
            self._send(self.program.answer(asked["prompt"]), "text/plain")
            return
        said = self.program.answer(asked["messages"][-1]["content"])
        usage = {"prompt_tokens": len(body.split()), "completion_tokens": len(said.split())}
        message = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        reply = {"object": "chat.completion", "model": asked.get("model"), "choices": [message], "usage": usage}
        self._send(json.dumps(reply), "application/json")

    def _send(self, text: str, kind: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Requests are not printed."""


def write_address(profile: Path, port: int) -> None:
    """Write the address of the server into the profile, which has another one."""
    text = re.sub(r"(?m)^(chat = \"http://127\.0\.0\.1:)\d+", rf"\g<1>{port}", profile.read_text(encoding="utf-8"))
    new = profile.with_name(f"{profile.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(profile)


def main() -> None:
    """Answer questions from standard input, or as a server."""
    parser = argparse.ArgumentParser(description="Answers questions about places, people and works.")
    parser.add_argument(
        "--fault", default="", choices=["", *FAULTS], metavar="NAME", help=f"one of {', '.join(FAULTS)}"
    )
    parser.add_argument("--lines", action="store_true", help="read JSON lines with 'prompt', and answer each")
    parser.add_argument("--serve", type=int, metavar="PORT", help="start a server on 127.0.0.1")
    parser.add_argument("--chat", type=Path, metavar="PROFILE", help="start a server in the background")
    given = parser.parse_args()
    if given.serve is not None or given.chat is not None:
        handler = type("QaHandler", (Handler,), {"program": program(given.fault)})
        server = ThreadingHTTPServer(("127.0.0.1", given.serve or 0), handler)
        if given.chat is not None:
            write_address(given.chat, server.server_port)
            if process := os.fork():  # the server stays in the background
                print(f"listening on port {server.server_port}; to end the server: kill {process}")
                return
        server.serve_forever()
    elif given.lines:
        for line in sys.stdin:
            asked = json.loads(line)
            said = program(given.fault).answer(asked["prompt"])
            print(json.dumps({"id": asked.get("id"), "answer": said}), flush=True)
    else:
        print(program(given.fault).answer(sys.stdin.read()))


if __name__ == "__main__":
    main()
