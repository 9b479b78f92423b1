"""`kgprobe schema`: the JSON Schema of profiles."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator
from support.commands import kgprobe

from kgprobe.config.schema import schema


def test_the_schema_is_printed() -> None:
    done = kgprobe("schema")
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    Draft202012Validator.check_schema(printed)
    assert printed == schema()
