"""Claims about variables as sentences and questions: the five patterns of the paper, and the forms made of them.

Each function returns None if the claim cannot be worded: a relation has no words, or a description in the middle of
a path would describe no single thing.

Millions of questions are worded by the database itself. `Template.sql` gives an expression for DuckDB and Spark, and
`Template.text` the same string in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeAlias

from kgprobe.questions.wording.labels import Words
from kgprobe.questions.wording.nouns import indefinite, kind_in_words, plural, with_article

# Spark reads backslashes as escapes and ${…} as variables, and DuckDB does not: such characters are made by chr().
_UNSAFE = re.compile(r"(['\\$\x00-\x1f\x7f])")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for the name of a variable: as it is ("name"), or as a kind of things ("a-name"): "a city"."""

    variable: str
    form: str = "name"


@dataclass(frozen=True, slots=True)
class Single:
    """A "the" in a sentence: `variable` must not have two values of the relation.

    `is_backwards`: values are the subjects of triples whose object is the variable.
    """

    variable: str
    relation: int
    is_backwards: bool = False


Part: TypeAlias = str | Slot


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence or a question as texts and slots.

    `singles` lists what each "the" in it needs. A full stop at the end is left out after a name that ends with one.
    """

    parts: tuple[Part, ...]
    singles: tuple[Single, ...] = ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, each once, in the order of the sentence."""
        return tuple(dict.fromkeys(part for part in self.parts if isinstance(part, Slot)))

    def text(self, names: Mapping[str, str]) -> str:
        """The sentence, with the names of the variables. ValueError if a kind of things cannot be worded."""
        texts = [part if isinstance(part, str) else _filled(part, names) for part in self.parts]
        if self._may_end_twice and texts[-2].endswith("."):
            texts.pop()
        if self._begins_with_name and texts[0].startswith("the "):
            texts[0] = f"T{texts[0][1:]}"
        return "".join(texts)

    def sql(self, columns: Mapping[Slot, str]) -> str:
        """The sentence as an SQL expression; `columns` has an SQL expression for each slot."""
        terms = [_literal(part) if isinstance(part, str) else columns[part] for part in self.parts]
        first = terms[0] if terms else ""
        if self._may_end_twice:
            terms[-1] = f"CASE WHEN {terms[-2]} LIKE '%.' THEN '' ELSE '.' END"
        if self._begins_with_name:
            terms[0] = capital_article(first)
        return f"({' || '.join(terms)})" if terms else "''"

    @property
    def _begins_with_name(self) -> bool:
        return bool(self.parts) and isinstance(self.parts[0], Slot)

    @property
    def _may_end_twice(self) -> bool:
        return len(self.parts) > 1 and self.parts[-1] == "." and isinstance(self.parts[-2], Slot)


def capital_article(name: str) -> str:
    """An SQL expression for a name that begins a sentence, where "the" becomes "The"."""
    return f"CASE WHEN {name} LIKE 'the %' THEN 'T' || substr({name}, 2) ELSE {name} END"


def _filled(slot: Slot, names: Mapping[str, str]) -> str:
    name = names[slot.variable]
    if slot.form == "name":
        return name
    return kind_in_words(name)


def _literal(text: str) -> str:
    pieces = [
        f"chr({ord(piece)})" if _UNSAFE.fullmatch(piece) else f"'{piece}'" for piece in _UNSAFE.split(text) if piece
    ]
    return " || ".join(pieces) if pieces else "''"


_PIECES = ("part", "piece", "place", "region", "area")


class WordedRelation(Protocol):
    """What wording needs to know about a relation."""

    @property
    def id(self) -> int: ...

    @property
    def words(self) -> Words | None: ...


@dataclass(frozen=True, slots=True)
class PathClaim:
    """From the subject along the path to the object, all variables; `via` are the variables between the steps."""

    subject: str
    path: tuple[WordedRelation, ...]
    object: str
    via: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.path or len(self.via) != len(self.path) - 1:
            raise ValueError("a path of n relations has n - 1 variables between them")


@dataclass(frozen=True, slots=True)
class KindClaim:
    """The subject, a variable, belongs to a class: a variable, or the noun of a class that is known ("city")."""

    subject: str
    kind: str
    is_noun: bool = False


Claim: TypeAlias = PathClaim | KindClaim
_Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class _Clause:
    """ "SUBJECT is COMPLEMENT". The object of the claim is the whole subject, or the end of the complement."""

    subject: _Parts
    complement: _Parts
    singles: tuple[Single, ...]
    asks_subject: bool
    is_last_single: bool = False
    kind_noun: str | None = None


def statement(claim: Claim) -> Template | None:
    """Patterns 1, 2, 4 and 5: "Jane is the author of Emma."."""
    return _statement(claim, " is ")


def negation(claim: Claim) -> Template | None:
    """Pattern 3: "Emma is not the author of Jane."."""
    return _statement(claim, " is not ")


def question(claim: Claim) -> Template | None:
    """The statement with "is" in front: "Is Jane the author of Emma?"."""
    clause = _clause(claim)
    if clause is None:
        return None
    return _template("Is ", *clause.subject, " ", *clause.complement, "?", singles=clause.singles)


def conjunction(claims: Sequence[Claim]) -> Template | None:
    """One question about several claims; if all have the same subject, it is named once."""
    clauses = [clause for claim in claims if (clause := _clause(claim)) is not None]
    if len(clauses) != len(claims) or len(clauses) < 2:
        return None
    singles = tuple(single for clause in clauses for single in clause.singles)
    if len({clause.subject for clause in clauses}) == 1:
        both = "both " if len(clauses) == 2 else ""
        complements = _listed([clause.complement for clause in clauses], "and")
        return _template("Is ", *clauses[0].subject, f" {both}", *complements, "?", singles=singles)
    questions = [("is ", *clause.subject, " ", *clause.complement) for clause in clauses]
    return _template(*_capital(_listed(questions, "and", comma=True)), "?", singles=singles)


def choice(claim: Claim, options: Sequence[str]) -> Template | None:
    """ "Which of these is the author of Emma: A, B or C?"; the options are variables."""
    clause = _clause(claim)
    if clause is None or len(options) < 2 or (isinstance(claim, KindClaim) and claim.is_noun):
        return None
    form = "name" if clause.kind_noun is None else "a-name"
    listed = _listed([(Slot(option, form),) for option in options], "or")
    return _template("Which of these is ", *_without_object(clause), ": ", *listed, "?", singles=clause.singles)


def open_question(claim: Claim) -> Template | None:
    """ "Who or what is the author of Emma?"; for a kind, "What is the gender of Ada?"."""
    clause = _clause(claim)
    if clause is None or clause.kind_noun == "":
        return None
    if clause.kind_noun is not None:
        return _template(f"What is the {clause.kind_noun} of ", *clause.subject, "?", singles=clause.singles)
    return _template("Who or what is ", *_without_object(clause), "?", singles=clause.singles)


def count_question(claim: PathClaim, number: int) -> Template | None:
    """ "Are there at least 2 authors of Emma?"; for turned words "Is Ada an alumna of at least 2 different things?"."""
    clause, words = _clause(claim), claim.path[-1].words
    if clause is None or words is None or words.is_kind:
        return None
    if words.is_turned:
        return _template("Is ", *clause.subject, f" {_several_things(words, number)}?", singles=_remaining(clause))
    return _template("Are there ", *_several(words, clause, number), "?", singles=_remaining(clause))


def count_statement(claim: PathClaim, number: int) -> Template | None:
    """ "There are at least 2 authors of Emma."."""
    clause, words = _clause(claim), claim.path[-1].words
    if clause is None or words is None or words.is_kind:
        return None
    if words.is_turned:
        things = f" is {_several_things(words, number)}."
        return _template(*_capital(clause.subject), things, singles=_remaining(clause))
    return _template("There are ", *_several(words, clause, number), ".", singles=_remaining(clause))


def alias_statement(alias: str, thing: str, *, is_only: bool = True) -> Template:
    """ "PEP 20 is the alternative name for Zen of Python."; "an" if the thing has several."""
    return _template(Slot(alias), " is ", *_alias(thing, is_only), ".")


def alias_question(alias: str, thing: str, *, is_only: bool = True) -> Template:
    """ "Is PEP 20 the alternative name for Zen of Python?"."""
    return _template("Is ", Slot(alias), " ", *_alias(thing, is_only), "?")


def _alias(thing: str, is_only: bool) -> _Parts:
    return (f"{'the' if is_only else 'an'} alternative name for ", Slot(thing))


# ---- clauses


def _clause(claim: Claim) -> _Clause | None:
    if isinstance(claim, KindClaim):
        complement: Part = with_article(claim.kind) if claim.is_noun else Slot(claim.kind, "a-name")
        return _Clause((Slot(claim.subject),), (complement,), (), asks_subject=False, kind_noun="")
    if _repeats(claim.path):
        return None
    *before, last = claim.path
    words = last.words
    start = claim.via[-1] if claim.via else claim.subject
    described = _description(before, (claim.subject, *claim.via))
    if words is None or described is None:
        return None
    parts, singles = described
    if words.is_turned and any(single.words is None or not single.words.is_definite for single in before):
        # "A child of Ada is a male" could mean any child, so a description in front needs "the" throughout.
        return None
    if words.is_definite:
        of = Single(claim.object, last.id, is_backwards=True) if words.is_turned else Single(start, last.id)
        singles = (*singles, of)
    if words.is_kind:
        return _Clause(parts, (Slot(claim.object, "a-name"),), singles, asks_subject=False, kind_noun=words.noun)
    if words.is_turned:
        complement_: _Parts = (words.extension + " ", Slot(claim.object))
        return _Clause(parts, complement_, singles, asks_subject=False, is_last_single=words.is_definite)
    complement_ = (words.extension + " ", *parts)
    return _Clause((Slot(claim.object),), complement_, singles, asks_subject=True, is_last_single=words.is_definite)


def _repeats(path: Sequence[WordedRelation]) -> bool:
    """Whether a description would say twice in a row where something is: "a place in a place in Italy"."""
    said = [relation.words for relation in path]
    return any(
        one is not None and one == other and not one.is_definite and (one.preposition == "in" or one.noun in _PIECES)
        for one, other in pairwise(said)
    )


def _description(path: Sequence[WordedRelation], variables: Sequence[str]) -> tuple[_Parts, tuple[Single, ...]] | None:
    """What lies at the end of a path: "the birth place of the author of Emma"."""
    parts: _Parts = (Slot(variables[0]),)
    singles: tuple[Single, ...] = ()
    for relation, start in zip(path, variables, strict=False):
        words = relation.words
        # Turned words describe the start of a step, not its end: "an alumna of Oxford" is not about Ada's university.
        if words is None or words.is_turned:
            return None
        parts = (words.extension + " ", *parts)
        if words.is_definite:
            singles = (*singles, Single(start, relation.id))
    return parts, singles


# ---- forms


def _statement(claim: Claim, verb: str) -> Template | None:
    clause = _clause(claim)
    if clause is None:
        return None
    return _template(*_capital(clause.subject), verb, *clause.complement, ".", singles=clause.singles)


def _without_object(clause: _Clause) -> _Parts:
    """The clause without the object of its claim, as it reads after "Which of these is"."""
    if clause.asks_subject:
        return clause.complement
    *before, _ = clause.complement
    return (*clause.subject, *(f" {part.rstrip()}" if isinstance(part, str) else part for part in before))


def _several(words: Words, clause: _Clause, number: int) -> _Parts:
    return (f"at least {number} {plural(words.noun)} {words.preposition} ", *clause.complement[1:])


def _several_things(words: Words, number: int) -> str:
    article = indefinite(words.noun) if words.is_definite else words.article
    return f"{article} {words.noun} {words.preposition} at least {number} different things".lstrip()


def _remaining(clause: _Clause) -> tuple[Single, ...]:
    """What a clause needs if its last relation has several values."""
    return clause.singles[:-1] if clause.is_last_single else clause.singles


def _listed(items: Sequence[_Parts], last: str, *, comma: bool = False) -> _Parts:
    """The items with commas, and a word before the last."""
    *before, end = items
    parts: list[Part] = []
    for number, item in enumerate(before):
        parts += [*([", "] if number else []), *item]
    return (*parts, f", {last} " if comma else f" {last} ", *end)


def _capital(parts: _Parts) -> _Parts:
    first, *rest = parts
    return (first[:1].upper() + first[1:], *rest) if isinstance(first, str) else parts


def _template(*parts: Part, singles: tuple[Single, ...] = ()) -> Template:
    return Template(tuple(_merged(parts)), tuple(dict.fromkeys(singles)))


def _merged(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts with neighbouring texts in one; a full stop after a slot stays apart."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text
