"""``draftgate scheduler …``: run schedulers and workers, tick by hand."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from scheduler_service import serving
from scheduler_service.cli.exits import Exit, explained
from scheduler_service.settings import SchedulerSettings
from scheduler_service.store.engine import Database
from translator_service.foundation import logs


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="The draftgate.toml to read."),
        click.option("--grpc-bind", metavar="HOST:PORT", help="Where gRPC listens (127.0.0.1:50051)."),
        click.option("--http-bind", metavar="HOST:PORT", help="Where health and metrics listen (127.0.0.1:8051)."),
        click.option("--translator-address", metavar="HOST:PORT", help="The translator (127.0.0.1:50061)."),
        click.option("--concurrency", type=int, help="Items worked on side by side (4)."),
        click.option("--lease-seconds", type=float, help="How long a claim holds without renewal (120)."),
    ):
        command = option(command)
    return command


@click.group()
def scheduler() -> None:
    """The scheduler: owns the database, hands out work, pays and keeps the books."""


@scheduler.command()
@_options
def serve(**flags: Any) -> None:
    """Answer the review site and other services; does no work of its own."""
    _run(flags, serves=True, works=False)


@scheduler.command()
@_options
def work(**flags: Any) -> None:
    """Work on due items. Any number of these can run side by side."""
    _run(flags, serves=False, works=True)


@scheduler.command("all")
@_options
def serve_and_work(**flags: Any) -> None:
    """Serve and work in one process."""
    _run(flags, serves=True, works=True)


@scheduler.command()
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="The draftgate.toml to read.")
def tick(config: Path | None) -> None:
    """Do once what a scheduler does each minute: for those who prefer cron. Prints the counts as JSON."""
    with explained():
        settings = SchedulerSettings.load(config_file=config)
        swept = serving.sweep_all(Database(settings.database_url.get_secret_value()))
        click.echo(json.dumps({"swept": asdict(swept)}))


def _run(flags: dict[str, Any], *, serves: bool, works: bool) -> None:
    logs.configure("scheduler")
    config = flags.pop("config")
    with explained():
        settings = SchedulerSettings.load(flags, config_file=config)
        has_ended = serving.run(settings, serves=serves, works=works, announce=_announce)
    if not has_ended:
        # The interpreter would wait for the thread that hangs; whoever stopped us would kill us meanwhile.
        os._exit(int(Exit.DONE))


def _announce(running: serving.Running) -> None:
    click.echo(f"scheduler ready: grpc {running.grpc_port} http {running.http_port}")
    sys.stdout.flush()
