"""Statements that PostgreSQL refuses, of every class that a scheduler can meet, with people's words as values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from sqlalchemy import text

from scheduler_service.store.engine import Database, StoreError

STATEMENTS = {
    "22P02": "select cast(:words as integer)",
    "22007": "select cast(:words as timestamptz)",
    "22003": "select cast('99999999999999999999' as bigint), :words",
    "22012": "select length(:words) / 0",
    "22023": "select to_char(now(), :words), set_bit(cast(:words as bytea), 999999, 7)",
    "22P05": "select cast(:json as jsonb)",
    "23502": "insert into people (name) values (case when length(:words) > 0 then null end)",
    "23503": "insert into comments (item_id, person_id, text) values (-1, -1, :words)",
    "23505": "insert into people (name) values (:words), (:words)",
    "23514": "insert into items (site_id, page_id, field_name, target_locale, source_locale, source_text, source_hash) "
             "values ('x', 'p', 'f', 'pt-BR', 'en', :words, :words)",
    "23514 of a site": "insert into sites (site_id, name, source_locale, target_locales, credential_id, judge_credential_id) "
                       "values (:words, :words, 'en', '{pt-BR}', 'offline', 'offline')",
    "25001": "vacuum items",
    "25006": "set transaction read only; insert into people (name) values ('a')",
    "42601": "selec :words",
    "42703": "select no_such_column from items where source_text = :words",
    "42P01": "select :words from no_such_table",
    "42883": "select no_such_function(:words)",
    "54000": "create index on people (repeat(name, 1)); insert into people (name) select string_agg(md5(n::text) || :words, '') "
             "from generate_series(1, 4000) n",
    "57014": "set local statement_timeout = 50; select pg_sleep(5), :words",
    "DG003": "update audit set reason = :words",
    "P0001": "do $$ begin raise exception 'refused'; end $$",
}


def provoke(database: Database, words: str) -> Iterator[tuple[str, bytes]]:
    """Have PostgreSQL refuse every statement; yield (what was done, all that our error says)."""
    for name, statement in STATEMENTS.items():
        values = {"words": words, "json": f'{{"note": "{words}\\u0000"}}'}
        bound = {key: value for key, value in values.items() if f":{key}" in statement}

        def work(connection, statement=statement, bound=bound):  # type: ignore[no-untyped-def]
            parts = statement.split("; ") if statement.startswith(("set", "create")) else [statement]
            for part in parts:
                connection.execute(text(part), {key: value for key, value in bound.items() if f":{key}" in part})

        try:
            database.transact(work)
        except StoreError as error:
            yield name, f"{error} {error!r} {error.sqlstate} {error.constraint} {error.__cause__!r}".encode()
    with suppress(StoreError):
        database.transact(lambda connection: connection.execute(
            text("select :words"), {"words": words + "\0"}))


BREAK = (
    "alter table publications rename to publications_away",
    "create function quote_it() returns trigger language plpgsql as "
    "$$ begin raise exception 'can not log %', new.note using detail = new.note, hint = new.note; end $$",
    "create trigger quoting before insert on item_log for each row execute function quote_it()",
)
MEND = (
    "alter table publications_away rename to publications", "drop trigger quoting on item_log", "drop function quote_it",
)


@contextmanager
def broken(url: str) -> Iterator[None]:
    """Take a table away, and have another quote what is written into it, until the block ends."""
    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql", 1), autocommit=True) as connection:
        for statement in BREAK:
            connection.execute(statement)
        yield
        for statement in MEND:
            connection.execute(statement)


def end_in_mid_statement(url: str, words: str) -> None:
    """Have the server end a session that is just working with people's words, and one that is copying them in."""
    address = url.replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as killer:
        for statement in ("select pg_sleep(20) where %s <> ''", None):
            victim = psycopg.connect(address)
            with suppress(psycopg.Error):
                if statement is None:
                    with victim.cursor().copy("copy comments (item_id, person_id, text) from stdin") as copy:
                        copy.write_row((1, 1, words))
                        killer.execute("select pg_terminate_backend(%s)", (victim.info.backend_pid,))
                        for _ in range(2000):
                            copy.write_row((1, 1, words))
                else:
                    victim.pgconn.send_query_params(statement.replace("%s", "$1").encode(), [words.encode()])
                    killer.execute("select pg_sleep(0.2)")
                    killer.execute("select pg_terminate_backend(%s)", (victim.info.backend_pid,))
            with suppress(psycopg.Error):
                victim.close()
