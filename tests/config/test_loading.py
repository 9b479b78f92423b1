"""Valid profiles are read as written. Invalid profiles get one line that says where and why."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kgprobe.config.loading import load_profile
from kgprobe.config.profile import (
    CampaignTable,
    GraphTable,
    KnownBug,
    MaskTable,
    MutationTable,
    OracleTable,
    OutputTable,
    PinsTable,
    Profile,
)
from kgprobe.config.schema import _EXPLAINED, Document, problems, schema
from kgprobe.config.system_table import GraphSent, PromptSent, ServiceTable
from kgprobe.config.systems import (
    ChatTable,
    CommandTable,
    FunctionTable,
    HttpTable,
    PricesTable,
    ReasonerTable,
    SparqlTable,
)
from kgprobe.config.tables import File, PythonFunction, Tables, described, key
from kgprobe.config.toml import Places
from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS, by_name
from kgprobe.masks.shacl import DEFAULT_ENGINE
from kgprobe.model import Usage

from .profiles import write_folder

WHOLE = """[graph]
seeds = ["cafe.ttl"]
format = "turtle"
base = "http://example.org/"
imports = ["ontologies"]
strict-imports = true

[mutation]
operators = ["owl-el", "operators/*.ru"]
weights = { Add = 3, Cut = 0.5 }
mutations = 3
mutants = 4
strategy = "coverage"
seed = -7
attempts = 50

[mask]
shapes = ["shapes.ttl"]
queries = ["has-espresso.rq"]
shacl-engine = "pyshacl"
reasoner = "auto"

[pins]
files = ["fixed.ttl"]
namespaces = ["food:"]
imports = true

[output]
folder = "made"
format = "nt"
write = "updates"

[python]
operators = ["mine.py:change"]
"""


def test_all_keys(tmp_path: Path) -> None:
    path = write_folder(tmp_path, WHOLE)
    (tmp_path / "mine.py").touch()
    assert load_profile(path) == Profile(
        path=path,
        graph=GraphTable(
            (tmp_path / "cafe.ttl",), "turtle", "http://example.org/", (tmp_path / "ontologies",), (), True
        ),
        method=MutationTable(
            ("owl-el", "operators/*.ru"),
            {"Add": 3, "Cut": 0.5},
            3,
            4,
            "coverage",
            -7,
            50,
            (PythonFunction(tmp_path / "mine.py", "change"),),
        ),
        mask=MaskTable((tmp_path / "shapes.ttl",), (tmp_path / "has-espresso.rq",), "pyshacl", reasoner="auto"),
        pins=PinsTable((tmp_path / "fixed.ttl",), ("food:",), True),
        output=OutputTable(tmp_path / "made", "nt", "updates"),
        campaign=CampaignTable(tmp_path / "profile.sqlite"),
    )


def test_a_minimal_profile(tmp_path: Path) -> None:
    profile = load_profile(write_folder(tmp_path, 'graph.seeds = ["cafe.ttl"]\nmutation.operators = ["generic"]'))
    assert profile.mutation == MutationTable(("generic",))
    assert profile.mask == MaskTable()
    assert profile.output == OutputTable(tmp_path / "mutants")


SEED = 'graph.seeds = ["cafe.ttl"]\n'
BOTH = SEED + 'mutation.operators = ["generic"]\n'
RUNNING = """
[[systems]]
name = "planner"
command = ["{python}", "plan.py", "{graph}"]
format = "ntriples"
seconds = 2.5
memory-mb = 100

[[systems]]
reasoner = "elk"
task = "hierarchy"

[[systems]]
http = "http://x/"
format = "jsonld"
method = "PUT"
headers = { X-Key = "1" }

[[systems]]
sparql = "http://127.0.0.1:{port}/query"
queries = ["has-espresso.rq"]
service = { start = ["server", "--port", "{port}"], seconds-to-start = 3 }

[python]
systems = [{ function = "package.module:run", input = "file" }]
oracle = "mine.py:judge"

[oracle]
exit = [0, 4]
invalid = [2]
expected = "shapes.ttl"
same-as-seed = true
queries = ["has-espresso.rq"]
differential = false
runs = 5

[[known]]
signature = "elk: *"
note = "issue 7"

[campaign]
for = "1.5m"
findings = 3
workers = 4
reduce = 0
store = "results.sqlite"
"""


CHAT = """
[[systems]]
name = "small"
chat = "http://127.0.0.1:8080/v1"
model = "smol"
"""


def test_chat_systems(tmp_path: Path) -> None:
    keys = """
key-env = "API_KEY"
concurrency = 7
answer-tokens = 20
temperature = 0.5
max-requests = 5000
max-tokens = 1000
max-cost = 2
prices = { input = 0.15, output = 0.6 }
prompt = "{question}"
seconds = 9
"""
    chat = load_profile(write_folder(tmp_path, BOTH + CHAT + keys)).systems[0]
    assert chat == ChatTable(
        name="small",
        chat="http://127.0.0.1:8080/v1",
        model="smol",
        key_env="API_KEY",
        concurrency=7,
        answer_tokens=20,
        temperature=0.5,
        max_requests=5000,
        max_tokens=1000,
        max_cost=2.0,
        prices=PricesTable(0.15, 0.6),
        asks=PromptSent("{question}"),
        seconds=9.0,
    )
    assert isinstance(chat, ChatTable)
    assert chat.cost(Usage(1, 2_000_000, 500_000)) == pytest.approx(0.6)
    # A campaign can be resumed with other caps, another key and more requests in flight.
    (tmp_path / "plain").mkdir()
    path = write_folder(
        tmp_path / "plain", BOTH + CHAT + 'prompt = "{question}"\nanswer-tokens = 20\ntemperature = 0.5'
    )
    plain = load_profile(path).systems[0]
    assert repr(plain) == repr(chat)


def test_a_chat_system_can_send_no_temperature(tmp_path: Path) -> None:
    chat = load_profile(write_folder(tmp_path, BOTH + CHAT + 'temperature = "default"')).systems[0]
    assert isinstance(chat, ChatTable)
    assert chat.temperature == "default"


@pytest.mark.parametrize(
    ("usage", "reached"),
    [
        (Usage(9, 50, 49), ""),
        (Usage(10, 0, 0), "max-requests = 10"),
        (Usage(1, 50, 50), "max-tokens = 100"),
        (Usage(1, 0, 60), "max-cost = 0.00006"),
    ],
)
def test_caps(usage: Usage, reached: str) -> None:
    prices = PricesTable(0.1, 1.0)
    chat = ChatTable(chat="http://x", model="m", max_requests=10, max_tokens=100, max_cost=0.00006, prices=prices)
    assert chat.limit_reached(usage) == reached.replace("0.00006", "6e-05")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('model = "smol"', "", "profile.toml:4:1: a chat system needs 'model'"),
        ('"http://127.0.0.1:8080/v1"', '"localhost"', ":6:8: 'localhost' is not the URL of a server"),
        ('model = "smol"', 'model = "m"\nmax-cost = 1', ":8:1: 'max-cost' needs 'prices'"),
        ('model = "smol"', 'model = "m"\nprompt = "{context}"', ":8:10: a prompt needs the placeholder '{question}'"),
        ('model = "smol"', 'model = "m"\nprompt = "{qestion}"', "did you mean '{question}'?"),
        ('model = "smol"', 'model = "m"\nmax-request = 1', "did you mean 'max-requests'?"),
        ('model = "smol"', 'model = "m"\nconcurrency = 0', ":8:15: [systems] concurrency is at least 1, not 0"),
        ('model = "smol"', 'model = "m"\nkeep-answers = true', "'keep-answers' is for systems with"),
        ('model = "smol"', 'model = "m"\nhttp = "http://x/"', "not both http and chat"),
        (
            'model = "smol"',
            'model = "m"\nkey-env = "sk-123"',
            ":8:11: 'key-env' is the name of an environment",
        ),
    ],
)
def test_broken_chat_systems(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        load_profile(write_folder(tmp_path, BOTH + CHAT.replace(old, new)))
    assert told in str(caught.value)
    assert "sk-123" not in str(caught.value)  # it may be a key


def test_systems_and_oracles(tmp_path: Path) -> None:
    path = write_folder(tmp_path, BOTH + RUNNING)
    (tmp_path / "mine.py").touch()
    profile = load_profile(path)
    assert profile.systems == (
        CommandTable(
            name="planner",
            command=("{python}", "plan.py", "{graph}"),
            sends=GraphSent("ntriples"),
            seconds=2.5,
            memory_mb=100,
        ),
        ReasonerTable(name="elk", reasoner="elk", task="hierarchy"),
        HttpTable(name="http", http="http://x/", sends=GraphSent("jsonld"), method="PUT", headers={"X-Key": "1"}),
        SparqlTable(
            name="sparql",
            sparql="http://127.0.0.1:{port}/query",
            queries=(tmp_path / "has-espresso.rq",),
            service=ServiceTable(("server", "--port", "{port}"), seconds_to_start=3),
        ),
        FunctionTable(name="run", function="package.module:run", input="file"),
    )
    assert profile.oracle == OracleTable(
        exit=(0, 4),
        invalid=(2,),
        expected=tmp_path / "shapes.ttl",
        same_as_seed=True,
        queries=(tmp_path / "has-espresso.rq",),
        differential=False,
        runs=5,
        python=PythonFunction(tmp_path / "mine.py", "judge"),
    )
    assert profile.known == (KnownBug("elk: *", "issue 7"),)
    assert profile.campaign == CampaignTable(tmp_path / "results.sqlite", 90.0, 3, 4, 0)


def test_seed_graphs_by_a_pattern(tmp_path: Path) -> None:
    path = write_folder(tmp_path, BOTH.replace("cafe.ttl", "o*/*.ttl"))
    (tmp_path / "ontologies" / "a.ttl").touch()
    assert [seed.name for seed in load_profile(path).graph.seeds] == ["a.ttl", "food.ttl"]
    path.write_text(BOTH.replace("cafe.ttl", f"{tmp_path}/ontologies/f*.ttl"))
    assert [seed.name for seed in load_profile(path).graph.seeds] == ["food.ttl"]


def test_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = write_folder(tmp_path, "")
    path.write_bytes(
        b'\xef\xbb\xbf[graph]\r\nseeds = ["cafe.ttl"]\r\n[mutation]\r\noperators = ["generic"]\r\nsede = 1'
    )
    with pytest.raises(InputError, match=r"profile\.toml:5:1: \[mutation\] has no key 'sede'"):
        load_profile(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[graph\nseeds = 3", ":1:7: this is not TOML: Expected ']' at the end of a table declaration"),
        ("[graph]\nseeds = ", ":2: this is not TOML: Invalid value"),
        ('[graph]\nseeds = ["cafe.ttl"', ":2: this is not TOML: Unclosed array"),
        ("a = 1\na = 2", ":2: this is not TOML: Cannot overwrite a value"),
        ("a" + ".a" * 20_000 + " = 1", ":1:1: this is nested more than 16 levels deep"),
        ("a = " + "[" * 20_000, ":1:21: this is nested more than 16 levels deep"),
        ("x = 1\na = " + "{a=" * 20_000, ":2:53: this is nested more than 16 levels deep"),
        ("a = " + "9" * 5000, ": a number in this file is too long"),
        (
            "[mutation]\nmutants = 0x" + "f" * 5000,
            ": the number for 'mutation.mutants' is too large (TOML has 64 bits)",
        ),
        ("#" * (1 << 20) + "\n", ": is larger than 1 MB"),
        ("", ": a profile needs a table [graph]"),
        (BOTH + "\n[grapg]\nx = 1", ":4:1: a profile has no 'grapg' (did you mean 'graph'?)"),
        (
            BOTH + "zzz = 1",
            ":3:1: a profile has no 'zzz' (valid are graph, mutation, cases, query, questions, mask, pins, output,",
        ),
        (
            SEED + '[mutation]\noperator = ["generic"]',
            ":3:1: [mutation] has no key 'operator' (did you mean 'operators'?)",
        ),
        ("[graph]\n# nothing\n[mutation]", ":1:1: [graph] needs 'seeds'"),
        ('[graph]\nseed = ["cafe.ttl"]', ":2:1: [graph] has no key 'seed' (did you mean 'seeds'?)"),
        ("[graph]\nseeds = []", ":2:9: [graph] seeds is empty"),
        ('[graph]\nseeds = "cafe.ttl"', ':2:9: [graph] seeds is an array, not "cafe.ttl" (write ["cafe.ttl"])'),
        ('[graph]\nseeds = ["cafe.ttl",\n  1]', ":3:3: [graph] seeds holds a string in each place, not 1"),
        ('[graph]\nseeds = ["cafe.ttl", ""]', ":2:22: [graph] seeds has an empty element"),
        ('[graph]\nseeds = [["cafe.ttl"]]', ':2:10: [graph] seeds holds a string in each place, not ["cafe.ttl"]'),
        ("graph = 3", ":1:9: [graph] is a table, not 3"),
        ('[[graph]]\nseeds = ["cafe.ttl"]', ":1:1: [graph] is a table, not [a table]"),
        (BOTH + 'mutation.strategy = "unifrom"', ':3:21: "unifrom" is not a value for [mutation] strategy (did you'),
        (BOTH + "mutation.strategy = 7", ":3:21: [mutation] strategy is a string, not 7"),
        ('[cases]\nhistory = 20\nfile = "a.ttl"', ':2:11: [cases] history is a string, not 20 (write "20")'),
        (BOTH + 'mutation.seed = "42"', ':3:17: [mutation] seed is a whole number, not "42"'),
        (BOTH + "mutation.seed = 4.5", ":3:17: [mutation] seed is a whole number, not 4.5"),
        (BOTH + "mutation.seed = true", ":3:17: [mutation] seed is a whole number, not true"),
        (BOTH + "mutation.seed = 2026-01-01", ":3:17: [mutation] seed is a whole number, not 2026-01-01"),
        (BOTH + "mutation.mutants = 0", ":3:20: [mutation] mutants is at least 1, not 0"),
        (BOTH + "mutation.mutations = nan", ":3:22: [mutation] mutations is a whole number, not nan"),
        (BOTH + "mutation.weights = {A = 0}", ":3:25: [mutation] weights.A is more than 0, not 0"),
        (BOTH + "mutation.weights = {A = 1, B = 'x'}", ':3:32: [mutation] weights.B is a number, not "x"'),
        (BOTH + "mutation.weights = {A = inf}", ":3:25: [mutation] weights.A is at most 1000000, not inf"),
        (BOTH + "mutation.weights = {A = nan}", ":3:25: [mutation] weights.A is a number, not nan"),
        (
            BOTH + 'mask.reasoner = "hermt"',
            ":3:17: \"hermt\" is not a value for [mask] reasoner (did you mean 'hermit'?)",
        ),
        (BOTH + 'mask.shacl-engine = "zz"', ':3:21: "zz" is not a value for [mask] shacl-engine (valid are shifty'),
        (BOTH + 'output.format = "manchester"', ':3:17: "manchester" is not a value for [output] format'),
        (BOTH + 'output.folder = ""', ":3:17: [output] folder is empty"),
        (BOTH + 'python.operators = ["mine"]', ':3:21: "mine" is not a value for [python] operators (write file.py:fu'),
        (BOTH + 'python.operators = ["/x/mine.py:f"]', ":3:21: /x/mine.py is outside the folder of the profile; code"),
        (BOTH + 'python.operators = ["../mine.py:f"]', "mine.py is outside the folder of the profile"),
        (BOTH + 'python.operators = ["mine.py:f"]', ":3:21: {}/mine.py does not exist"),
        (SEED, ": a profile needs operators (write operators ="),
        (SEED + "[mutation]\nseed = 1", ":2:1: a profile needs operators"),
        (BOTH.replace("cafe", "caef"), ":1:16: {}/caef.ttl does not exist (did you mean"),
        (BOTH + 'mask.shapes = ["ontologies"]', ":3:16: {}/ontologies is a folder, not a file"),
        (BOTH + 'graph.imports = ["cafe.ttl"]', ":3:18: {}/cafe.ttl is a file, not a folder"),
        (BOTH + 'graph.imports = ["ontolgies"]', ":3:18: {}/ontolgies does not exist (did you mean 'ontologies'?)"),
        (BOTH + 'pins.files = ["a\\u0000b"]', "does not exist"),
        (
            BOTH + '[[systems]]\nname = "x"',
            ":3:1: a system has one of command, reasoner, http, sparql, chat, and this one has",
        ),
        (BOTH + '[[systems]]\ncommand = ["a"]\nreasoner = "elk"', ":5:1: a system has one of command, reasoner, http,"),
        (BOTH + '[[systems]]\ncommand = ["a"]\ntask = "hierarchy"', ":5:1: 'task' is for systems with reasoner, and"),
        (
            BOTH + "[[systems]]\ncommand = \"python 'my file.py' {graph}\"",
            """:4:11: [systems] command is an array, not "python 'my file.py' {graph}" """
            '(write ["python", "my file.py", "{graph}"])',
        ),
        (
            BOTH + '[[systems]]\ncommand = "cat {graph} | sort"',
            ':4:11: [systems] command is an array, not "cat {graph} | sort" (write ["sh", "-c", "cat {graph} | sort"])',
        ),
        (BOTH + '[[systems]]\ncommand = ""', ':4:11: [systems] command is an array, not "" (write ["program", "{g'),
        (
            BOTH + '[[systems]]\nhttp = "http://x/"\nservice = { start = "serve --port {port}" }',
            ':5:21: [systems] service.start is an array, not "serve --port {port}" (write ["serve", "--port", "{port',
        ),
        (
            BOTH + '[[systems]]\nreasoner = "elk"\nanswers = "text"',
            ":5:1: 'answers' is for systems with command or http",
        ),
        (
            BOTH + '[[systems]]\ncommand = ["a"]\nanswers = "row"',
            ':5:11: "row" is not a value for [systems] answers (did',
        ),
        (BOTH + '[[systems]]\nreasoner = "elkk"', ':4:12: "elkk" is not a value for [systems] reasoner (did you mean'),
        (BOTH + '[[systems]]\nsparql = "http://x/q"', ":3:1: a sparql system needs 'queries'"),
        (BOTH + '[[systems]]\nsparql = "http://x/q"\nqueries = ["no.rq"]', ":5:12: {}/no.rq does not exist"),
        (BOTH + '[[systems]]\nreasoner = "elk"\n[[systems]]\nreasoner = "elk"', ":5:1: two systems are called 'elk'"),
        (BOTH + '[[python.systems]]\nfunction = "../a.py:f"', ":4:12: ../a.py is outside the folder of the profile"),
        (BOTH + '[[python.systems]]\nfunction = "a"', ':4:12: "a" is not a value for [python] systems.function (write'),
        (BOTH + '[[python.systems]]\nname = "a"', ":3:1: [python] needs 'function'"),
        (BOTH + 'python.oracle = "judge.py:f"', ":3:17: {}/judge.py does not exist"),
        (BOTH + 'oracle.exit = ["0"]', ':3:16: [oracle] exit holds a whole number in each place, not "0"'),
        (BOTH + 'oracle.expected = "out.txt"', ":3:19: {}/out.txt does not exist"),
        (
            BOTH + 'campaign.for = "10 minutes"',
            ':3:16: "10 minutes" is not a value for [campaign] for (write when to stop',
        ),
        (BOTH + 'known = [{ note = "x" }]', ":3:10: [known] needs 'signature'"),
        (BOTH.replace("cafe.ttl", "*.nothing"), ":1:16: {}/*.nothing does not exist"),
        (BOTH + "mutation.sed = 1\n[mask]\nreasonr = 1", ":3:1: [mutation] has no key 'sed'; 1 more problem after"),
    ],
)
def test_broken_profiles(tmp_path: Path, text: str, told: str) -> None:
    path = write_folder(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_profile(path)
    assert caught.value.exit_code == 2
    assert str(caught.value).count("\n") == 0
    assert told.replace("{}", str(tmp_path)) in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_files_that_are_not_profiles(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'# fine\nx = "\xe9"')
    for name, told in (
        ("none.toml", "none.toml: no such file"),
        (".", "is a folder, not a file"),
        ("latin.toml", "latin.toml:2: is not UTF-8 text"),
        ("a\0b", "cannot be read: no file can have this name"),
    ):
        with pytest.raises(InputError, match=told):
            load_profile(tmp_path / name)


# -- the schema --------------------------------------------------------------------------------------------------------


def _parts(part: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    found = [(path, part)]
    for name, inner in part.get("properties", {}).items():
        found += _parts(inner, (*path, name))
    for name in ("items", "additionalProperties"):
        if isinstance(part.get(name), dict):
            found += _parts(part[name], (*path, name))
    return found


def test_the_schema_is_valid_and_explains_every_key() -> None:
    Draft202012Validator.check_schema(dict(schema()))
    json.dumps(schema())
    parts = _parts(dict(schema()))
    assert len(parts) > 40
    assert not [path for path, part in parts if not part.get("title") or not part.get("description")]


def test_every_demand_of_the_schema_can_be_explained() -> None:
    silent = {"$schema", "$id", "title", "description", "properties", "items", "default"}
    used = {key for _, part in _parts(dict(schema())) for key in part} - silent
    assert used == set(_EXPLAINED)


@dataclass(frozen=True)
class ToyTable:
    blocks: int = key("Blocks", "How many blocks there are.", minimum=1, default=3)
    colours: tuple[str, ...] = key(
        "Colours",
        "The colours of the blocks.",
        items=described("A colour", "It has a name.", enum=("red", "blue")),
        default=(),
    )
    box: File | None = key("Box", "The file that they are in.", default=None)
    owner: str = "nobody"  # is no key


@dataclass(frozen=True)
class ToyDocument(Document):
    toys: ToyTable = key("Toys", "What children play with.", default=None)


def test_a_new_key_is_described_once(tmp_path: Path) -> None:
    """The schema, the checks and the value follow from the field of a table type."""
    allowed = schema(ToyDocument)
    assert allowed["properties"]["toys"]["properties"] == {
        "blocks": {
            "title": "Blocks",
            "description": "How many blocks there are.",
            "type": "integer",
            "minimum": 1,
            "default": 3,
        },
        "colours": {
            "title": "Colours",
            "description": "The colours of the blocks.",
            "type": "array",
            "items": {
                "title": "A colour",
                "description": "It has a name.",
                "type": "string",
                "enum": ["red", "blue"],
            },
            "default": [],
        },
        "box": {"title": "Box", "description": "The file that they are in.", "type": "string", "minLength": 1},
    }
    Draft202012Validator.check_schema(dict(allowed))
    places = Places("p.toml")
    wrong = {"toys": {"blocks": 0, "colours": ["red", "blu"], "owner": "me"}}
    assert sorted(problem.message for problem in problems(wrong, places, allowed)) == [
        '"blu" is not a value for [toys] colours',
        "[toys] blocks is at least 1, not 0",
        "[toys] has no key 'owner'",
    ]
    tables = Tables({"toys": {"colours": ["red"], "box": "none.txt"}}, tmp_path, places)
    assert tables.table(ToyTable, ("toys",)) == ToyTable(colours=("red",), box=tmp_path / "none.txt")
    assert [problem.message for problem in tables.problems] == [f"{tmp_path / 'none.txt'} does not exist"]


def test_formats_of_mutants_can_be_written_and_the_default_engine_is_the_first() -> None:
    properties = schema()["properties"]
    written = {by_name(name) for name in properties["output"]["properties"]["format"]["enum"]}
    assert written == {format_ for format_ in FORMATS.values() if format_.writable}
    engine = properties["mask"]["properties"]["shacl-engine"]
    assert engine["enum"][0] == engine["default"] == DEFAULT_ENGINE
