"""``draftgate database …``: bring a database to this release's schema."""

from __future__ import annotations

from pathlib import Path

import click

from scheduler_service.cli.exits import explained
from scheduler_service.settings import SchedulerSettings
from scheduler_service.store import migrating


@click.group()
def database() -> None:
    """The database's schema."""


@database.command()
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="The draftgate.toml to read.")
def upgrade(config: Path | None) -> None:
    """Bring the database to this release's schema; repeatable."""
    with explained():
        settings = SchedulerSettings.load(config_file=config)
        revision = migrating.upgrade(settings.database_url.get_secret_value())
        click.echo(f"database is at schema {revision}")
