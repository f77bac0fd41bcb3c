"""The command line of the translator: ``draftgate translator …``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from translator_service import serving
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import PortInUse, split_bind
from translator_service.foundation.settings import SettingsError
from translator_service.settings import TranslatorSettings

EXIT_CONFIGURATION = 2
EXIT_PORT_IN_USE = 10


@click.group()
def translator() -> None:
    """The translator service: plans, generates, judges and checks."""


@translator.command()
@click.option("--grpc-bind", metavar="HOST:PORT", help="Where gRPC listens (127.0.0.1:50061; port 0 takes a free one).")
@click.option("--http-bind", metavar="HOST:PORT", help="Where health and metrics listen (127.0.0.1:8061).")
@click.option("--offline-threads", type=int, help="Threads of the offline engine (2).")
@click.option("--offline-journal", type=click.Path(path_type=Path, dir_okay=False), help="File that gets a line, without content, for each generation begun by the offline engine.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="The draftgate.toml to read.")
def serve(config: Path | None, **flags: object) -> None:
    """Serve until stopped. SIGTERM lets running calls end first.

    Prints one line with the ports once they answer. Exit codes: 2 a setting is wrong, 10 a port is in use.
    """
    logs.configure("translator")
    try:
        settings = TranslatorSettings.load(flags, config_file=config)
        serving.run(settings, lambda running: _announce(settings, running))
    except SettingsError as error:
        click.echo(f"draftgate: {error}", err=True)
        sys.exit(EXIT_CONFIGURATION)
    except PortInUse as error:
        click.echo(f"draftgate: {error}", err=True)
        sys.exit(EXIT_PORT_IN_USE)


def _announce(settings: TranslatorSettings, running: serving.Running) -> None:
    grpc_host, http_host = split_bind(settings.grpc_bind)[0], split_bind(settings.http_bind)[0]
    click.echo(f"translator ready: grpc {grpc_host}:{running.grpc_port} http {http_host}:{running.http_port}")
    sys.stdout.flush()
