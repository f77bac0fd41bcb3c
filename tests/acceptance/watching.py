"""What was written in a database between two moments: row versions, and the write-ahead log itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg

# Not xmax: locks of foreign keys set it, and vacuum takes it away again when it likes.
_VERSIONS = "select item_id, xmin::text, ctid::text from items order by item_id"
_POSITION = "select pg_current_wal_insert_lsn()"
# Checksums make a first hint on a page, and vacuum its pruning, records too; neither writes a row.
_WRITTEN = """
select c.relname, split_part(b.record_type, '+', 1), count(distinct b.start_lsn)
from pg_get_wal_block_info(%s, %s, show_data => false) b
join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  and b.resource_manager in ('Heap', 'Heap2')
  and split_part(b.record_type, '+', 1) in ('INSERT', 'MULTI_INSERT', 'UPDATE', 'HOT_UPDATE', 'DELETE', 'LOCK')
group by 1, 2
"""


def item_versions(connection: psycopg.Connection[Any]) -> dict[int, tuple[str, str]]:
    """Return (xmin, ctid) of every item: whoever writes it changes them."""
    return {item_id: tuple(version) for item_id, *version in connection.execute(_VERSIONS)}


class WalWatch:
    """Counts the rows written since it was made, from the log that PostgreSQL itself writes."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute("create extension if not exists pg_walinspect")
        self._connection = connection
        self._since = self._position()

    def writes(self) -> Counter[tuple[str, str]]:
        """Return how many rows were written or locked, by table and kind (INSERT, UPDATE, LOCK and so on)."""
        # A reader gets no further than what is flushed.
        self._connection.execute("checkpoint")
        rows = self._connection.execute(_WRITTEN, (self._since, self._position()))
        return Counter({(table, kind): count for table, kind, count in rows})

    def _position(self) -> str:
        row = self._connection.execute(_POSITION).fetchone()
        assert row is not None
        return str(row[0])
