"""Brings a database to the schema of this release, from a checkout or an installed wheel."""

from __future__ import annotations

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from scheduler_service.store.engine import CONNECT_ARGUMENTS, Database, store_error

# Any number that no other program uses on the same database; it serialises concurrent upgrades.
_UPGRADE_LOCK = 7_201_451_186


class DatabaseIsNewer(Exception):
    """The database was made by a later release; `found` is its revision. Install that release or a later one."""

    def __init__(self, found: str) -> None:
        super().__init__(f"the database is at schema {found}, which this release doesn't know")
        self.found = found


class DatabaseIsOlder(Exception):
    """The database has the schema of an earlier release, or none: `found` is its revision, empty for none."""

    def __init__(self, found: str) -> None:
        super().__init__(f"the database is at schema {found}" if found else "the database has no schema yet")
        self.found = found


def migrations_folder() -> Path:
    """Return where the migrations are: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "migrations"
    return inside if inside.is_dir() else package.parent / "migrations"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    return config


def upgrade(database_url: str) -> str:
    """Bring the database to the newest schema and return that revision; repeatable, safe to run at once twice.

    Raises:
        DatabaseIsNewer: nothing was changed.
        StoreError: the database can't be reached or refused; a migration takes effect whole or not at all.
    """
    engine = create_engine(database_url, hide_parameters=True, connect_args=CONNECT_ARGUMENTS)
    try:
        with engine.connect() as connection:
            connection.execute(text("select pg_advisory_lock(:key)"), {"key": _UPGRADE_LOCK})
            try:
                revision_of(connection)
                connection.commit()
                config = _config()
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
                return head()
            finally:
                connection.rollback()
                connection.execute(text("select pg_advisory_unlock(:key)"), {"key": _UPGRADE_LOCK})
                connection.commit()
    except (DBAPIError, psycopg.Error) as error:
        raise store_error(error) from None
    finally:
        engine.dispose()


def require_current(database: Database) -> None:
    """Let pass a database with the schema of this release.

    Raises:
        DatabaseIsNewer, DatabaseIsOlder.
        StoreError: it can't be reached.
    """
    found = database.read(revision_of)
    if found != head():
        raise DatabaseIsOlder(found or "")


def head() -> str:
    """Return the newest revision that this release knows."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def revision_of(connection: Connection) -> str | None:
    """Return the database's revision, None for an empty one.

    Raises:
        DatabaseIsNewer: this release doesn't know it.
    """
    found = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if found is not None and found not in known:
        raise DatabaseIsNewer(found)
    return found
