"""Exit codes of the command line, one meaning each, and how an expected error becomes one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of

import click

from scheduler_service.content.values import (
    BrokenCatalogue,
    BrokenFrontMatter,
    ContentError,
    EmptyFolder,
    NotUtf8,
    Unreadable,
)
from scheduler_service.embedded.errors import DataFolderOfNewerVersion, EmbeddedError, NoSpace
from scheduler_service.errors import Reason, Refused, SchedulerUnreachable
from scheduler_service.store.engine import StoreError, StoreUnavailable
from scheduler_service.store.migrating import DatabaseIsNewer, DatabaseIsOlder
from translator_service.foundation.grpc_plumbing import PortInUse
from translator_service.foundation.settings import SettingsError


class Exit(IntEnum):
    DONE = 0
    ERROR = 1
    USAGE = 2
    NOT_ALLOWED = 4
    NOT_FOUND = 5
    UNREACHABLE = 8
    PORT_IN_USE = 10
    # Several things are wrong, or a strings, dialogue or glossary file; one kind alone has a code of its own.
    BAD_CONTENT = 11
    UNKNOWN_LOCALE = 12
    PAIR_NOT_CONFIGURED = 13
    DATA_IS_NEWER = 14
    NO_SPACE = 15
    DATA_FOLDER = 16
    UNREADABLE_FILE = 17
    NOT_UTF8 = 18
    EMPTY_FOLDER = 19
    BROKEN_FRONT_MATTER = 20
    BROKEN_CATALOGUE = 21
    DATA_IS_OLDER = 22
    # By Ctrl-C or SIGTERM, before everything had started or (with --once) while work was left.
    INTERRUPTED = 130


_CONTENT_CODES: dict[type[ContentError], Exit] = {
    Unreadable: Exit.UNREADABLE_FILE,
    NotUtf8: Exit.NOT_UTF8,
    EmptyFolder: Exit.EMPTY_FOLDER,
    BrokenFrontMatter: Exit.BROKEN_FRONT_MATTER,
    BrokenCatalogue: Exit.BROKEN_CATALOGUE,
}


# What PostgreSQL's refusals mean to somebody at a command line.
_ANY_REFUSAL = "Check DATABASE_URL and the rights of its user"
_REFUSALS = {
    "42P01": "It has no schema yet: run draftgate database upgrade first",
    "42501": "Its user may not do that: grant it the rights on the database",
}


class Stop(Exception):
    """Ends a command with a message (what, where, what to do) and an exit code."""

    def __init__(self, code: Exit, message: str) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def explained() -> Iterator[None]:
    """Turn the expected errors of a command into one message on standard error and their exit code."""
    try:
        yield
    except Stop as stop:
        _end(stop.code, str(stop))
    except SettingsError as error:
        _end(Exit.USAGE, str(error))
    except PortInUse as error:
        _end(Exit.PORT_IN_USE, str(error))
    except DatabaseIsNewer as error:
        _end(Exit.DATA_IS_NEWER, f"{error}. Install that release or a later one; nothing was changed")
    except DatabaseIsOlder as error:
        _end(Exit.DATA_IS_OLDER, f"{error}. Run draftgate database upgrade first")
    except EmbeddedError as error:
        _end(_embedded_code(error), _with_remedy(error))
    except Refused as error:
        codes = {Reason.NOT_SIGNED_IN: Exit.NOT_ALLOWED, Reason.NOT_ALLOWED: Exit.NOT_ALLOWED,
                 Reason.NOT_FOUND: Exit.NOT_FOUND, Reason.INVALID_FIELD: Exit.USAGE}
        where = f"{error.field}: " if error.field else ""
        _end(codes.get(error.reason, Exit.ERROR), where + error.remedy)
    except SchedulerUnreachable:
        _end(Exit.UNREACHABLE, "No scheduler answers. Start it, or name its address with --scheduler")
    except StoreUnavailable as error:
        _end(Exit.UNREACHABLE, f"The database can't be reached ({error}). Start it, or mend DATABASE_URL")
    except StoreError as error:
        _end(Exit.UNREACHABLE, f"The database refused ({error}). {_REFUSALS.get(error.sqlstate, _ANY_REFUSAL)}")


def content_code(errors: Iterable[ContentError]) -> Exit:
    """Return the code of what is wrong with content."""
    codes = {_CONTENT_CODES.get(type(error), Exit.BAD_CONTENT) for error in errors}
    return codes.pop() if len(codes) == 1 else Exit.BAD_CONTENT


def _embedded_code(error: EmbeddedError) -> Exit:
    if isinstance(error, DataFolderOfNewerVersion):
        return Exit.DATA_IS_NEWER
    return Exit.NO_SPACE if isinstance(error, NoSpace) else Exit.DATA_FOLDER


def _with_remedy(error: EmbeddedError) -> str:
    text = str(error)
    return text if error.remedy in text else f"{text}. {error.remedy}"


def _end(code: Exit, message: str) -> None:
    click.echo(f"draftgate: {message}", err=True)
    sys.exit(int(code))


def version() -> str:
    """Return the installed version, ``0`` in a tree that isn't installed."""
    try:
        return version_of("draftgate")
    except PackageNotFoundError:
        return "0"
