"""The understood uses of values that come from a graph, as one table.

The interface of each class is a table from member to `Reading`: what the use reads, and the interface of its result. An
operator has the name of its method (`__iter__` for a loop, `__contains__` for `in`). Any use that is not in the table
makes a test unanalysable, so the table may be incomplete, but each of its entries must be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

DATABASE: Final = "database"
FACTORY: Final = "database factory"
"""The interface of what returns a class of sessions, as `sessionmaker`."""

_STRICT = """
    sqlite3 aiosqlite duckdb psycopg psycopg2 psycopg_pool asyncpg pg8000 pymysql MySQLdb mysql mariadb aiomysql
    oracledb cx_Oracle pyodbc pymssql snowflake clickhouse_connect clickhouse_driver trino pyhive databricks records
    ibis neo4j kuzu pymongo motor couchdb arango gremlin_python typedb ladybug
"""
# Libraries with much that has no database: only the names below count.
_LENIENT = "sqlalchemy sqlmodel pandas polars dask geopandas connectorx adbc_driver_manager django"
DATABASES: Final = frozenset(_STRICT.split()) | frozenset(_LENIENT.split())

RECORDS: Final = frozenset(["django", "peewee", "tortoise", "pony", "mongoengine", "ormar", "gino"])
"""Libraries with classes that ask for their rows."""

MAKERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            *("sqlite3.connect", "sqlite3.Connection", "duckdb.connect", "duckdb.cursor", "psycopg.connect"),
            *("psycopg2.connect", "psycopg2.Connection", "psycopg.Connection", "pymysql.connect", "mysql.connect"),
            *("MySQLdb.connect", "mariadb.connect", "oracledb.connect", "cx_Oracle.connect", "pyodbc.connect"),
            *("pymssql.connect", "snowflake.connect", "trino.connect", "aiosqlite.connect", "asyncpg.connect"),
            *("pg8000.connect", "sqlalchemy.create_engine", "sqlalchemy.create_async_engine", "sqlalchemy.Session"),
            *("sqlalchemy.AsyncSession", "sqlalchemy.engine_from_config", "sqlmodel.create_engine", "sqlmodel.Session"),
        ),
        DATABASE,
    ),
    **dict.fromkeys(("sqlalchemy.sessionmaker", "sqlalchemy.async_sessionmaker", "sqlalchemy.scoped_session"), FACTORY),
}
"""The functions and classes that open a database. A name stands for all modules that have it."""

SQL_FUNCTIONS: Final[Mapping[str, str]] = {
    **{f"duckdb.{name}": name for name in ("sql", "query", "execute", "executemany")},
    **{
        f"{library}.{name}": name
        for library in ("pandas", "polars", "dask", "geopandas", "connectorx")
        for name in (
            "read_sql",
            "read_sql_query",
            "read_sql_table",
            "read_database",
            "read_database_uri",
            "read_postgis",
        )
    },
}
"""Functions of libraries that run SQL: each is a member of a database."""

_NO_DATABASE: Final = (
    *("Error", "Exception", "Warning", "Row", "Binary", "version", "version_info", "apilevel", "paramstyle"),
    *("threadsafety", "dict_row", "tuple_row", "namedtuple_row", "class_row", "RealDictCursor", "DictCursor"),
    *("extras", "rows", "errors", "register_adapter", "register_converter", "PARSE_DECLTYPES", "PARSE_COLNAMES"),
)

SQL_MEMBERS: Final = (
    *("execute", "executemany", "executescript", "exec_driver_sql", "exec", "sql", "query", "scalar", "scalars"),
    *("stream", "stream_scalars", "fetch", "fetchrow", "fetchval", "read_sql", "read_sql_query", "read_database"),
    *("read_database_uri", "read_postgis", "execute_fetchall"),
)
"""Members whose first argument is SQL, or a statement of SQLAlchemy."""

SELF_MEMBERS: Final = (
    *("cursor", "connect", "connection", "begin", "begin_nested", "filter", "project", "order", "limit", "distinct"),
    *("aggregate", "set_alias", "mappings", "unique", "execution_options", "raw_connection", "acquire", "transaction"),
    *("filter_by", "where", "order_by", "group_by", "offset"),
)
IDLE_MEMBERS: Final = (
    *("commit", "rollback", "close", "dispose", "remove", "expunge", "expunge_all", "expire_all", "flush", "add"),
    *("add_all", "delete", "interrupt", "set_trace_callback", "create_function", "enable_load_extension", "create_all"),
    *(
        "fetchone",
        "fetchall",
        "fetchmany",
        "fetchdf",
        "fetchnumpy",
        "fetch_df",
        "fetch_arrow_table",
        "df",
        "pl",
        *("to_df", "count"),
    ),
    *("arrow", "all", "one", "first", "scalar_one", "scalar_one_or_none", "one_or_none", "partitions", "freeze"),
    *("show", "keys", "setinputsizes", "setoutputsize", "nextset", "install_extension", "load_extension", "result"),
    *("__iter__", "__next__", "__len__", "__bool__", "__eq__", "__ne__", "__hash__", "__str__", "__repr__"),
    *("__getitem__", "__contains__"),
)

TAKERS: Final = frozenset(["create_all", "drop_all", "sessionmaker", "scoped_session", "Session", "AsyncSession"])
"""Functions of SQLAlchemy that take an engine, and ask it for no rows."""

_NAMES: Final = frozenset(
    ["cursor", "cur", "conn", "connection", "con", "db", "database", "engine", "session", "tx", "warehouse"]
)


def is_database_name(name: str) -> bool:
    """Whether a name is likely one of a database."""
    return name.lower().rpartition("_")[2] in _NAMES or name.lower().partition("_")[0] in ("db", "conn", "cursor")


def member_of_library(name: str) -> tuple[str, str] | None:
    """What a dotted name of such a library is: ("maker", its interface), ("function", its member), or ("unknown", "").

    None if the name has no database, or is only a part of a longer one.
    """
    parts = name.split(".")
    key = f"{parts[0]}.{parts[-1]}"
    if len(parts) == 1:
        return None
    if key in MAKERS:
        return "maker", MAKERS[key]
    if key in SQL_FUNCTIONS:
        return "function", SQL_FUNCTIONS[key]
    if key == "django.connection":
        return "value", DATABASE
    is_plain = parts[-1].endswith(_NO_DATABASE) or parts[0] in _LENIENT.split()
    return None if is_plain else ("unknown", "")


# -- graphs ------------------------------------------------------------------------------------------------------------


ANSWER: Final = "rdflib.Result"
"""The answer of a query. The patterns of the query are uses of the test, so it may be used in any way."""
SAME: Final = "same"
"""The result of a call that returns its own object."""


class Reads(Enum):
    """What a use reads: for patterns, `Reading.places` are the positions of the arguments."""

    NOTHING = "nothing"
    EVERYTHING = "everything"
    PATTERN = "pattern"
    CLOSURE = "closure"  # like a pattern, and from there along the same predicate any number of times
    TRIPLE = "triple"  # one argument is a tuple with a subject, a predicate and an object
    SLICE = "slice"  # `graph[subject:predicate:object]`
    LIST = "list"  # the members of a list: rdf:first and rdf:rest
    QUERY = "query"
    UPDATE = "update"
    NAME = "name"  # the member is the name of a term
    SQL = "sql"  # the first argument is SQL, or a statement of SQLAlchemy


@dataclass(frozen=True, slots=True)
class Reading:
    """A use: what it reads, the interface of its result ("" if the result has no graph), and in what it is held."""

    reads: Reads
    places: tuple[str, ...] = ()
    result: str = ""
    path: tuple[None, ...] = ()
    is_attribute: bool = False  # the result is the member itself, and not what it returns


def _each(names: str, reading: Reading) -> dict[str, Reading]:
    return dict.fromkeys(names.split(), reading)


def _pattern(*places: str, result: str = "", path: tuple[None, ...] = ()) -> Reading:
    return Reading(Reads.PATTERN, places, result, path)


_NOTHING = Reading(Reads.NOTHING)
_HELD: Final = (None,)
_OWN = Reading(Reads.NOTHING, is_attribute=True)
_SELF = Reading(Reads.NOTHING, result=SAME)
_EVERYTHING = Reading(Reads.EVERYTHING)

# The comparisons of rdflib.Graph, and its text, use its identifier alone. `==` counts as a use of everything, because
# in tests it is meant that way.
_GRAPH: Mapping[str, Reading] = {
    "triples": Reading(Reads.TRIPLE),
    "value": _pattern("subject", "predicate", "object"),
    "objects": _pattern("subject", "predicate"),
    "subjects": _pattern("predicate", "object"),
    "predicates": _pattern("subject", "object"),
    "subject_objects": _pattern("predicate"),
    "predicate_objects": _pattern("subject"),
    "subject_predicates": _pattern("object"),
    "transitive_objects": Reading(Reads.CLOSURE, ("subject", "predicate")),
    "transitive_subjects": Reading(Reads.CLOSURE, ("predicate", "object")),
    "items": Reading(Reads.LIST),
    "__contains__": Reading(Reads.TRIPLE),
    "__getitem__": Reading(Reads.SLICE),
    "query": Reading(Reads.QUERY, result=ANSWER),
    "update": Reading(Reads.UPDATE),
    "resource": Reading(Reads.NOTHING, result="rdflib.Resource"),
    "collection": Reading(Reads.NOTHING, result="rdflib.Collection"),
    "namespace_manager": Reading(Reads.NOTHING, result="rdflib.NamespaceManager", is_attribute=True),
    "identifier": _OWN,
    "base": _OWN,
    **_each("parse add addN remove set", _SELF),
    **_each("bind namespaces qname compute_qname absolutize n3 toPython open close commit rollback", _NOTHING),
    **_each("destroy __str__ __repr__ __hash__", _NOTHING),
    **_each("all_nodes connected isomorphic serialize print __iter__ __len__ __bool__ __eq__ __ne__", _EVERYTHING),
    **_each("cbd skolemize de_skolemize", Reading(Reads.EVERYTHING, result="rdflib.Graph")),
    **_each("__add__ __sub__ __mul__ __and__ __or__ __xor__", Reading(Reads.EVERYTHING, result="rdflib.Graph")),
    **_each("__iadd__ __isub__", _SELF),
}
_DATASET: Mapping[str, Reading] = {
    **_GRAPH,
    "quads": _EVERYTHING,
    **_each("contexts graphs", Reading(Reads.EVERYTHING, result="rdflib.Graph", path=_HELD)),
    **_each("graph get_context add_graph", Reading(Reads.NOTHING, result="rdflib.Graph")),
    "get_graph": Reading(Reads.EVERYTHING, result="rdflib.Graph"),
    **_each("default_context default_graph", Reading(Reads.NOTHING, result="rdflib.Graph", is_attribute=True)),
    **_each("remove_graph remove_context", _SELF),
    "context_id": _NOTHING,
}
_RESOURCES = "rdflib.Resource"
_RESOURCE: Mapping[str, Reading] = {
    "objects": _pattern("predicate", result=_RESOURCES, path=_HELD),
    "subjects": _pattern("predicate", result=_RESOURCES, path=_HELD),
    "subject_objects": Reading(Reads.EVERYTHING, result=_RESOURCES, path=(None, None)),
    "predicates": _pattern("object", result=_RESOURCES, path=_HELD),
    "subject_predicates": Reading(Reads.EVERYTHING, result=_RESOURCES, path=(None, None)),
    "predicate_objects": Reading(Reads.EVERYTHING, result=_RESOURCES, path=(None, None)),
    "value": _pattern("predicate", "object", result=_RESOURCES),
    "items": Reading(Reads.LIST, result=_RESOURCES, path=_HELD),
    "transitive_objects": Reading(Reads.CLOSURE, ("predicate",), result=_RESOURCES, path=_HELD),
    "transitive_subjects": Reading(Reads.CLOSURE, ("predicate",), result=_RESOURCES, path=_HELD),
    "__getitem__": Reading(Reads.SLICE, ("predicate", "object"), result=_RESOURCES, path=_HELD),
    "__iter__": Reading(Reads.EVERYTHING, result=_RESOURCES, path=(None, None)),
    "graph": Reading(Reads.NOTHING, result="rdflib.Graph", is_attribute=True),
    "identifier": _OWN,
    **_each("add set remove qname", _NOTHING),
    **_each("__setitem__ __str__ __repr__ __hash__ __eq__ __ne__ __lt__ __gt__ __le__ __ge__ __bool__", _NOTHING),
    # `value` and `objects` also return literals.
    **_each("toPython n3", _NOTHING),
    **_each("language datatype", _OWN),
}
_MEMBERS = Reading(Reads.LIST)
_COLLECTION: Mapping[str, Reading] = {
    **_each("index n3 append clear __iter__ __len__ __bool__ __getitem__", _MEMBERS),
    **_each("__setitem__ __delitem__", _MEMBERS),
    "__iadd__": Reading(Reads.LIST, result=SAME),
    "uri": _OWN,
    **_each("__str__ __repr__ __hash__", _NOTHING),
}
_RESULT: Mapping[str, Reading] = {
    "graph": Reading(Reads.NOTHING, result="rdflib.Graph", is_attribute=True),
    "*": _NOTHING,
}
_NAMESPACES: Mapping[str, Reading] = {
    **_each("bind compute_qname compute_qname_strict curie expand_curie namespaces normalizeUri qname", _NOTHING),
    **_each("qname_strict absolutize reset __contains__ __str__ __repr__ __hash__", _NOTHING),
}

_STORE: Mapping[str, Reading] = {
    "quads_for_pattern": _pattern("subject", "predicate", "object"),
    "query": Reading(Reads.QUERY),
    "update": Reading(Reads.UPDATE),
    **_each("load bulk_load add extend bulk_extend remove add_graph clear clear_graph remove_graph flush", _NOTHING),
    **_each("optimize __repr__ __hash__", _NOTHING),
    **_each("dump backup named_graphs contains_named_graph", _EVERYTHING),
    **_each("__iter__ __len__ __bool__ __str__ __contains__", _EVERYTHING),
}
_OXIGRAPH_DATASET: Mapping[str, Reading] = {
    "quads_for_subject": _pattern("subject"),
    "quads_for_predicate": _pattern("predicate"),
    "quads_for_object": _pattern("object"),
    **_each("add discard remove clear __repr__ __hash__", _NOTHING),
    **_each("canonicalize quads_for_graph_name __iter__ __len__ __bool__ __str__ __contains__", _EVERYTHING),
    **_each("__eq__ __ne__", _EVERYTHING),
}
_QUADS: Mapping[str, Reading] = {**_each("__iter__ __next__", _EVERYTHING)}

# In owlready2, an ontology has its terms as members. What their members read is another question.
_TERM = Reading(Reads.NAME, result="owlready2.Entity", is_attribute=True)
_ONTOLOGY: Mapping[str, Reading] = {
    "load": _SELF,
    **_each("classes individuals properties object_properties data_properties", _EVERYTHING),
    **_each("search search_one save", _EVERYTHING),
    **_each("__str__ __repr__ __hash__", _NOTHING),
    **_each("base_iri name", _OWN),
    "__getitem__": Reading(Reads.NAME, result="owlready2.Entity"),
    "*": _TERM,
}
_ENTITY: Mapping[str, Reading] = _each("__bool__ __eq__ __ne__ __hash__", _NOTHING)
_ENDPOINT: Mapping[str, Reading] = {"setQuery": Reading(Reads.QUERY), "*": _NOTHING}

# The name of a file with a graph, and its text. Only the calls of this table may read them.
FILE: Final = "file"
CONTENT: Final = "content"
_FILE_RESULT = Reading(Reads.NOTHING, result=FILE)
_CONTENT_RESULT = Reading(Reads.NOTHING, result=CONTENT)
_FILE: Mapping[str, Reading] = {
    **_each("resolve absolute expanduser as_posix as_uri with_name with_suffix joinpath relative_to", _FILE_RESULT),
    **_each("encode format strip replace lower removeprefix removesuffix", _FILE_RESULT),
    **_each("__truediv__ __add__ __mod__ __rtruediv__ __radd__ __rmod__", _FILE_RESULT),
    **_each("read_text read_bytes open", _CONTENT_RESULT),
    **_each("exists is_file unlink write_text write_bytes mkdir touch endswith startswith", _NOTHING),
    **_each("name stem suffix parent parents parts", _OWN),
    **_each("__str__ __repr__ __hash__ __len__ __bool__ __eq__ __ne__ __contains__ __lt__ __gt__", _NOTHING),
}
_CONTENT: Mapping[str, Reading] = {
    **_each("read encode decode", _CONTENT_RESULT),
    **_each("close write flush __bool__ __hash__", _NOTHING),
}

_DATABASE: Mapping[str, Reading] = {
    **_each(" ".join(SQL_MEMBERS), Reading(Reads.SQL, result=SAME)),
    **_each(" ".join(SELF_MEMBERS), _SELF),
    **_each(" ".join(IDLE_MEMBERS), _NOTHING),
    **_each("rowcount description lastrowid arraysize isolation_level in_transaction total_changes url name", _OWN),
    **_each("row_factory text_factory columns column_names dtypes types shape closed autocommit info", _OWN),
}

ANY_GRAPH: Final = "a graph"
"""The interface of a value that is a graph by its name, of whatever library."""

INTERFACES: Final[Mapping[str, Mapping[str, Reading]]] = {
    "rdflib.Graph": _GRAPH,
    "rdflib.Dataset": _DATASET,
    "rdflib.Resource": _RESOURCE,
    "rdflib.Collection": _COLLECTION,
    ANSWER: _RESULT,
    "rdflib.NamespaceManager": _NAMESPACES,
    "pyoxigraph.Store": _STORE,
    "pyoxigraph.Dataset": _OXIGRAPH_DATASET,
    "pyoxigraph.Quads": _QUADS,
    "owlready2.Ontology": _ONTOLOGY,
    "owlready2.Entity": _ENTITY,
    "SPARQLWrapper": _ENDPOINT,
    DATABASE: _DATABASE,
    FILE: _FILE,
    CONTENT: _CONTENT,
    ANY_GRAPH: {
        **_OXIGRAPH_DATASET,
        **{name: reading for name, reading in _ONTOLOGY.items() if name not in ("*", "__getitem__", "name")},
        **_STORE,
        **{
            name: replace(each, result=each.result and ANY_GRAPH) if each.result == SAME else each
            for name, each in _DATASET.items()
            if name not in _STORE or name in ("query", "__contains__", "remove")
        },
    },
}

CONSTRUCTORS: Final[Mapping[str, str]] = {
    "rdflib.Graph": "rdflib.Graph",
    "rdflib.QuotedGraph": "rdflib.Graph",
    "rdflib.Dataset": "rdflib.Dataset",
    "rdflib.ConjunctiveGraph": "rdflib.Dataset",
    "rdflib.Resource": "rdflib.Resource",
    "rdflib.Collection": "rdflib.Collection",
    "rdflib.NamespaceManager": "rdflib.NamespaceManager",
    "pyoxigraph.Store": "pyoxigraph.Store",
    "pyoxigraph.Dataset": "pyoxigraph.Dataset",
    "pyoxigraph.parse": "pyoxigraph.Quads",
    "owlready2.get_ontology": "owlready2.Ontology",
    "SPARQLWrapper.SPARQLWrapper": "SPARQLWrapper",
}
"""The classes and functions of libraries that make tracked values. A name stands for all modules that have it."""

PLAIN_ROOMS: Final = (
    *("rdflib.namespace", "rdflib.term", "rdflib.paths", "rdflib.exceptions", "rdflib.xsd_datetime", "rdflib.compat"),
    "rdflib.util",
)
"""Modules whose values have no graph. A graph that is passed to one of their functions is used as a whole."""

HARMLESS_NAMES: Final = frozenset(
    f"{library}.{name}"
    for library, names in {
        "rdflib": "BNode IdentifiedNode Literal Namespace Node URIRef Variable XMLNS NoElementException "
        "NORMALIZE_LITERALS DAWG_LITERAL_COLLATION prepareQuery ClosedNamespace DefinedNamespace __version__ logger",
        "pyoxigraph": "BaseDirection BlankNode CanonicalizationAlgorithm DefaultGraph Literal NamedNode Quad RdfFormat "
        "QueryBoolean QueryResultsFormat QuerySolution QuerySolutions QueryTriples Triple Variable "
        "parse_query_results __version__",
        "SPARQLWrapper": "JSON XML TURTLE N3 RDF RDFXML CSV TSV JSONLD GET POST POSTDIRECTLY URLENCODED DIGEST BASIC",
    }.items()
    for name in names.split()
)
"""Names of libraries that have no graph: terms, formats, errors. Known namespaces count as well."""
