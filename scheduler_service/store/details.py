"""Everything a reviewer sees of one item: texts, candidates, judgments, history, what was approved before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

_TEXTS = text("""
select item_id, source_text, source_hash, source_locale, source_revision, context, candidate_id, approval_id
from items where item_id = :item_id
""")
# Beside the texts that every answer must hold, 4 MiB leave room for this much of earlier ones.
OTHERS_MOST_BYTES = 500_000
# The item's own comes in any case; the others, newest first, as far as the bytes go.
_CANDIDATES = text("""
with newest as (
    select c.candidate_id, octet_length(c.text) as bytes, c.candidate_id = i.candidate_id as is_own
    from candidates c join items i using (item_id)
    where c.item_id = :item_id order by is_own desc nulls last, c.candidate_id desc limit 20
), measured as (
    select candidate_id, is_own,
           sum(case when is_own then 0 else bytes end) over (order by candidate_id desc) as bytes_so_far
    from newest
)
select c.candidate_id, c.source_revision, c.turn, c.origin, c.text, c.text_hash,
       trim(c.provider || ' ' || c.engine) as engine, c.glossary_version,
       coalesce(c.closed_reason, '') as closed_reason, c.created_at, coalesce(p.name, '') as person
from candidates c join measured m using (candidate_id) left join people p using (person_id)
where m.is_own or m.bytes_so_far <= :most_bytes order by c.candidate_id desc
""")
_JUDGMENTS = text("""
select judgment_id, candidate_id, turn, ordinal, verdict, score::float8 as score, dimension_scores, reasons,
       rubric_version, is_offline_estimate, judged_sentences, unjudged_sentences, judge, judged_at
from judgments where candidate_id = any(cast(:candidate_ids as bigint[])) order by turn, ordinal
""")
_GATES = text("""
select candidate_id, gate, outcome, severity, is_structural, explanation, evidence from gates
where candidate_id = any(cast(:candidate_ids as bigint[])) order by candidate_id, ordinal
""")
_FINDINGS = text("""
select judgment_id, dimension, severity, source_quote, target_quote, reason, fix,
       source_start, source_end, candidate_start, candidate_end
from findings where judgment_id = any(cast(:judgment_ids as bigint[])) order by judgment_id, ordinal
""")
_HISTORY = text("""
select l.at, l.event, coalesce(l.from_status, '') as from_status, coalesce(l.to_status, '') as to_status,
       coalesce(p.name, l.actor) as actor, coalesce(l.code, '') as code, l.note, l.source_revision, l.turn,
       l.cost_micros
from item_log l left join people p using (person_id)
where l.item_id = :item_id order by l.log_id desc limit 100
""")
_BEFORE = text("""
select a.source_text, c.text from approvals a join candidates c using (candidate_id)
where a.item_id = :item_id and a.revoked_at is null and a.source_revision < :source_revision
order by a.approval_id desc limit 1
""")
_PUBLISHED = text("select text from publications where item_id = :item_id and superseded_at is null")


def texts(connection: Connection, item_id: int) -> Any:
    return connection.execute(_TEXTS, {"item_id": item_id}).one()


def candidates(connection: Connection, item_id: int) -> list[Any]:
    """Return up to 20 candidates, newest first; the item's own is always among them, the others share
    `OTHERS_MOST_BYTES`."""
    return list(connection.execute(_CANDIDATES, {"item_id": item_id, "most_bytes": OTHERS_MOST_BYTES}))


def judgments(connection: Connection, candidate_ids: Sequence[int]) -> list[Any]:
    return list(connection.execute(_JUDGMENTS, {"candidate_ids": list(candidate_ids)}))


def gates(connection: Connection, candidate_ids: Sequence[int]) -> list[Any]:
    return list(connection.execute(_GATES, {"candidate_ids": list(candidate_ids)}))


def findings(connection: Connection, judgment_ids: Sequence[int]) -> list[Any]:
    return list(connection.execute(_FINDINGS, {"judgment_ids": list(judgment_ids)}))


def history(connection: Connection, item_id: int) -> list[Any]:
    """Return the newest 100 entries of an item's log."""
    return list(connection.execute(_HISTORY, {"item_id": item_id}))


def approved_before(connection: Connection, item_id: int, source_revision: int) -> tuple[str, str]:
    """Return (source, text) of the newest approval of an earlier revision; empty strings for none."""
    row = connection.execute(_BEFORE, {"item_id": item_id, "source_revision": source_revision}).first()
    return (row.source_text, row.text) if row else ("", "")


def published_text(connection: Connection, item_id: int) -> str:
    return connection.execute(_PUBLISHED, {"item_id": item_id}).scalar() or ""
