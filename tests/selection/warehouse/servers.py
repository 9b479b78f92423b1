"""A PostgreSQL server of the test's own, where `initdb` is there."""

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

__all__ = ["postgres"]


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a database on a new server, which nobody else can reach. The test is skipped without PostgreSQL."""
    initdb, server = shutil.which("initdb"), shutil.which("pg_ctl")
    if initdb is None or server is None:
        pytest.skip("needs PostgreSQL: initdb and pg_ctl")
    user = "nobody" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    # A socket has a short path, and the folders of tests may be closed to other users.
    with tempfile.TemporaryDirectory(prefix="kgprobe-pg-") as short:
        if user is not None:
            shutil.chown(short, user)
        data = str(Path(short) / "data")

        def run(*command: str) -> None:
            subprocess.run(command, check=True, user=user, cwd=short, stdout=subprocess.DEVNULL, timeout=120)  # noqa: S603

        run(initdb, "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        run(
            server,
            "-D",
            data,
            "-w",
            "-l",
            str(Path(short) / "log"),
            "-o",
            f"-F -c listen_addresses='' -k {short}",
            "start",
        )
        try:
            yield f"postgresql://tester@/postgres?host={quote(short)}"
        finally:
            run(server, "-D", data, "-m", "immediate", "stop")
