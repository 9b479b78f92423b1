"""`kgprobe test`: runs a campaign, or one graph."""

from __future__ import annotations

import click

from kgprobe.cli.campaign import CampaignOptions, run_profile
from kgprobe.cli.learning_masks import MaskLearning, MaskOptions
from kgprobe.cli.options import takes
from kgprobe.config.loading import load_profile

_EXAMPLES = """\b
Examples:
  kgprobe test profile.toml                            run the whole profile, or resume it
  kgprobe test profile.toml --for 10m --workers 8      for ten minutes
  kgprobe test profile.toml --findings 1               up to the first finding
  kgprobe test profile.toml --rerun failing            the software has changed: are its failures fixed?
  kgprobe test profile.toml --on reduced.ttl           only this graph: does it still fail?
  kgprobe test profile.toml --junit report.xml --json  for a CI server
  kgprobe test profile.toml --learn-mask               then learn which graphs the software can handle
  kgprobe test profile.toml --executor waiting --workers 50    for servers: many requests in flight
  kgprobe test profile.toml --executor dask --scheduler tcp://10.0.0.1:8786
"""


@click.command("test", epilog=_EXAMPLES)
@click.argument("source", metavar="PROFILE")
@takes(CampaignOptions)
@takes(MaskOptions, "mask")
def command(source: str, options: CampaignOptions, mask: MaskOptions) -> int:
    """Test software on mutants of a graph, on graphs you have, or with questions, and reduce the cases that fail.

    The PROFILE names the systems under test and how to judge them. Each result is stored immediately: run the same
    command again to resume an interrupted campaign. Exit code 1: there are findings that are not known bugs. With
    --learn-mask, the findings are what the mask is learned from, and the exit code is 0.
    """
    return run_profile(lambda: load_profile(source), source, options, learning=MaskLearning.of(mask))
