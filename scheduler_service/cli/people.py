"""``draftgate people …``: the first way in, and tokens for services. Needs the database itself."""

from __future__ import annotations

from pathlib import Path

import click

from scheduler_service.cli.exits import Exit, Stop, explained
from scheduler_service.domain.authority import EVERY_SITE, NOBODY, Role
from scheduler_service.operations import sign_in
from scheduler_service.settings import SchedulerSettings
from scheduler_service.store.engine import Database

# The roles of people; `service` is for tokens.
_HUMAN = [role.value for role in Role if role is not Role.SERVICE]
_CONFIG = click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="The draftgate.toml to read.")


@click.group()
def people() -> None:
    """Who may come in."""


@people.command("first-admin")
@_CONFIG
def first_admin(config: Path | None) -> None:
    """Print a one-time link with which the first admin signs in. Refused once there is one."""
    with explained():
        settings = SchedulerSettings.load(config_file=config)
        token = sign_in.first_admin_link(Database(settings.database_url.get_secret_value()))
        if token is None:
            raise Stop(Exit.NOT_ALLOWED, "There is an admin already. Ask them for an invitation")
        click.echo(sign_in.link_url(settings.review_url, token, is_first=True))


@people.command()
@click.argument("name")
@click.option("--role", "roles", multiple=True, type=click.Choice(_HUMAN), required=True)
@click.option("--site", default=EVERY_SITE, help="The site they may work on; '*' for every site.")
@_CONFIG
def invite(name: str, roles: tuple[str, ...], site: str, config: Path | None) -> None:
    """Print a one-time link for NAME, who is made when new and gets the roles."""
    with explained():
        settings = SchedulerSettings.load(config_file=config)
        database = Database(settings.database_url.get_secret_value())
        token, _expires_at = sign_in.invite(database, NOBODY, name, [(site, Role(role)) for role in roles])
        click.echo(sign_in.link_url(settings.review_url, token))


@people.command()
@click.argument("name")
@click.option("--role", "roles", multiple=True, type=click.Choice([role.value for role in Role]), required=True)
@click.option("--site", default=EVERY_SITE, help="The site it may work on; '*' for every site.")
@_CONFIG
def token(name: str, roles: tuple[str, ...], site: str, config: Path | None) -> None:
    """Print a new token for the service NAME, shown only once; an older one of this name ends."""
    with explained():
        settings = SchedulerSettings.load(config_file=config)
        database = Database(settings.database_url.get_secret_value())
        click.echo(sign_in.issue_service_token(database, name, [(site, Role(role)) for role in roles]))
