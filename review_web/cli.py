"""The ``draftgate review`` commands."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click

from review_web.config import ReviewSettings
from review_web.extension import PagesError, load_pages
from review_web.serving import serve as serve_site
from translator_service.foundation.grpc_plumbing import PortInUse
from translator_service.foundation.settings import SettingsError

EXIT_SETTINGS = 2
EXIT_PORT_IN_USE = 10


@click.group()
def review() -> None:
    """The review site."""


@review.command()
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="The draftgate.toml to read.")
@click.option("--bind", metavar="HOST:PORT", help="Where to listen (DRAFTGATE_REVIEW_BIND).")
@click.option("--scheduler-address", metavar="HOST:PORT", help="Where the scheduler's gRPC port is.")
@click.option("--base-url", metavar="URL", help="How browsers reach the site.")
@click.option("--threads", type=int, help="Requests answered at once by a worker.")
@click.option("--workers", type=int, help="Processes.")
def serve(config: Path | None, **flags: object) -> None:
    """Serve the site under gunicorn until a signal ends it.

    Exit code 2: a setting is wrong. Exit code 10: the port is taken.
    """
    try:
        settings = ReviewSettings.load(flags, config_file=config)
        load_pages()
        serve_site(settings)
    except (SettingsError, PagesError) as error:
        raise _Ends(str(error), EXIT_SETTINGS) from None
    except PortInUse as error:
        raise _Ends(str(error), EXIT_PORT_IN_USE) from None


class _Ends(click.ClickException):
    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def show(self, file: IO[str] | None = None) -> None:
        """Say it as the other commands do."""
        click.echo(f"draftgate: {self.message}", err=True)
