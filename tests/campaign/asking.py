"""Campaigns that ask questions: cases in a file, and a chat system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from kgprobe.campaign.events import Ended, Event, Judged
from kgprobe.campaign.local import usual_workers
from kgprobe.campaign.run import run_campaign
from kgprobe.config.loading import load_profile

__all__ = ["ended", "judged", "run", "write_questions"]


def write_questions(
    folder: Path, url: str, more: str = "", *, cases: int = 20, premises: Sequence[str] = ("Is {n} red?",)
) -> Path:
    """A profile with a chat system. Each case has these premises and one conclusion; {n} is its number."""
    folder.mkdir(exist_ok=True)
    lines = []
    for n in range(cases):
        antecedents = [{"question": each.format(n=n), "context": "", "expected": "yes"} for each in premises]
        conclusion = {"question": f"Is {n} coloured?", "context": f"{n} is red.", "expected": "yes", "kind": "basic"}
        facts = [[f"urn:{n}", "urn:is", "urn:red"]]
        case = {"id": f"c{n}", "rule": "colour", "relations": ["urn:is"], "facts": facts}
        claim = {"claim": None, "why": "it is"}
        rest = {"antecedents": [{**each, **claim} for each in antecedents], "consequences": [{**conclusion, **claim}]}
        lines.append(json.dumps({**case, **rest}))
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    profile = folder / "profile.toml"
    profile.write_text(f"""
[questions]
cases = "cases.jsonl"

[[systems]]
name = "small"
chat = "{url}"
model = "smol"
{more}
""")
    return profile


def run(profile: Path, workers: int | None = None) -> list[Event]:
    """Run a campaign to its end."""
    return list(run_campaign(load_profile(profile), lambda job: usual_workers(job, workers)))


def ended(events: Sequence[Event]) -> str:
    """Why a campaign ended."""
    [found] = [event.why for event in events if isinstance(event, Ended)]
    return found


def judged(events: Sequence[Event]) -> list[str]:
    """The outcomes of the cases, in the order of their numbers."""
    found = [event for event in events if isinstance(event, Judged)]
    return [str(event.verdict.outcome) for event in sorted(found, key=lambda event: event.number)]
