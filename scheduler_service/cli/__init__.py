"""The ``draftgate`` command: groups of verbs, found by the entry points ``draftgate.commands``."""

from __future__ import annotations

from importlib.metadata import entry_points

import click

from scheduler_service.cli.exits import version


class _Commands(click.Group):
    """Loads a group only when it is used: `draftgate translator serve` needs no database driver."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({point.name for point in entry_points(group="draftgate.commands")})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for point in entry_points(group="draftgate.commands", name=cmd_name):
            return point.load()
        return None


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="draftgate")
def main() -> None:
    """Draftgate: a guarded AI translation pipeline.

    `draftgate demo` starts everything on this machine with nothing to configure.
    """
