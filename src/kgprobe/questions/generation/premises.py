"""The relations and classes to which a variant of a rule applies, and the facts that match its premises, as SQL."""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

from kgprobe.questions.facts.database import LITERAL
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.refutation import are_different
from kgprobe.questions.rules import Atom, SoundnessCondition, Variant, is_letter
from kgprobe.questions.wording.sentences import Single


@dataclass(frozen=True, slots=True)
class Binding:
    """The numbers of the relations and classes of a variant, by their letters and names."""

    variant: Variant
    numbers: Mapping[str, int]
    is_mined: bool = False

    def relations(self, atom: Atom) -> tuple[int, ...]:
        """The relations of an atom's path."""
        return tuple(self.numbers[name] for name in atom.relations)

    def key(self, atom: Atom) -> tuple[str, tuple[int, ...], str | int]:
        """An atom with numbers instead of names: two atoms with the same key say the same."""
        return (
            atom.subject,
            self.relations(atom) if atom.relations else (),
            self.numbers[atom.object] if atom.is_type else atom.object,
        )


@dataclass(frozen=True, slots=True)
class Symmetry:
    """An exchange of variables after which a variant says the same as before."""

    letters: Mapping[str, str]
    things: Mapping[str, str]


def bindings_of(variant: Variant, knowledge: Knowledge) -> Iterator[Binding]:
    """All bindings for which the conditions hold, in a stable order.

    Left out are those whose premises no fact matches, whose conclusion is a premise, and those that exchange the parts
    of another binding.
    """
    same = symmetries(variant)
    for numbers, is_mined in _candidates(variant, knowledge):
        binding = Binding(variant, numbers, is_mined)
        if _has_facts(binding, knowledge) and not _is_idle(binding) and _is_first(binding, same):
            yield binding


def _candidates(variant: Variant, knowledge: Knowledge) -> Iterator[tuple[dict[str, int], bool]]:
    constants = _constants(variant, knowledge)
    partial: list[tuple[dict[str, int], bool]] = [(constants, False)]
    for condition in variant.conditions:
        if condition.name == "different":
            continue
        rows = _rows(condition, knowledge)
        partial = [
            (numbers | agreed, is_mined or mined)
            for numbers, is_mined in partial
            for row, mined in rows
            if (agreed := _agreeing(condition.parts, row, numbers)) is not None
        ]
    for numbers, is_mined in partial:
        free = [name for name in (*variant.relations, *variant.classes) if name not in numbers]
        yield from ((completed, is_mined) for completed in _completed(variant, knowledge, numbers, free))


def _completed(
    variant: Variant, knowledge: Knowledge, numbers: dict[str, int], free: Sequence[str]
) -> Iterator[dict[str, int]]:
    """All choices of relations and classes for the letters that no condition determines."""
    if not free:
        yield numbers
        return
    name, *others = free
    is_relation = name in variant.relations
    for chosen in (relation.id for relation in knowledge.asked) if is_relation else sorted(knowledge.members_of):
        grown = numbers | {name: chosen}
        if not is_relation or _can_meet(variant, knowledge, grown, name):
            yield from _completed(variant, knowledge, grown, others)


def _can_meet(variant: Variant, knowledge: Knowledge, numbers: Mapping[str, int], name: str) -> bool:
    """Whether the facts of a relation share things with those of the other premises, as far as these are known."""
    steps = [premise for premise in variant.premises if premise.relations and premise.path[0] in numbers]
    for one, other in combinations(steps, 2):
        if name not in (one.path[0], other.path[0]):
            continue
        for end, thing in (("s", one.subject), ("o", one.object)):
            for other_end, same in (("s", other.subject), ("o", other.object)):
                pair = (numbers[one.path[0]], numbers[other.path[0]])
                if thing == same and pair not in knowledge.meeting(end, other_end):
                    return False
    return True


def _constants(variant: Variant, knowledge: Knowledge) -> dict[str, int]:
    constants: dict[str, int] = {}
    for names, vocabulary in (
        (variant.relations, knowledge.schema.relation_names),
        (variant.classes, knowledge.schema.class_names),
    ):
        for name in names:
            if not is_letter(name):
                constants[name] = vocabulary.id_of(name.strip("<>"), ("rules",))
    return constants


def _agreeing(parts: Iterable[str], row: Iterable[int], numbers: Mapping[str, int]) -> dict[str, int] | None:
    numbers_of: dict[str, int] = {}
    for part, number in zip(parts, row, strict=True):
        if numbers.get(part, number) != number or numbers_of.setdefault(part, number) != number:
            return None
    return numbers_of


def _rows(condition: SoundnessCondition, knowledge: Knowledge) -> list[tuple[tuple[int, ...], bool]]:
    """The numbers for which a condition holds, and whether that was mined."""
    schema = knowledge.schema
    stated: Iterable[tuple[int, ...]]
    match condition.name:
        case "closed":
            stated = ((relation,) for relation in schema.relations if knowledge.is_closed(relation))
        case "inverse":
            stated = schema.inverses
        case "sub-property":
            stated = schema.sub_properties
        case "disjoint-property":
            stated = schema.disjoint_properties
        case "chain":
            stated = ((*path, end) for path, end in schema.chains if len(path) + 1 == len(condition.parts))
        case "domain":
            stated = schema.domains
        case "range":
            stated = schema.ranges
        case "sub-class":
            stated = schema.sub_classes
        case "disjoint":
            stated = _disjoint(knowledge)
        case trait:
            relations = [relation for relation in schema.relations if knowledge.has(relation, trait)]
            return sorted(((relation,), knowledge.is_mined(relation, trait)) for relation in relations)
    return sorted(
        (row, schema.is_mined(condition.name, row))
        for row in set(stated)
        if len(set(row)) > 1 or len(row) != 2 or condition.name == "inverse"
    )


def _disjoint(knowledge: Knowledge) -> Iterator[tuple[int, int]]:
    """Disjoint classes: those that are stated, and on the left also classes with members below them."""
    yield from knowledge.schema.disjoint_classes
    for class_ in knowledge.members_of:
        for other in knowledge.disjoint_from([class_]):
            if any(other in pair for pair in knowledge.schema.disjoint_classes):
                yield class_, other


def _has_facts(binding: Binding, knowledge: Knowledge) -> bool:
    for atom in binding.variant.premises:
        if atom.is_type and not knowledge.members_of.get(binding.numbers[atom.object]):
            return False
        if any(not knowledge.facts_of.get(relation) for relation in binding.relations(atom)):
            return False
    return True


def _is_idle(binding: Binding) -> bool:
    """Whether the conclusion, or one of several, is a premise already."""
    premises = {binding.key(atom) for atom in binding.variant.premises if not atom.is_alias}
    claims = [binding.key(atom) for atom in binding.variant.conclusion]
    if len(claims) > 1:  # several claims at once are more than each of them
        return len(set(claims)) < len(claims)
    return claims[0] in premises


def _is_first(binding: Binding, same: Iterable[Symmetry]) -> bool:
    letters = sorted(binding.numbers)
    return all(
        [binding.numbers[letter] for letter in letters]
        <= [binding.numbers[exchange.letters.get(letter, letter)] for letter in letters]
        for exchange in same
    )


@cache
def symmetries(variant: Variant) -> tuple[Symmetry, ...]:
    """The exchanges of letters and things that leave a variant as it is, besides the one that exchanges nothing."""
    letters = [name for name in (*variant.relations, *variant.classes) if is_letter(name)]
    if len(letters) > 4 or len(variant.things) > 4:
        return ()
    whole = _shape(variant, {}, {})
    kept = []
    for new_letters, new_things in product(permutations(letters), permutations(variant.things)):
        by_letter = dict(zip(letters, new_letters, strict=True))
        by_thing = dict(zip(variant.things, new_things, strict=True))
        changes = any(old != new for renaming in (by_letter, by_thing) for old, new in renaming.items())
        if changes and _shape(variant, by_letter, by_thing) == whole:
            kept.append(Symmetry(by_letter, by_thing))
    return tuple(kept)


def _shape(variant: Variant, letters: Mapping[str, str], things: Mapping[str, str]) -> tuple[frozenset[object], ...]:
    def atom(old: Atom) -> tuple[object, ...]:
        path = tuple(letters.get(step, step) for step in old.path)
        return (
            things.get(old.subject, old.subject),
            path,
            things.get(old.object, letters.get(old.object, old.object)),
        )

    def condition(old: SoundnessCondition) -> tuple[object, ...]:
        parts = [things.get(part, letters.get(part, part)) for part in old.parts]
        return old.name, tuple(sorted(parts) if old.name in ("different", "disjoint", "inverse") else parts)

    return (
        frozenset(map(atom, variant.premises)),
        frozenset(map(atom, variant.conclusion)),
        frozenset(map(condition, variant.conditions)),
    )


def column(thing: str) -> str:
    """The column of a variable."""
    return f"v_{thing.lstrip('?')}"


@dataclass(frozen=True, slots=True)
class PremiseJoin:
    """A join: its tables, its conditions, and an SQL expression for each variable of the premises."""

    tables: tuple[str, ...]
    conditions: tuple[str, ...]
    columns: dict[str, str]

    @property
    def first(self) -> str:
        """The name of the first table."""
        return self.tables[0].rpartition(" ")[2]

    def where(self, *more: str) -> PremiseJoin:
        """The join with more conditions."""
        return PremiseJoin(self.tables, (*self.conditions, *more), self.columns)

    def select(self, what: str, *more: str) -> str:
        """The join as a query."""
        conditions = " AND ".join((*self.conditions, *more)) or "true"
        return f"SELECT {what} FROM {', '.join(self.tables)} WHERE {conditions}"


def premise_join(
    binding: Binding,
    knowledge: Knowledge,
    singles: tuple[Single, ...] = (),
    kinds: frozenset[str] = frozenset(),
) -> PremiseJoin:
    """The join for the premises of a binding, without rows about things that have no name.

    `singles` are the descriptions with "the": rows in which one of them describes several things are left out. `kinds`
    are the variables whose names are worded as kinds of things.
    """
    tables: list[str] = []
    conditions: list[str] = []
    columns: dict[str, str] = {}

    def place(thing: str, expression: str) -> None:
        if thing in columns:
            conditions.append(f"{columns[thing]} = {expression}")
        else:
            columns[thing] = expression

    for number, atom in enumerate(binding.variant.premises):
        if atom.is_alias:
            tables.append(f"alias_numbers AS n{number}")
            place(atom.subject, f"n{number}.id")
            columns[atom.object] = f"n{number}.number"
            continue
        tables.append(f"edges AS e{number}")
        if atom.is_type:
            conditions.append(f"e{number}.p = {knowledge.type_id}")
            conditions.append(f"e{number}.o = {binding.numbers[atom.object]}")
            place(atom.subject, f"e{number}.s")
        else:
            conditions.append(f"e{number}.p = {binding.relations(atom)[0]}")
            place(atom.subject, f"e{number}.s")
            place(atom.object, f"e{number}.o")
    conditions.extend(_row_conditions(binding, knowledge, columns))
    for single in singles:
        if single.variable in columns:
            several = knowledge.several(single)
            conditions.append(f"{columns[single.variable]} NOT IN (SELECT id FROM {several})")
        elif single.variable.startswith("?*"):
            conditions.append("false")  # a description of something that no premise names
    conditions.extend(f"{columns[kind]} IN (SELECT id FROM kind_words)" for kind in sorted(kinds) if kind in columns)
    return PremiseJoin(tuple(tables), tuple(conditions), columns)


def _row_conditions(binding: Binding, knowledge: Knowledge, columns: Mapping[str, str]) -> Iterator[str]:
    things = [thing for thing in columns if thing not in binding.variant.aliases]
    for number, one in enumerate(things):
        for other in things[number + 1 :]:
            yield f"{columns[one]} <> {columns[other]}"
    for exchange in symmetries(binding.variant):
        if all(binding.numbers[new] == binding.numbers[old] for old, new in exchange.letters.items()):
            moved = next(thing for thing in columns if exchange.things[thing] != thing)
            yield f"{columns[moved]} < {columns[exchange.things[moved]]}"
    for thing in _new_subjects(binding.variant, columns):
        # A date has no birth date: literals are only the objects of facts.
        yield f"{columns[thing]} NOT IN (SELECT id FROM terms WHERE kind = {LITERAL})"
    yield from _not_called_like_its_class(binding, knowledge, columns)
    if knowledge.has_unusable:
        for thing in things:
            yield f"{columns[thing]} NOT IN (SELECT id FROM unusable)"
    for condition in binding.variant.conditions:
        if condition.name == "different" and all(part in columns for part in condition.parts):
            one, other = (columns[part] for part in condition.parts)
            wide_one, wide_other = knowledge.closure.number(one), knowledge.closure.number(other)
            yield f"{are_different(one, other, knowledge)} AND {wide_one} <> {wide_other}"


def _not_called_like_its_class(binding: Binding, knowledge: Knowledge, columns: Mapping[str, str]) -> Iterator[str]:
    """ "Is oil an oil?" asks nothing."""
    for atom in (*binding.variant.premises, *binding.variant.conclusion):
        noun = knowledge.class_nouns.get(binding.numbers[atom.object]) if atom.is_type else None
        if noun is not None and atom.subject in columns and atom.subject not in binding.variant.aliases:
            quoted = "'" + noun.lower().replace("'", "''") + "'"
            yield f"{columns[atom.subject]} NOT IN (SELECT id FROM names WHERE lower(name) = {quoted})"


def _new_subjects(variant: Variant, columns: Mapping[str, str]) -> list[str]:
    """The subjects of the conclusion that are only objects in the premises."""
    known = {atom.subject for atom in variant.premises} | {*variant.aliases}
    subjects = dict.fromkeys(atom.subject for atom in variant.conclusion)
    return [thing for thing in subjects if thing in columns and thing not in known]
