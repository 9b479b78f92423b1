"""A PostgreSQL server of the test's own, where PostgreSQL is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

__all__ = ["postgres_server"]

_DEBIAN = Path("/usr/lib/postgresql")  # its programs are not on the path there


@contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of a database on a server that nobody else can reach. The test is skipped without PostgreSQL."""
    installed = [shutil.which("initdb"), *map(str, sorted(_DEBIAN.glob("*/bin/initdb"), reverse=True))]
    initdb = next(filter(None, installed), None)
    if initdb is None:
        pytest.skip("needs PostgreSQL: there is no initdb")
    control = str(Path(initdb).resolve().with_name("pg_ctl"))
    user = "nobody" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    # A socket has a short path, and the folders of tests may be closed to other users.
    with tempfile.TemporaryDirectory(prefix="kgprobe-pg-", dir="/tmp", ignore_cleanup_errors=True) as short:
        if user is not None:
            shutil.chown(short, user)
        data = f"{short}/data"

        def run(*command: str) -> None:
            subprocess.run(command, check=True, user=user, cwd=short, stdout=subprocess.DEVNULL, timeout=240)  # noqa: S603

        run(initdb, "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        run(control, "-D", data, "-w", "-l", f"{short}/log", "-o", f"-F -c listen_addresses='' -k {short}", "start")
        try:
            yield f"postgresql://tester@/postgres?host={quote(short)}"
        finally:
            run(control, "-D", data, "-m", "immediate", "stop")
