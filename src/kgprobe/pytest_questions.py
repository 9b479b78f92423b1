"""A plugin for pytest: a test that fails if a program draws wrong conclusions.

The fixture `kg_questions` makes questions from a graph, and asks a function:

    def test_conclusions(kg_questions):
        kg_questions("cities.ttl", my_program.answer, closed=["containsPlace"])

The test fails if the function gets all premises of a case right and a conclusion wrong. The plugin imports nothing
until a test asks.
"""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    import rdflib

    from kgprobe.campaign.sources.questions import JudgedCase
    from kgprobe.config.profile import Profile
    from kgprobe.model import Prompt
    from kgprobe.rdf.graph import Graph

_Facts: TypeAlias = "Graph | rdflib.Graph | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
_MOST_SHOWN = 5
_DEFAULT_LIMIT = 20
_CASE_FILES = (".jsonl", ".parquet")


@dataclass(frozen=True)
class Answered:
    """The result of asking: the number of cases, how many tested something, and how many are undecided."""

    cases: int
    tested: int
    undecided: int


class _Questions:
    """The value of the fixture `kg_questions`."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path) -> None:
        self._here = request.path.parent
        self._folder = folder

    def __call__(self, facts: _Facts, answer: Callable[..., Any], **settings: Any) -> Answered:
        """Ask a function questions made from facts. The test fails if it draws a wrong conclusion.

        The facts are a file or a folder, relative to that of the test, several of them, a graph of kgprobe, or a graph
        of rdflib; or a file of cases that `kgprobe questions generate` has written. The function gets the question and
        its context, or only a prompt with both if it takes one argument. The settings are the keys of [questions] in a
        profile, with underscores; `limit` is 20 unless it is given.
        """
        __tracebackhide__ = True
        from kgprobe.errors import KgprobeError

        try:
            profile = self._profile(facts, settings)
            judged = self._judged(profile, answer)
        except KgprobeError as error:
            pytest.fail(f"kgprobe: {error}", pytrace=False)
        failed = [case for case in judged if case.verdict.failures]
        if failed:
            pytest.fail("\n".join(_failure_lines(failed, len(judged))), pytrace=False)
        outcomes = Counter(str(case.verdict.outcome) for case in judged)
        tested = outcomes["pass"] + outcomes["undecided"]
        if not tested:
            whys = Counter(case.verdict.why for case in judged).most_common(1)
            why = whys[0][0] if whys else "no case can be made from the facts"
            pytest.fail(f"kgprobe: nothing was tested: {why}", pytrace=False)
        return Answered(len(judged), tested, outcomes["undecided"])

    def _profile(self, facts: _Facts, settings: Mapping[str, Any]) -> Profile:
        from kgprobe.config.loading import profile_in
        from kgprobe.config.toml import Places

        files = self._files(facts)
        is_cases = len(files) == 1 and files[0].endswith(_CASE_FILES)
        source = {"cases": files[0]} if is_cases else {"facts": files, "limit": _DEFAULT_LIMIT}
        document = {"questions": {**source, **_with_hyphens(settings)}}
        return profile_in(document, self._here / "kg_questions", Places("kg_questions"))

    def _files(self, facts: _Facts) -> list[str]:
        if isinstance(facts, str | os.PathLike):
            return [str(self._here / facts)]
        if isinstance(facts, list | tuple):
            return [str(self._here / file) for file in facts]
        from kgprobe.api import from_rdflib
        from kgprobe.formats.files import save
        from kgprobe.rdf.graph import Graph

        file = self._folder / "facts.ttl"
        save(facts if isinstance(facts, Graph) else from_rdflib(facts), file)  # type: ignore[arg-type]  # not a list
        return [str(file)]

    @staticmethod
    def _judged(profile: Profile, answer: Callable[..., Any]) -> list[JudgedCase]:
        from kgprobe.campaign.harness import inference_oracle
        from kgprobe.campaign.sources.questions import ask_all, cases_of

        oracle = inference_oracle(profile.questions.reader, profile.oracle)
        name = getattr(answer, "__name__", "function")
        with cases_of(profile) as cases:
            return list(ask_all(cases.starting_at(0), _asking(answer), oracle, name))


def _with_hyphens(value: Any) -> Any:
    """The settings as a profile has them: keys with hyphens, and lists. Names of relations stay as they are."""
    if isinstance(value, Mapping):
        return {
            key.replace("_", "-"): {name: _with_hyphens(each) for name, each in inner.items()}
            if key == "relations" and isinstance(inner, Mapping)
            else _with_hyphens(inner)
            for key, inner in value.items()
        }
    return [_with_hyphens(element) for element in value] if isinstance(value, list | tuple) else value


def _asking(answer: Callable[..., Any]) -> Callable[[Prompt], str]:
    from kgprobe.systems.prompts import PromptText, reply_text
    from kgprobe.user_functions import called

    if _takes_one_argument(answer):
        filled = PromptText().filled
        return lambda prompt: reply_text(called(answer, filled(prompt)))
    return lambda prompt: reply_text(called(answer, prompt.text, prompt.context))


def _takes_one_argument(answer: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(answer).parameters.values()
    except (TypeError, ValueError):  # a function that is not written in Python
        return False
    positional = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    needed = [each for each in positional if each.default is each.empty]
    return (
        len(needed) <= 1
        and len(positional) < 2
        and not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    )


def _failure_lines(failed: Sequence[JudgedCase], cases: int) -> Iterator[str]:
    yield f"kgprobe: wrong conclusions in {len(failed)} of {cases} cases"
    for case in failed[:_MOST_SHOWN]:
        yield case.case.id
        for failure in case.verdict.failures:
            yield f"  {failure.signature}"
            yield from (f"    {line}" for line in failure.words)
    if len(failed) > _MOST_SHOWN:
        yield f"and {len(failed) - _MOST_SHOWN} more"


@pytest.fixture
def kg_questions(request: pytest.FixtureRequest, tmp_path: Path) -> _Questions:
    """Ask a function questions whose answers follow from each other. The test fails on a wrong conclusion.

    def test_conclusions(kg_questions):
        kg_questions("cities.ttl", my_program.answer, closed=["containsPlace"], limit=100)
    """
    return _Questions(request, tmp_path)
