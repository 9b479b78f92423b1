"""Reduces a question that a system gets wrong: asks it several times, then leaves out sentences of its context.

Each answer costs a request. So the premises are not asked again, and each answer is kept under its number: a reduction
that was interrupted pays for no answer twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

from kgprobe.campaign.events import Reducing
from kgprobe.campaign.executor import Executor, Result, Task
from kgprobe.campaign.experiment import results_of
from kgprobe.campaign.store_reading import Finding, Reduced
from kgprobe.errors import one_line
from kgprobe.model import Failure, Inference, Prompt
from kgprobe.questions.cases import sentences_of
from kgprobe.reduction.parts import FewerParts, reducing_parts
from kgprobe.reduction.problem import DoesNotFailError, Effort, Progress

__all__ = ["reduced_question"]

REPEATS = 5
"""How often a question is asked to see how often the answer is wrong."""
_UNIT = "sentence"


def reduced_question(
    finding: Finding,
    number: int,
    inference: Inference,
    executor: Executor,
    task_for: Callable[[int, Inference], Task],
    deadline: float | None,
) -> Generator[Reducing, None, Reduced | str]:
    """The question that fails, with fewer sentences; or why it cannot be reduced."""
    asking = _Asking(finding, inference, executor, task_for)
    prompt = asking.failing()
    if prompt is None:
        return "no conclusion is answered wrongly any more"
    sentences = sentences_of(prompt.context)
    steps = reducing_parts(
        sentences,
        lambda candidates: asking.still_fails([_with_context(prompt, each) for each in candidates]),
        effort=Effort(repeats=REPEATS, deadline=deadline, batch=max(1, executor.capacity // 2)),
    )
    try:
        while True:
            event = next(steps)
            if isinstance(event, Progress):
                yield Reducing(finding.signature, number, event.phase, event.size, event.runs, _UNIT)
    except DoesNotFailError:
        return f"it did not fail again when it was asked {REPEATS} times"
    except StopIteration as end:
        fewer: FewerParts[str] = end.value
    reduced = _with_context(prompt, fewer.parts)
    cause = one_line(reduced.context) or "it needs no context"
    return Reduced(number, cause, _text(inference, reduced), _figures(fewer, len(sentences), asking.shown))


@dataclass
class _Asking:
    """Asks one conclusion without its premises. The n-th answer to the same question is kept as its n-th run."""

    finding: Finding
    inference: Inference
    executor: Executor
    task_for: Callable[[int, Inference], Task]
    shown: Failure | None = None
    _times: Counter[str] = field(default_factory=Counter)
    _tickets: int = 0

    def failing(self) -> Prompt | None:
        """The conclusion that shows the finding. Its first answer is known, if answers are kept."""
        for prompt in self.inference.conclusions:
            [fails] = self.still_fails([prompt])
            if fails:
                self._times.clear()
                return prompt
        return None

    def still_fails(self, prompts: Sequence[Prompt]) -> list[bool]:
        """Whether the answer to each of these is wrong in the same way."""
        results = results_of([self._task(prompt) for prompt in prompts], self.executor)
        return [self._has(result) for result in results]

    def _task(self, prompt: Prompt) -> Task:
        alone = replace(self.inference, premises=(), conclusions=(prompt,))
        run = self._times[alone.digest()]
        self._times[alone.digest()] += 1
        self._tickets += 1
        return replace(self.task_for(self._tickets, alone), only=(self.finding.system,), run=run)

    def _has(self, result: Result) -> bool:
        failures = () if result.verdict is None else result.verdict.failures
        found = next((failure for failure in failures if failure.signature == self.finding.signature), None)
        self.shown = found or self.shown
        return found is not None


def _with_context(prompt: Prompt, sentences: Sequence[str]) -> Prompt:
    return replace(prompt, context=" ".join(sentences))


def _text(inference: Inference, prompt: Prompt) -> str:
    """The question as a line of JSON, with everything that is needed to ask it."""
    value = {
        "rule": inference.rule,
        "relations": list(inference.relations),
        "question": prompt.text,
        "context": prompt.context,
        "expected": prompt.expected,
        **({"right": list(prompt.right)} if prompt.right else {}),
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _figures(fewer: FewerParts[str], before: int, shown: Failure | None) -> dict[str, object]:
    return {
        "unit": _UNIT,
        "system_runs": fewer.runs,
        "triples_before": before,
        "triples_after": len(fewer.parts),
        "rate_before": fewer.rate_before.share,
        "rate": fewer.rate.share,
        "failed": fewer.rate.failed,
        "runs": fewer.rate.runs,
        "is_minimal": fewer.is_minimal,
        "needed": None,
        "words": [] if shown is None else list(shown.words),
    }
