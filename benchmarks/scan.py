"""Measures a scan of 12,000 fields: new, and again unchanged; time, WAL and dead rows, as the median of some runs.

    python benchmarks/scan.py [--pages 500] [--fields 6] [--locales 4] [--runs 3] [--json]

Starts a PostgreSQL of its own in a folder that is removed afterwards; the shape is that of a site of 500 pages with
six fields in four languages. Compare ratios within one run: the machine may be busy.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from sqlalchemy import text

from scheduler_service.domain.authority import NOBODY
from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.operations.configure import put_site
from scheduler_service.operations.scan import SourceField, SourcePage, scan_pages
from scheduler_service.store.engine import Database
from scheduler_service.store.migrating import upgrade

LOCALES = ("pt-BR", "de", "fr", "es", "it", "nl")


def one(database: Database, query: str) -> int:
    return database.read(lambda connection: connection.execute(text(query)).scalar_one())


def measure(database: Database, site_id: str, pages: list[SourcePage], locales: tuple[str, ...]) -> dict[str, float]:
    """Scan all locales once; return milliseconds, megabytes of WAL and dead rows in the items."""
    before = one(database, "select pg_current_wal_insert_lsn() - '0/0'")
    began = time.monotonic()
    for locale in locales:
        scan_pages(database, site_id=site_id, target_locale=locale, pages=pages, is_complete=True)
    took = time.monotonic() - began
    written = one(database, "select pg_current_wal_insert_lsn() - '0/0'") - before
    dead = one(database, "select pg_stat_get_dead_tuples('items'::regclass)")
    return {"ms": took * 1_000, "wal_mb": float(written) / 1e6, "dead_rows": dead}


def run(arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the medians of ``new`` and ``unchanged``."""
    pages = [
        SourcePage(f"page {page}.md", [
            SourceField(f"field {field}", f"Text {field} of page {page}. " * 8, position=field)
            for field in range(arguments.fields)])
        for page in range(arguments.pages)
    ]
    locales = LOCALES[:arguments.locales]
    found: dict[str, list[dict[str, float]]] = {"new": [], "unchanged": []}
    with tempfile.TemporaryDirectory() as folder, EmbeddedPostgres(Path(folder) / "data") as server:
        upgrade(server.url())
        database = Database(server.url(), pool_size=2)
        for number in range(arguments.runs):
            site_id = f"site-{number}"
            put_site(database, NOBODY, site_id=site_id, name=site_id, source_locale="en", target_locales=locales,
                     credential="offline")
            found["new"].append(measure(database, site_id, pages, locales))
            found["unchanged"].append(measure(database, site_id, pages, locales))
        database.close()
    return {
        what: {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}
        for what, runs in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--pages", 500), ("--fields", 6), ("--locales", 4), ("--runs", 3)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    result = run(arguments)
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{arguments.pages * arguments.fields * arguments.locales} fields in {arguments.locales} scans")
    for what, values in result.items():
        print(f"  {what:<10}{values['ms']:>8.0f} ms{values['wal_mb']:>8.2f} MB WAL{values['dead_rows']:>8.0f} dead rows")


if __name__ == "__main__":
    main()
