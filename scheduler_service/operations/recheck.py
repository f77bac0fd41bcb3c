"""Runs the gates on a text that a person wrote, before any transaction is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scheduler_service.errors import Reason, Refused
from scheduler_service.store import decisions, sites, work
from scheduler_service.store.candidates import GateRow
from scheduler_service.store.engine import Database

# (item row, glossary version, its terms, text) to what the gates say; raises Refused CHECK_UNAVAILABLE.
RunGates = Callable[..., Sequence[GateRow]]


class Recheck:
    """What the deterministic gates say of a person's text for an item as it is now."""

    def __init__(self, database: Database, run_gates: RunGates) -> None:
        self._database = database
        self._run_gates = run_gates

    def __call__(self, item_id: int, version: int, text: str) -> list[GateRow]:
        """Return the gates' say.

        Raises:
            Refused: VERSION_CONFLICT when the item has moved on, CHECK_UNAVAILABLE without a translator.
        """
        def look(connection):  # type: ignore[no-untyped-def]
            item = decisions.lock(connection, item_id)
            if item is None:
                return None, "", []
            glossary = sites.current_glossary(connection, item.site_id, item.target_locale)
            return item, glossary, work.glossary_terms(connection, item.site_id, item.target_locale, glossary)

        item, glossary, terms = self._database.snapshot(look)
        if item is None or item.version != version:
            raise Refused(
                Reason.VERSION_CONFLICT, "Somebody or something changed this item meanwhile. Look again", "version")
        return list(self._run_gates(item, glossary, terms, text))
