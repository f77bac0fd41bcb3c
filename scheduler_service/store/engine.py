"""The one way to the database: `Database.transact` for changes, `Database.read` for looks.

A failed COMMIT is not a rollback: its outcome is read back by key before anything else happens.
Nothing here shows an error's text, because PostgreSQL quotes row values in it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
from sqlalchemy import create_engine, text
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

T = TypeVar("T")

# Tries of one transaction on a passing fault. With the pauses below about 6 s in all: a restart of
# PostgreSQL fits in, and no caller waits for ever.
TRIES = 6
PAUSE_FIRST_SECONDS = 0.05
PAUSE_MOST_SECONDS = 3.0

# serialization_failure, deadlock_detected, lock_not_available, idle_in_transaction_session_timeout,
# read_only_sql_transaction (a failover). And whole classes: connection, resources (disk, memory), operator
# intervention, system. They say something of the server, never of a statement or an item.
_PASSING = frozenset({"40001", "40P01", "55P03", "25P03", "25006"})
_PASSING_CLASSES = frozenset({"08", "53", "57", "58"})
# Ending one of our own sessions takes milliseconds; a server that is too busy for that is as good as gone.
LEFTOVER_SECONDS = 10.0
_END_SESSION = text("""
select count(pg_terminate_backend(pid)) from pg_stat_activity
where pid = :pid and pid <> pg_backend_pid() and usename = current_user and datname = current_database()
""")
# Prepared statements don't survive a pooler in transaction mode. Ten seconds: a host that takes longer isn't there.
CONNECT_ARGUMENTS = {"prepare_threshold": None, "connect_timeout": 10}
# COPY goes past SQLAlchemy, so its errors are the driver's own.
_ERRORS = (DBAPIError, PoolTimeout, psycopg.Error)
DatabaseError = DBAPIError | PoolTimeout | psycopg.Error


class StoreError(Exception):
    """The database refused or is gone. `sqlstate` and `constraint` are all that may be shown or logged."""

    def __init__(self, sqlstate: str, constraint: str = "") -> None:
        super().__init__(f"SQLSTATE {sqlstate} {constraint}".strip())
        self.sqlstate = sqlstate
        self.constraint = constraint


class StoreUnavailable(StoreError):
    """The database could not be reached or kept failing in passing; nothing is known to be changed."""


class CommitUnknown(StoreError):
    """The connection broke while committing, and no way to read the outcome back was given."""


class Database:
    """A pool of connections to one PostgreSQL. Safe for threads; open it after any fork."""

    def __init__(self, url: str, *, pool_size: int = 8, seed: int | None = None) -> None:
        self.url = url
        self.engine: Engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=30,
            hide_parameters=True,
            connect_args=CONNECT_ARGUMENTS,
        )
        self._statements = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._snapshots = self.engine.execution_options(isolation_level="REPEATABLE READ")
        self._random = random.Random(seed)

    def transact(
        self,
        work: Callable[[Connection], T],
        *,
        committed: Callable[[Connection], T | None] | None = None,
        is_one_statement: bool = False,
    ) -> T:
        """Run `work` in one transaction and commit; return what it returned.

        Passing faults repeat the whole transaction, so `work` must do nothing but talk to the database. If
        the connection breaks during COMMIT, `committed` reads the outcome back: it returns the result if the
        change is there, None if it isn't (then the transaction is repeated). A `work` of one statement commits
        with it: one round trip instead of three.

        Raises:
            StoreError: the database refused (a constraint, say); rolled back.
            StoreUnavailable: passing faults did not pass.
            CommitUnknown: COMMIT broke and `committed` is None.
        """
        for attempt in range(1, TRIES + 1):
            committing, session = is_one_statement, None
            try:
                if is_one_statement:
                    with self._statements.connect() as connection:
                        session = _session(connection)
                        return work(connection)
                with self.engine.connect() as connection, connection.begin() as transaction:
                    session = _session(connection)
                    result = work(connection)
                    committing = True
                    transaction.commit()
                return result
            except _ERRORS as error:
                problem = store_error(error)
                if committing and _is_broken(error):
                    if committed is None:
                        raise CommitUnknown(problem.sqlstate) from None
                    self._end_session(session)
                    found = self.read(committed)
                    if found is not None:
                        return found
                elif not isinstance(problem, StoreUnavailable):
                    raise problem from None
                if attempt == TRIES:
                    raise StoreUnavailable(problem.sqlstate) from None
                self._pause(attempt)
        raise AssertionError("unreachable")

    def _end_session(self, session: int | None) -> None:
        """Return once the server's end of a broken connection is gone: until then its COMMIT may still come true.

        Raises:
            StoreUnavailable: it doesn't go, so nothing can be said of its COMMIT.
        """
        ends_at = time.monotonic() + LEFTOVER_SECONDS
        while session is not None and self.read(
            lambda connection: connection.execute(_END_SESSION, {"pid": session}).scalar_one()
        ):
            if time.monotonic() > ends_at:
                raise StoreUnavailable("08007")
            time.sleep(0.01)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which only reads, each statement by itself: one round trip each.

        Raises:
            StoreError, StoreUnavailable: as for `transact`.
        """
        return self._repeat(self._statements, work)

    def snapshot(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which only reads, in one snapshot: what several statements say fits together."""
        return self._repeat(self._snapshots, work)

    def statement(self, work: Callable[[Connection], T]) -> T:
        """Run `work` with each statement committed by itself: for single-statement changes whose loss or
        repetition is harmless (claims, renewals)."""
        return self._repeat(self._statements, work)

    def once(self, work: Callable[[Connection], T]) -> T:
        """Run `work`'s one statement, committed by itself, and never repeat it.

        Raises:
            StoreUnavailable: it may have taken effect all the same.
        """
        return self._repeat(self._statements, work, tries=1)

    def _repeat(self, engine: Engine, work: Callable[[Connection], T], tries: int = TRIES) -> T:
        for attempt in range(1, tries + 1):
            try:
                with engine.connect() as connection:
                    return work(connection)
            except _ERRORS as error:
                problem = store_error(error)
                if not isinstance(problem, StoreUnavailable) or attempt == tries:
                    raise problem from None
                self._pause(attempt)
        raise AssertionError("unreachable")

    def _pause(self, attempt: int) -> None:
        longest = min(PAUSE_FIRST_SECONDS * 3 ** (attempt - 1), PAUSE_MOST_SECONDS)
        time.sleep(longest * (0.5 + 0.5 * self._random.random()))

    def is_reachable(self) -> bool:
        """Return whether the database answers now: asked once, because a probe must not hang."""
        try:
            with self._statements.connect() as connection:
                return connection.execute(text("select 1")).scalar_one() == 1
        except _ERRORS:
            return False

    def close(self) -> None:
        self.engine.dispose()


def _session(connection: Connection) -> int:
    """Return the process that serves `connection` on the server; known without asking."""
    return connection.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]


def _is_broken(error: DatabaseError) -> bool:
    """Return whether the connection is gone, so that nobody said whether the change took effect."""
    original = _original(error)
    return bool(getattr(error, "connection_invalidated", False)) or (
        getattr(original, "sqlstate", None) is None and _is_of_connection(original))


def _original(error: DatabaseError) -> BaseException | None:
    return error if isinstance(error, psycopg.Error) else getattr(error, "orig", None)


def _is_of_connection(original: BaseException | None) -> bool:
    # What the driver itself refuses to send (a NUL character, say) is a DataError: nothing was sent.
    return isinstance(original, psycopg.InterfaceError | psycopg.OperationalError)


def store_error(error: DatabaseError) -> StoreError:
    """Return the content-free form of a database error."""
    original = _original(error)
    sqlstate = getattr(original, "sqlstate", None)
    constraint = getattr(getattr(original, "diag", None), "constraint_name", None) or ""
    if sqlstate is None:
        # No SQLSTATE at all: the connection never was or is gone (or the pool gave none in time).
        if original is None or _is_of_connection(original):
            return StoreUnavailable("08006")
        return StoreError("XX000")
    if sqlstate in _PASSING or sqlstate[:2] in _PASSING_CLASSES:
        return StoreUnavailable(sqlstate)
    return StoreError(sqlstate, constraint)
