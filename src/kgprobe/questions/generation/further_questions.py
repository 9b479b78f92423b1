"""Questions beside the basic one: with another thing in a claim, choices, open questions, and unrelated sentences.

The other value of a functional relation, or the new name in an extended question, makes a claim false. A candidate is
another thing at the same end of the same relation. A row gets a few candidates, one after the other, and takes the
first for which the claim is refuted.

Other forms are added to cases that are read from the database. The rows of a case have the things of its premises, and
up to three wrong choices that were refuted when the case was made. All right answers come from the widest closure.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kgprobe.questions.cases import Question, QuestionCase
from kgprobe.questions.generation.conclusions import Made, Shaped
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.premises import column
from kgprobe.questions.generation.refutation import Asserted, Reason, holds, is_not_near
from kgprobe.questions.generation.samples import mixed_hash, row_hash
from kgprobe.questions.rules import Variant
from kgprobe.questions.wording import sentences

WRONG = ("wrong_1", "wrong_2", "wrong_3")
"""The columns for wrong choices."""
_DISTRACTORS = 3
_POOL = 3_000
_OPTION = "?*option"


def takes_forms(variant: Variant) -> bool:
    """Whether a conclusion can be a choice or an open question: it is one claim about a thing, and true."""
    atom = variant.conclusion[0]
    return variant.expected == "yes" and len(variant.conclusion) == 1 and not variant.at_least and not atom.is_type


@dataclass(frozen=True)
class _Distractor:
    text: str
    things: frozenset[str]


@dataclass(frozen=True)
class Forms:
    """The forms and the context that the settings ask for."""

    knowledge: Knowledge

    @property
    def is_plain(self) -> bool:
        """Whether cases stay as they are."""
        settings = self.knowledge.settings
        return settings.forms == ("yes-no",) and settings.context != "distractors"

    def applied(self, made: Made, start: int, end: int, cases: Sequence[QuestionCase]) -> list[QuestionCase]:
        """The cases of a block from `start` to `end`, with all forms and contexts."""
        if self.is_plain:
            return list(cases)
        extended = [self._with_distractors(case) for case in cases]
        if takes_forms(made.variant) and self.knowledge.settings.forms != ("yes-no",):
            return self._with_forms(made, start, end, extended)
        return extended

    # ---- distractors

    def _with_distractors(self, case: QuestionCase) -> QuestionCase:
        if self.knowledge.settings.context != "distractors":
            return case
        rng = random.Random(f"{self.knowledge.settings.seed} {case.id}")
        things = {thing for fact in case.facts for thing in (fact[0], fact[2])}
        things |= {consequence.claim.subject for consequence in case.consequences if consequence.claim}
        things |= {consequence.claim.object for consequence in case.consequences if consequence.claim}
        drawn = rng.sample(self._distractors, min(4 * _DISTRACTORS, len(self._distractors)))
        chosen = [distractor.text for distractor in drawn if not distractor.things & things][:_DISTRACTORS]
        contexts = {consequence.context for consequence in case.consequences}
        mixed = {context: _mixed(context, chosen, rng) for context in sorted(contexts)}
        return replace(
            case,
            consequences=tuple(
                replace(consequence, context=mixed[consequence.context]) for consequence in case.consequences
            ),
        )

    @cached_property
    def _distractors(self) -> list[_Distractor]:
        """True sentences, chosen by their hashes, in a stable order."""
        knowledge = self.knowledge
        relations = [
            relation for relation in knowledge.asked if relation.words is not None and not relation.words.is_kind
        ]
        if not relations:
            return []
        rows = knowledge.engine.query(
            f"SELECT s, p, o, a.name, b.name FROM edges JOIN names AS a ON a.id = s JOIN names AS b ON b.id = o"
            f" WHERE s <> o AND p IN ({', '.join(str(relation.id) for relation in relations)})"
            f" ORDER BY {row_hash(('s', 'p', 'o'), knowledge.settings.seed)}, s, p, o LIMIT {_POOL}"
        )
        templates = {
            relation.id: template
            for relation in relations
            if (template := sentences.statement(sentences.PathClaim("?s", (relation,), "?o"))) is not None
        }
        several = {
            single: {row[0] for row in knowledge.engine.query(f"SELECT id FROM {knowledge.several(single)}")}
            for template in templates.values()
            for single in template.singles
        }
        terms = self._terms({term for s, _, o, _, _ in rows for term in (s, o)})
        return [
            _Distractor(templates[p].text({"?s": first, "?o": second}), frozenset((terms[s], terms[o])))
            for s, p, o, first, second in rows
            if p in templates
            and not any({"?s": s, "?o": o}[single.variable] in several[single] for single in templates[p].singles)
        ]

    def _terms(self, numbers: set[int]) -> dict[int, str]:
        listed = ", ".join(map(str, sorted(numbers))) or "-1"
        return dict(self.knowledge.engine.query(f"SELECT id, term FROM things WHERE id IN ({listed})"))

    # ---- choices and open questions

    def _with_forms(self, made: Made, start: int, end: int, cases: list[QuestionCase]) -> list[QuestionCase]:
        wanted = self.knowledge.settings.forms
        rows = self._rows(made, start, end)
        right = self._right(made, start, end)
        extended = []
        for position, case in enumerate(cases, start):
            binding, names, wrong = rows[position]
            basic = case.consequences[0]
            kept = [consequence for consequence in case.consequences if "yes-no" in wanted]
            answers = right.get(position, ())
            if "choice" in wanted and wrong:
                kept += _choice(made, made.bindings[binding], self.knowledge, names, wrong, basic, answers, case.id)
            if "open" in wanted:
                kept += _open(made, made.bindings[binding], self.knowledge, names, basic, answers)
            extended.append(replace(case, consequences=tuple(kept) or case.consequences))
        return extended

    def _rows(self, made: Made, start: int, end: int) -> dict[int, tuple[int, dict[str, str], list[str]]]:
        """For each position the number of the binding, the names of the variables, and the wrong choices."""
        variables = made.variant.things
        joins, columns = [], []
        for number, variable in enumerate(variables):
            table, key = ("alias_numbers", "number") if variable in made.variant.aliases else ("names", "id")
            joins.append(f"JOIN {table} AS n{number} ON n{number}.{key} = c.{column(variable)}")
            columns.append(f"n{number}.name")
        for number, wrong in enumerate(WRONG):
            joins.append(f"LEFT JOIN names AS w{number} ON w{number}.id = c.{wrong}")
            columns.append(f"w{number}.name")
        query = (
            f"SELECT c.rowid, c.binding, {', '.join(columns)} FROM {made.table} AS c {' '.join(joins)}"
            f" WHERE c.rowid BETWEEN {start} AND {end - 1}"
        )
        rows: dict[int, tuple[int, dict[str, str], list[str]]] = {}
        for position, binding, *values in self.knowledge.engine.query(query):
            names = dict(zip(variables, values, strict=False))
            others = dict.fromkeys(value for value in values[len(variables) :] if value is not None)
            rows[position] = (binding, names, list(others))
        return rows

    def _right(self, made: Made, start: int, end: int) -> Mapping[int, tuple[str, ...]]:
        """All names of all things of which the claim is true, for each position."""
        knowledge = self.knowledge
        (atom,) = made.variant.conclusion
        alias_of = {premise.object: premise.subject for premise in made.variant.premises if premise.is_alias}
        subject = column(alias_of.get(atom.subject, atom.subject))
        answers: dict[int, dict[str, None]] = defaultdict(dict)
        for binding, shaped in enumerate(made.bindings):
            start_of, end_of, merged = f"c.{subject}", "all_names.id", ""
            if knowledge.closure.has_merged:
                start_of = f"coalesce(m.rep, c.{subject})"
                end_of = "coalesce((SELECT rep FROM merged WHERE merged.id = all_names.id), all_names.id)"
                merged = f" LEFT JOIN merged AS m ON m.id = c.{subject}"
            steps = [f"w{number}.p = {relation}" for number, relation in enumerate(shaped.path)]
            steps += [f"w{number}.s = w{number - 1}.o" for number in range(1, len(shaped.path))]
            tables = ", ".join(f"widest AS w{number}" for number in range(len(shaped.path)))
            query = (
                f"SELECT ends.position, all_names.name FROM (SELECT given.position, w{len(shaped.path) - 1}.o AS thing"
                f" FROM (SELECT c.rowid AS position, {start_of} AS start FROM {made.table} AS c{merged}"
                f" WHERE c.binding = {binding} AND c.rowid BETWEEN {start} AND {end - 1}) AS given, {tables}"
                f" WHERE w0.s = given.start AND {' AND '.join(steps)}) AS ends,"
                " (SELECT id, name, 0 AS kind FROM names UNION ALL SELECT id, name, 1 FROM aliases) AS all_names"
                f" WHERE {end_of} = ends.thing ORDER BY ends.position, all_names.kind, all_names.name"
            )
            for position, name in knowledge.engine.query(query):
                answers[position][name] = None
        return {position: tuple(names) for position, names in answers.items()}


def _mixed(context: str, chosen: Sequence[str], rng: random.Random) -> str:
    """The sentences of a context among others. The premises stay together, since a name can contain a full stop."""
    parts = [*chosen, context] if context else list(chosen)
    rng.shuffle(parts)
    return " ".join(parts)


def _claim(made: Made, shaped: Shaped, knowledge: Knowledge) -> sentences.PathClaim:
    (atom,) = made.variant.conclusion
    relations = tuple(knowledge.schema.relations[step] for step in shaped.path)
    return sentences.PathClaim(atom.subject, relations, atom.object, shaped.via)


def _choice(
    made: Made,
    shaped: Shaped,
    knowledge: Knowledge,
    names: Mapping[str, str],
    wrong: Sequence[str],
    basic: Question,
    answers: Sequence[str],
    case_id: str,
) -> list[Question]:
    claim = _claim(made, shaped, knowledge)
    right = names[claim.object]
    options = [right, *wrong]
    random.Random(f"{knowledge.settings.seed} {case_id} options").shuffle(options)
    variables = [f"{_OPTION}{number}" for number in range(len(options))]
    template = sentences.choice(claim, variables)
    if template is None:
        return []
    text = template.text({**names, **dict(zip(variables, options, strict=True))})
    rights = tuple(dict.fromkeys((right, *answers)))
    return [replace(basic, text=text, expected=right, form="choice", right=rights, wrong=tuple(wrong))]


def _open(
    made: Made, shaped: Shaped, knowledge: Knowledge, names: Mapping[str, str], basic: Question, answers: Sequence[str]
) -> list[Question]:
    claim = _claim(made, shaped, knowledge)
    template = sentences.open_question(claim)
    if template is None:
        return []
    rights = tuple(dict.fromkeys((names[claim.object], *answers)))
    return [replace(basic, text=template.text(names), expected=rights[0], form="open", right=rights)]


_ROUNDS = 6
_SMALL = 20_000


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: a thing from a pool for which a claim is false, other than the things in some columns.

    `among` is a condition for the rows that get one, in a query that names their table t.
    """

    pool: tuple[str, int]
    claim: Asserted
    reasons: tuple[Reason, ...]
    besides: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    salt: int = 0
    among: str = "true"


def refute(engine: Engine, knowledge: Knowledge, table: str, claim: Asserted, why: Sequence[Reason]) -> int:
    """Add a column `reason` to a table: the number of the reason for which a claim is false. Other rows are dropped.

    Returns the number of rows.
    """
    case = _reason(why, [holds(claim, knowledge)])
    refuted = engine.table(
        f"{table}_judged",
        f"SELECT * FROM (SELECT c.* EXCLUDE (wide_s, wide_o), {case} AS reason"
        f" FROM ({_with_wide(table, claim, knowledge)}) AS c) AS judged WHERE reason IS NOT NULL",
    )
    engine.rename(f"{table}_judged", table)
    return refuted


def choose(engine: Engine, knowledge: Knowledge, table: str, rows: int, search: Search) -> int:
    """Make the table `chosen` with a sound thing for each row of a table that has one.

    It has the columns `row` (the row's rowid), `found` and `reason`, the number of the reason why the claim is false.
    Small tables try all candidates in one query, and large ones those that are needed: the result is the same.
    """
    step = _ROUNDS if rows <= _SMALL else 1
    chosen = 0
    for first in range(0, _ROUNDS, step):
        sql = _attempt(knowledge, table, search, range(first, first + step), is_first=not first)
        if first:
            more = engine.append("chosen", sql)
            chosen += more
        else:
            chosen = engine.table("chosen", sql)
        if chosen == rows:
            break
    return chosen


def _attempt(knowledge: Knowledge, table: str, search: Search, rounds: range, *, is_first: bool) -> str:
    pool, size = search.pool
    barred = [holds(search.claim, knowledge), *(f"NOT ({condition})" for condition in search.conditions)]
    barred += [f"c.found = {beside}" for beside in search.besides]
    near = is_not_near(search.claim, knowledge)
    case = _reason(search.reasons, barred if near == "true" else [*barred, f"NOT ({near})"])
    salts = [mixed_hash("t.h", search.salt * 31 + round_) for round_ in rounds]
    number = f"(CASE r.round {' '.join(f'WHEN {n} THEN {salt}' for n, salt in enumerate(salts))} END) % {size}"
    left = f" WHERE {search.among}" + ("" if is_first else " AND t.rowid NOT IN (SELECT row FROM chosen)")
    drawn = (
        f"(SELECT t.rowid AS row, r.round, t.*, pool.id AS found"
        f" FROM {table} AS t CROSS JOIN range({len(salts)}) AS r(round) JOIN {pool} AS pool ON pool.n = {number}{left})"
    )
    tried = f"SELECT c.row, c.round, c.found, {case} AS reason FROM ({_with_wide(drawn, search.claim, knowledge)}) AS c"
    return (
        f"SELECT row, arg_min(found, round) AS found, arg_min(reason, round) AS reason FROM ({tried}) AS tried"
        " WHERE reason IS NOT NULL GROUP BY row"
    )


def _reason(why: Sequence[Reason], barred: Sequence[str]) -> str:
    """SQL: the number of the first reason that applies, from 1; null if none does, or something bars the claim."""
    numbered = " ".join(f"WHEN {reason.condition} THEN {number}" for number, reason in enumerate(why, 1))
    return f"CASE WHEN {' OR '.join(barred)} THEN NULL {numbered} END" if numbered else "CAST(NULL AS INTEGER)"


def _with_wide(table: str, claim: Asserted, knowledge: Knowledge) -> str:
    """The rows of a table with the numbers that the ends of a claim have in the widest closure."""
    subject, object_ = claim.subject.removeprefix("c."), claim.object.removeprefix("c.")
    if not knowledge.closure.has_merged:
        return f"SELECT *, 0 AS wide_s, 0 AS wide_o FROM {table} AS given"
    if claim.class_ is not None:
        object_ = subject
    return (
        f"SELECT given.*, coalesce(ms.rep, given.{subject}) AS wide_s, coalesce(mo.rep, given.{object_}) AS wide_o"
        f" FROM {table} AS given LEFT JOIN merged AS ms ON ms.id = given.{subject}"
        f" LEFT JOIN merged AS mo ON mo.id = given.{object_}"
    )
