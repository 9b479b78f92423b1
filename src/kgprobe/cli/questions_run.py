"""`kgprobe questions run`: ask the systems of a profile, or one chat model about a graph."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import click

from kgprobe.cli.campaign import CampaignOptions, run_profile
from kgprobe.cli.options import takes
from kgprobe.config.loading import load_profile, profile_in
from kgprobe.config.profile import Profile
from kgprobe.config.toml import Places
from kgprobe.errors import InputError

_EXAMPLES = """\b
Examples:
  kgprobe questions run qa.toml                               ask all systems of a profile, or resume
  kgprobe questions run qa.toml --reader paper --json         read answers as the paper does
  kgprobe questions run qa.toml --case 17                     ask one case again
  kgprobe questions run cities.ttl --chat http://127.0.0.1:8080/v1 --model smol
"""


@click.command("run", epilog=_EXAMPLES, short_help="ask questions, and find wrong conclusions")
@click.argument("source", metavar="PROFILE|GRAPH")
@click.option("--chat", metavar="URL", help="With a GRAPH: the address of an OpenAI-compatible server.")
@click.option("--model", metavar="NAME", help="With a GRAPH: the model to ask.")
@click.option("--key-env", metavar="VARIABLE", help="With a GRAPH: the environment variable that has the key.")
@takes(CampaignOptions)
def command(source: str, chat: str | None, model: str | None, key_env: str | None, options: CampaignOptions) -> int:
    """Ask questions made from facts, and report wrong conclusions from premises that a system knows.

    With a PROFILE that has [questions], this is the same as 'kgprobe test PROFILE'. With a GRAPH, the model at --chat
    is asked, with all settings at their defaults. Exit code 1: there are findings that are not known bugs.
    """
    if source.casefold().endswith(".toml"):
        for option, value in (("--chat", chat), ("--model", model), ("--key-env", key_env)):
            if value is not None:
                raise InputError(f"{option} goes with a graph", hint="a profile names its systems in [[systems]]")
        return run_profile(lambda: _with_questions(load_profile(source)), source, options)
    return run_profile(lambda: _profile_for(source, chat, model, key_env), source, options)


def _with_questions(profile: Profile) -> Profile:
    _ = profile.questions  # InputError if it has none
    return profile


def _profile_for(graph: str, chat: str | None, model: str | None, key_env: str | None) -> Profile:
    """A profile with one chat system, and defaults for everything else."""
    if chat is None or model is None:
        missing = "--chat" if chat is None else "--model"
        hint = "write --chat http://127.0.0.1:8080/v1 --model NAME, or name a profile (.toml)"
        raise InputError(f"a graph needs {missing}", hint=hint)
    is_url = graph.casefold().startswith(("http://", "https://"))
    path = Path("questions") if is_url else Path(graph)
    system = {"name": model, "chat": chat, "model": model, **({"key-env": key_env} if key_env else {})}
    facts = graph if is_url else str(path.absolute())
    document = {"questions": {"facts": [facts]}, "systems": [system]}
    words = ["kgprobe", "questions", "run", graph, "--chat", chat, "--model", model]
    command_line = shlex.join([*words, *(["--key-env", key_env] if key_env else [])])
    made = profile_in(document, path, Places("the command line"))
    return replace(made, command=command_line)
