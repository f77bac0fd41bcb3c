"""Runs the gates on a text that a person wrote, before any transaction is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from scheduler_service.domain.items import CORRECTABLE, WRITABLE
from scheduler_service.errors import Reason, Refused
from scheduler_service.store import decisions, sites, work
from scheduler_service.store.candidates import GateRow
from scheduler_service.store.engine import Database


@dataclass(frozen=True, slots=True)
class Words:
    """The glossary in force: its version (empty for none), the rows of its terms, what must not appear."""

    version: str
    terms: Sequence[Any]
    forbidden_terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class Rechecked:
    gates: list[GateRow]
    glossary_version: str


# (item row, glossary, text) to what the gates say; raises Refused CHECK_UNAVAILABLE.
RunGates = Callable[[Any, Words, str], Sequence[GateRow]]


class Recheck:
    """What the deterministic gates say of a person's text for an item as it is now."""

    def __init__(self, database: Database, run_gates: RunGates) -> None:
        self._database = database
        self._run_gates = run_gates

    def __call__(self, item_id: int, version: int, text: str) -> Rechecked:
        """Return the gates' say.

        Raises:
            Refused: VERSION_CONFLICT when the item has moved on, NOTHING_TO_DECIDE when nothing can be written
                for it now, CHECK_UNAVAILABLE without a translator.
        """
        def look(connection: Connection) -> tuple[Any, Words]:
            item = decisions.look(connection, item_id)
            if item is None or item.version != version:
                raise Refused(
                    Reason.VERSION_CONFLICT, "Somebody or something changed this item meanwhile. Look again", "version")
            if item.status not in WRITABLE | CORRECTABLE:
                raise Refused(Reason.NOTHING_TO_DECIDE, "This item doesn't wait for such a decision now")
            glossary = sites.current_glossary(connection, item.site_id, item.target_locale)
            terms = work.glossary_terms(connection, item.site_id, item.target_locale, glossary.version)
            return item, Words(glossary.version, terms, glossary.forbidden_terms)

        item, words = self._database.snapshot(look)
        return Rechecked(list(self._run_gates(item, words, text)), words.version)
