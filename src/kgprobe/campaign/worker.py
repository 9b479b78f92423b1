"""A worker process: receives a job and tasks from its parent, and sends results until the parent ends."""

from __future__ import annotations

import pickle
import sys

import kgprobe.rdf.rows  # noqa: F401 - tables need numpy, and the first task must not wait until it is loaded
from kgprobe.campaign.executor import Job, Running, Task
from kgprobe.campaign.trial import Trial
from kgprobe.errors import KgprobeError
from kgprobe.processes.channel import serving_parent


def main(descriptor: int) -> None:
    """Serve one parent."""
    with serving_parent(descriptor) as channel:
        job: Job = pickle.loads(channel.receive())  # noqa: S301 - from kgprobe's own process
        announced = False

        def announce(system: str) -> None:
            if announced:
                channel.send(pickle.dumps(Running(system)))

        try:
            trial = Trial(job, on_run=announce).__enter__()
        except KgprobeError as error:
            channel.send(pickle.dumps(error))
            return
        with trial:
            channel.send(pickle.dumps(None))
            while True:
                task: Task = pickle.loads(channel.receive())  # noqa: S301
                announced = task.announce
                channel.send(pickle.dumps(trial.result(task)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
