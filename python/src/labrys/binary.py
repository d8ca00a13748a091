"""Where the labrys executable is."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from labrys.errors import LabrysNotFoundError

VARIABLE = "LABRYS_BIN"
"""The environment variable that names the executable."""


def find_binary() -> str:
    """The executable that is run.

    `LABRYS_BIN` names it; else it is the `labrys` of `PATH`; else the one that was built in the checkout that this package was installed
    from (`target/release/labrys`). Nothing is looked for in the current folder.

    Raises:
        LabrysNotFoundError: There is none, or `LABRYS_BIN` names something else.

    """
    if named := os.environ.get(VARIABLE):
        if found := shutil.which(named):
            return found
        raise LabrysNotFoundError(f"{VARIABLE} names {named}, which is no executable file")
    if found := shutil.which("labrys"):
        return found
    for checkout in _checkouts():
        built = checkout / "target" / "release" / "labrys"
        if os.access(built, os.X_OK):
            return str(built)
    raise LabrysNotFoundError(
        f"there is no labrys in PATH, and {VARIABLE} is not set: build it with `make build`, and set {VARIABLE} to target/release/labrys"
    )


def _checkouts() -> Iterator[Path]:
    """The checkouts that this package may have come from: that of an editable installation, and that of `pip install ./python`."""
    yield Path(__file__).resolve().parents[3]
    try:
        origin = importlib.metadata.distribution("labrys").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return
    url = urlsplit(json.loads(origin)["url"]) if origin else None
    if url is not None and url.scheme == "file":
        yield Path(unquote(url.path)).parent
