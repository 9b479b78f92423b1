"""A small campaign for tests: the robot of examples/pipes, in its own folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from kgprobe.campaign.events import Event
from kgprobe.campaign.executor import Job, Result, Task
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.trial import Trial
from kgprobe.config.loading import load_profile

__all__ = ["PIPES", "InThisProcess", "Results", "results_in", "run", "write_campaign"]

PIPES = Path("examples/pipes").resolve()

Results = tuple[object, ...]


def write_campaign(folder: Path, more: str = "", *, mutants: int = 40, system: str | None = None) -> Path:
    """A profile with all its files. `system` replaces the code of robot.py."""
    folder.mkdir(exist_ok=True)
    shutil.copytree(PIPES / "operators", folder / "operators", dirs_exist_ok=True)
    for name in ("pipes.ttl", "robot.py", "mission.py"):
        shutil.copy(PIPES / name, folder / name)
    if system is not None:
        (folder / "robot.py").write_text(system)
    profile = folder / "profile.toml"
    profile.write_text(f"""
[graph]
seeds = ["pipes.ttl"]

[mutation]
operators = ["operators/*.ru"]
weights = {{ AddSegment = 5 }}
mutations = 6
mutants = {mutants}
seed = 1

[python]
systems = [{{ name = "robot", function = "robot.py:inspect", seconds = 20 }}]
oracle = "mission.py:is_complete"
{more}
""")
    return profile


def run(profile: Path, workers: int = 1) -> list[Event]:
    """Run a campaign to its end. Tests about several workers say how many."""
    made = load_profile(profile)
    return list(run_campaign(made, lambda job: LocalWorkers(job, workers)))


class InThisProcess:
    """An executor without processes, for tests that are not about processes."""

    capacity = 1

    def __init__(self, job: Job) -> None:
        self._trial = Trial(job).__enter__()
        self._results: list[Result] = []

    def submit(self, task: Task) -> None:
        """Run a task immediately."""
        self._results.append(self._trial.result(task))

    def wait(self) -> list[Result]:
        """The results of the tasks."""
        found, self._results = self._results, []
        return found

    def close(self) -> None:
        """End the systems."""
        self._trial.close()


def results_in(profile: Path) -> Results:
    """All results of a campaign, without times."""
    with read_store(profile.with_suffix(".sqlite")) as store:
        return list(store.results()), store.findings(), store.sources(), store.in_flight()
