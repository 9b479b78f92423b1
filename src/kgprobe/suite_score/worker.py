"""A worker process: receives the setting and then mutants from its parent, and sends what became of each."""

from __future__ import annotations

import pickle
import sys

from kgprobe.errors import KgprobeError
from kgprobe.processes.served_parent import serving_parent
from kgprobe.suite_score.judging import Judge


def main(descriptor: int) -> None:
    """Serve one parent."""
    with serving_parent(descriptor) as channel:
        setting, names = pickle.loads(channel.receive())  # noqa: S301 - from kgprobe's own process
        try:
            with Judge(setting) as judge:
                judge.learn(names)
                channel.send(pickle.dumps(None))
                while True:
                    delta, order = pickle.loads(channel.receive())  # noqa: S301
                    channel.send(pickle.dumps(judge.judged(delta, order)))
        except KgprobeError as error:
            channel.send(pickle.dumps(error))


if __name__ == "__main__":
    main(int(sys.argv[1]))
