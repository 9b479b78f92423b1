"""A worker process: receives the setting from its parent, then calls of the judge, and sends the result of each."""

from __future__ import annotations

import pickle
import sys

from kgprobe.entailment.rules import Regime
from kgprobe.errors import KgprobeError
from kgprobe.processes.channel import serving_parent
from kgprobe.processes.limits import bound_memory
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.limit import Limit

_BYTES = 2 << 30
_BYTES_FOR_A_TRIPLE = 4 << 10  # in indexes and closures


def main(descriptor: int) -> None:
    """Serve one parent."""
    with serving_parent(descriptor) as channel:
        setting, names, file = pickle.loads(channel.receive())  # noqa: S301 - from kgprobe's own process
        _bound_memory(setting)
        try:
            with Judge(setting, Limit(setting.seconds, file)) as judge:
                if names is not None:
                    judge.learn(names)
                channel.send(pickle.dumps(None))
                while True:
                    method, arguments = pickle.loads(channel.receive())  # noqa: S301
                    channel.send(pickle.dumps(getattr(judge, method)(*arguments)))
        except KgprobeError as error:
            channel.send(pickle.dumps(error))


def _bound_memory(setting: Setting) -> None:
    """The limit would also hold for the programs that this process starts: the user's tests, and reasoners."""
    if setting.command is None and setting.reasoner is None and setting.regime is not Regime.DL:
        bound_memory(_BYTES + _BYTES_FOR_A_TRIPLE * len(setting.graph))


if __name__ == "__main__":
    main(int(sys.argv[1]))
