"""What profiles and operators are written with: values in TOML, and safe names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["folder_name", "relative", "toml_array", "toml_string"]

# Bytes. Most file systems allow 255; a number may be added.
_LONGEST_NAME = 200


def toml_string(text: str) -> str:
    """A string in TOML. The syntax is that of JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_array(texts: Iterable[str]) -> str:
    """An array of strings."""
    return f"[{', '.join(map(toml_string, texts))}]"


def relative(path: Path, folder: Path) -> str:
    """A path relative to this folder, with slashes, so that it works on every platform."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return path.resolve().as_posix()


def folder_name(text: str) -> str:
    """The text as a safe name of a folder or file: without separators and control characters, and not too long."""
    safe = "".join(sign if sign.isprintable() and sign not in "/\\:" else "_" for sign in text)
    short = safe.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return short.rstrip(" .") or "seed"  # "." and ".." would name other folders
