"""Makes cases: for each rule and each binding a sample of facts, sound answers, and extended questions."""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.questions.facts.loading import Progress, open_facts
from kgprobe.questions.generation.conclusions import OTHER, Made, Shaped, Wording, shape_of, wording_of
from kgprobe.questions.generation.engines import Engine, check_engine, engine_for
from kgprobe.questions.generation.further_questions import WRONG, Search, choose, refute, takes_forms
from kgprobe.questions.generation.knowledge import Knowledge, knowledge_of
from kgprobe.questions.generation.premises import Binding, bindings_of, column, premise_join
from kgprobe.questions.generation.refutation import Asserted, Reason, follows, holds, reasons
from kgprobe.questions.generation.samples import cut, draw, limited
from kgprobe.questions.generation.texts import Generated
from kgprobe.questions.rules import Atom, Rule, Variant, chosen_rules
from kgprobe.questions.schema.traits import schema_of
from kgprobe.questions.settings import Settings, SettingsError
from kgprobe.questions.wording.sentences import Single, Slot

__all__ = ["generate"]

_LIKE_A_PREMISE = "the conclusion reads like a premise"
_SEVERAL = "'the' describes several things"


def generate(
    sources: Iterable[str | Path],
    settings: Settings,
    *,
    facts_file: str | Path | None = None,
    engine: str = "duckdb",
    on_progress: Callable[[Progress], None] | None = None,
) -> Generated:
    """Make cases from graph files. Close the result, or use it in a `with` statement.

    With `facts_file`, the facts are kept there for the next time. `engine` is one of `ENGINES`; the cases are the same.
    """
    check_engine(engine)
    rules = chosen_rules(settings.rules)
    with ExitStack() as if_it_fails:
        facts = open_facts(sources, facts_file, language=settings.language, on_progress=on_progress)
        if_it_fails.enter_context(facts)
        with engine_for(engine, facts) as tables:
            made = generate_from(tables, settings, rules)
        if_it_fails.pop_all()
    return made


def generate_from(engine: Engine, settings: Settings, rules: Sequence[Rule]) -> Generated:
    """Make cases from facts that are loaded."""
    schema = schema_of(engine.facts, settings)
    knowledge = knowledge_of(engine, schema, settings)
    work = _Work(knowledge, Counter())
    made: list[Made] = []
    empty: dict[str, str] = {}
    for place, rule in enumerate(rules):
        before = len(made)
        why = ""
        for number, variant in enumerate(rule.variants):
            if "yes-no" not in settings.forms and not takes_forms(variant):
                why = why or "its conclusions are yes-no questions"
                continue
            try:
                conclusions, reason = work.variant(rule, variant, f"cases_{place}_{number}")
            except SettingsError as error:
                raise InputError(error.message, where=Position(f"{rule.name}.toml"), hint=error.hint) from None
            why = why if number and why != _NOTHING_APPLIES else reason
            if conclusions is not None:
                made.append(conclusions)
        made[before:] = limited(engine, made[before:], settings.limit)
        if len(made) == before:
            empty[rule.name] = why
    work.count_names()
    return Generated(knowledge, tuple(made), dict(sorted(work.dropped.items())), empty)


_NO_THING = "CAST(NULL AS INTEGER)"
_MOST_BINDINGS = 5_000
_TOO_MANY = f"combinations of relations after the first {_MOST_BINDINGS:,}"
_NOTHING_APPLIES = "no relation or class meets its conditions"


@dataclass(frozen=True)
class _Work:
    """The making of cases, with the counts of what was dropped."""

    knowledge: Knowledge
    dropped: Counter[str]

    @property
    def engine(self) -> Engine:
        return self.knowledge.engine

    def variant(self, rule: Rule, variant: Variant, table: str) -> tuple[Made | None, str]:
        """The cases of a variant in a table; None, and why, if there are none."""
        shaped: list[Shaped] = []
        why = _NOTHING_APPLIES
        bindings = list(islice(bindings_of(variant, self.knowledge), _MOST_BINDINGS + 1))
        if len(bindings) > _MOST_BINDINGS:
            self.dropped[_TOO_MANY] += 1
        for binding in bindings[:_MOST_BINDINGS]:
            wording = wording_of(binding, self.knowledge)
            if wording is None:
                why = "no relation or class that meets its conditions can be worded"
                continue
            if wording.reads_like_a_premise:
                why = "each conclusion reads like a premise"
                join = premise_join(binding, self.knowledge)
                self.dropped[_LIKE_A_PREMISE] += int(self.engine.value(join.select("count(*)")))
                continue
            shape = self.binding(rule, binding, wording, table, len(shaped))
            if shape is None:
                why = "no facts match its premises, or no sound answer is known"
            else:
                shaped.append(shape)
        if not shaped:
            return None, why
        return Made(rule.name, variant, table, tuple(shaped), self.engine.count(table)), ""

    def binding(self, rule: Rule, binding: Binding, wording: Wording, table: str, number: int) -> Shaped | None:
        """Add the cases of a binding to a table. None if there are none."""
        settings, knowledge = self.knowledge.settings, self.knowledge
        variant = binding.variant
        limit = settings.limit
        join = premise_join(binding, knowledge, wording.singles, _kinds(wording))
        if variant.expected == "yes" and not follows(variant):
            join = join.where(*self._looked_up(binding, wording, join.columns))
        facts = sum(
            knowledge.facts_of.get(relation, 0) for atom in variant.premises for relation in binding.relations(atom)
        )
        wanted = limit if variant.expected == "yes" else 2 * limit
        rows = draw(self.engine, join, wanted, settings.seed, facts)
        why: tuple[Reason, ...] = ()
        if rows and variant.expected == "no":
            rows, why = self._denied(binding, wording, rows)
        if not rows:
            return None
        columns = [column(thing) for thing in variant.things]
        kept = cut(self.engine, "sample", columns, rows, limit)
        other = self._extended(binding, wording, min(rows, limit), kept)
        wrong = self._wrong_choices(binding, wording, min(rows, limit), kept)
        reason = "t.reason" if variant.expected == "no" else "0"
        chosen = ("chosen_other.found", "chosen_other.reason") if other else (_NO_THING, _NO_THING)
        select = (
            f"SELECT {number} AS binding, {', '.join(columns)}, h, {reason} AS reason, {chosen[0]} AS other,"
            f" {chosen[1]} AS other_reason{''.join(f', {sql} AS {name}' for name, sql in wrong.items())}"
            " FROM sample AS t"
        )
        joined = [*(["chosen_other"] if other else []), *(name for name in wrong if wrong[name] != _NO_THING)]
        select += "".join(f" LEFT JOIN {name} ON {name}.row = t.rowid" for name in joined)
        select += f" WHERE {kept} ORDER BY h, {', '.join(columns)}"
        if number:
            self.engine.append(table, select)
        else:
            self.engine.table(table, select)
        return shape_of(rule, binding, wording, knowledge, why, other)

    def _looked_up(self, binding: Binding, wording: Wording, columns: dict[str, str]) -> list[str]:
        """Conditions: the claims of the conclusion are in the closure."""
        if binding.variant.at_least:
            return ["false"]
        return [
            holds(_asserted(atom, binding, wording, columns), self.knowledge, "closure")
            for atom in binding.variant.conclusion
        ]

    def _denied(self, binding: Binding, wording: Wording, rows: int) -> tuple[int, tuple[Reason, ...]]:
        """Find a reason for each row of the sample, and the thing that only the conclusion has; drop other rows."""
        variant = binding.variant
        (atom,) = variant.conclusion
        columns = {thing: f"c.{column(thing)}" for thing in variant.things} | dict.fromkeys(variant.fresh, "c.found")
        claim = self._wide(_asserted(atom, binding, wording, columns))
        why = reasons(claim, self.knowledge)
        if not variant.fresh:
            return refute(self.engine, self.knowledge, "sample", claim, why), why
        (new,) = variant.fresh
        besides = tuple(columns[thing] for thing in variant.things if thing != new and thing not in variant.aliases)
        conditions = self._single_conditions(wording.singles, new, columns[new])
        pool = self._pool(atom, binding, new) if why else ("", 0)
        if not pool[1]:
            return 0, why
        search = Search(pool, claim, why, besides, conditions, salt=1)
        choose(self.engine, self.knowledge, "sample", rows, search)
        denied = self.engine.table(
            "sample_chosen",
            f"SELECT sample.*, found AS {column(new)}, reason FROM sample JOIN chosen ON chosen.row = sample.rowid",
        )
        self.engine.rename("sample_chosen", "sample")
        return denied, why

    def _extended(self, binding: Binding, wording: Wording, rows: int, kept: str) -> tuple[Reason, ...]:
        """Choose another thing for the first name of the question, if there is a sound one."""
        variant = binding.variant
        first = wording.alias_of.get(wording.first, wording.first)
        columns = {thing: f"c.{column(thing)}" for thing in variant.things}
        besides = tuple(columns[thing] for thing in variant.things if thing not in variant.aliases)
        atom = next(atom for atom in variant.conclusion if wording.first in atom.things)
        columns |= {wording.first: "c.found", first: "c.found"}
        claim = self._wide(_asserted(atom, binding, wording, columns))
        why = self._too_few(claim, variant.at_least) if variant.at_least else reasons(claim, self.knowledge)
        singles = wording.other_singles
        if any(single.variable.startswith("?*") and single.variable != OTHER for single in singles):
            why = ()
        if wording.first == atom.subject and len(atom.path) > 2:
            why = ()  # the things between the steps of the other path are not known
        conditions = self._single_conditions(singles, OTHER, "c.found")
        if Slot(OTHER, "a-name") in wording.other.slots:
            conditions += ("c.found IN (SELECT id FROM kind_words)",)
        if wording.first == atom.subject and len(atom.path) == 2:
            conditions += (f"EXISTS (SELECT 1 FROM closure AS y WHERE y.p = {claim.path[0]} AND y.s = c.found)",)
        if not why:
            return ()
        pool = self._pool(atom, binding, wording.first)
        search = Search(pool, claim, why, besides, conditions, salt=2, among=kept)
        if not pool[1] or not choose(self.engine, self.knowledge, "sample", rows, search):
            return ()
        self.engine.rename("chosen", "chosen_other")
        return why

    def _wrong_choices(self, binding: Binding, wording: Wording, rows: int, kept: str) -> dict[str, str]:
        """Choose wrong things for the object of the conclusion, if choices are asked for: columns and their SQL."""
        variant = binding.variant
        if set(self.knowledge.settings.forms) <= {"yes-no"} or not takes_forms(variant):
            return {}
        (atom,) = variant.conclusion
        object_ = wording.alias_of.get(atom.object, atom.object)
        columns = {thing: f"c.{column(thing)}" for thing in variant.things}
        besides = tuple(columns[thing] for thing in variant.things if thing not in variant.aliases)
        claim = self._wide(_asserted(atom, binding, wording, columns | {object_: "c.found"}))
        why = reasons(claim, self.knowledge) if "choice" in self.knowledge.settings.forms else ()
        pool = self._pool(atom, binding, atom.object) if why else ("", 0)
        choices = dict.fromkeys(WRONG, _NO_THING)
        for salt, name in enumerate(WRONG, 3) if pool[1] else ():
            if choose(self.engine, self.knowledge, "sample", rows, Search(pool, claim, why, besides, (), salt, kept)):
                self.engine.rename("chosen", name)
                choices[name] = f"{name}.found"
        return choices

    def _too_few(self, claim: Asserted, at_least: int) -> tuple[Reason, ...]:
        relation = claim.path[-1]
        if len(claim.path) > 1 or not self.knowledge.is_closed(relation):
            return ()
        values = f"(SELECT count(*) FROM widest AS w WHERE w.p = {relation} AND w.s = {claim.wide_subject})"
        label = self.knowledge.named(relation)
        return (Reason(f"{values} < {at_least}", f"all facts of '{label}' are known, and there are fewer"),)

    def _single_conditions(self, singles: Iterable[Single], variable: str, sql: str) -> tuple[str, ...]:
        return tuple(
            f"{sql} NOT IN (SELECT id FROM {self.knowledge.several(single)})"
            for single in singles
            if single.variable == variable
        )

    def _wide(self, claim: Asserted) -> Asserted:
        if not self.knowledge.closure.has_merged:
            return Asserted(claim.subject, claim.path, claim.object, claim.class_, claim.subject, claim.object)
        return Asserted(claim.subject, claim.path, claim.object, claim.class_, "c.wide_s", "c.wide_o")

    def _pool(self, atom: Atom, binding: Binding, thing: str) -> tuple[str, int]:
        """The things of the same kind: those at the same end of the same relation."""
        if atom.is_type:
            return self.knowledge.pool(self.knowledge.type_id, objects=False)
        relations = binding.relations(atom)
        if thing == atom.object:
            return self.knowledge.pool(relations[-1], objects=True)
        return self.knowledge.pool(relations[0], objects=False)

    def count_names(self) -> None:
        """Count what was dropped because of names and words."""
        if self.knowledge.has_unusable:
            self._count_unusable()
        for name in self.knowledge.several_tables:
            self.dropped[_SEVERAL] += self.engine.count(name)
        for relation in self.knowledge.schema.relations.values():
            if relation.words is None and self.knowledge.facts_of.get(relation.id):
                self.dropped[relation.why_no_words] += 1
        for class_, reason in self.knowledge.schema.unusable_classes.items():
            self.dropped[reason] += class_ in self.knowledge.members_of
        for reason in [dropped for dropped, count in self.dropped.items() if not count]:
            del self.dropped[reason]

    def _count_unusable(self) -> None:
        for reason, count in self.engine.query(
            "SELECT reason, count(*) FROM unusable WHERE id IN (SELECT s FROM edges UNION SELECT o FROM edges"
            f" WHERE p <> {self.knowledge.type_id}) GROUP BY reason"
        ):
            self.dropped[reason] += count


def _asserted(atom: Atom, binding: Binding, wording: Wording, columns: dict[str, str]) -> Asserted:
    subject, object_ = (wording.alias_of.get(thing, thing) for thing in (atom.subject, atom.object))
    if atom.is_type:
        return Asserted(columns[subject], (), columns[subject], binding.numbers[atom.object])
    return Asserted(columns[subject], binding.relations(atom), columns.get(object_, columns[subject]))


def _kinds(wording: Wording) -> frozenset[str]:
    """The variables whose names are kinds of things: "a city"."""
    templates = (*wording.premises, *wording.statements, wording.question)
    return frozenset(slot.variable for template in templates for slot in template.slots if slot.form == "a-name")
