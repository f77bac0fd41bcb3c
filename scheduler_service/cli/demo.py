"""``draftgate demo``: everything on this machine, with nothing to configure."""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib.resources import files
from pathlib import Path
from threading import Event

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from scheduler_service.answers import ItemSummary
from scheduler_service.answers_operations import GetStatusResponse
from scheduler_service.cli.exits import Exit, Stop, content_code, explained
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.content.values import ContentError
from scheduler_service.embedded.demo import BrokenContent, Demo, PairNotConfigured, is_done, moved
from scheduler_service.embedded.installation import Installation, Interrupted, NotReady
from scheduler_service.errors import SchedulerError
from translator_service.foundation import logs
from translator_service.foundation.locales import LocaleError, canonical


@click.command()
@click.option("--content", type=click.Path(path_type=Path), help="Folder with Markdown, JSON strings, PO or dialogue files. Without it: the example site.")
@click.option("--source", default="en", show_default=True, help="Locale of the content.")
@click.option("--target", default="pt-BR", show_default=True, help="Locale to translate into.")
@click.option("--data", "data_folder", type=click.Path(path_type=Path, file_okay=False), default=Path(".draftgate"), show_default=True, help="Folder for the database, logs and exports, outside of the content; a second start continues there.")
@click.option("--port", default=8080, show_default=True, help="Port of the review site.")
@click.option("--credential", default="offline", show_default=True, help="Credential profile of draftgate.toml that translates and judges.")
@click.option("--once", is_flag=True, help="End when no work is left.")
@click.option("--json", "as_json", is_flag=True, help="With --once: the last line is one JSON object.")
def demo(
    content: Path | None, source: str, target: str, data_folder: Path, port: int, credential: str, once: bool,
    as_json: bool,
) -> None:
    """Translate a folder, review it in the browser, publish, and get translated files back.

    Starts PostgreSQL, scheduler, translator and review site in one data folder. Ctrl-C stops everything; a
    second start continues. Published files appear in the folder export below the data folder.
    """
    console = Console(stderr=True)
    stopping = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    with explained():
        demo_run = _prepare(content, source, target, data_folder, port, credential, stopping)
        try:
            with console.status("starting PostgreSQL, translator, scheduler and review site"):
                scan = demo_run.start()
            fields = sum(len(page.fields) for page in scan.pages)
            console.print(f"{len(scan.pages)} files with {fields} fields, {source} → {target}")
            console.print(f"Review: {demo_run.installation.sign_in_link()}", soft_wrap=True)
            console.print("The link signs you in once. Ctrl-C stops everything.")
            _follow(demo_run, console, once=once, as_json=as_json)
        except BrokenContent as broken:
            raise Stop(content_code(broken.errors), "\n".join(map(_content_message, broken.errors))) from None
        except ContentError as error:
            raise Stop(content_code([error]), _content_message(error)) from None
        except PairNotConfigured as error:
            raise Stop(Exit.PAIR_NOT_CONFIGURED, f"{source} → {target} can't be translated: {error.remedy}") from None
        except NotReady as error:
            raise Stop(Exit.ERROR, f"{error}. Nothing more was started") from None
        except Interrupted:
            raise Stop(Exit.INTERRUPTED, "it was stopped before everything had started. Start it again") from None
        finally:
            demo_run.installation.stop()


def _prepare(
    content: Path | None, source: str, target: str, data_folder: Path, port: int, credential: str, stopping: Event
) -> Demo:
    logs.configure("demo", level=40)
    try:
        source_locale, target_locale = canonical(source), canonical(target)
    except LocaleError as error:
        raise Stop(Exit.UNKNOWN_LOCALE, f"{error}") from None
    if source_locale == target_locale:
        raise Stop(Exit.USAGE, "--target: it is the same as --source. Name the locale to translate into")
    folder = content or example_site()
    if not os.path.isdir(folder):
        raise Stop(Exit.BAD_CONTENT, f"--content: {folder} is not a folder. Name the folder that holds the files")
    _require_apart(folder, data_folder)
    installation = Installation(data_folder.absolute(), review_port=port, stopping=stopping)
    return Demo(installation, FolderSource(folder, source_locale), target_locale, credential)


def _require_apart(content: Path, data: Path) -> None:
    """Let pass folders of which neither lies in the other: files that the database writes would be content, and what
    is exported a change of the source."""
    real_content, real_data = Path(os.path.realpath(content)), Path(os.path.realpath(data))
    if real_data.is_relative_to(real_content):
        problem, remedy = f"lies in the content folder {real_content}", real_content.parent / ".draftgate"
    elif real_content.is_relative_to(real_data):
        problem, remedy = f"holds the content folder {real_content}", real_data / ".draftgate"
    else:
        return
    raise Stop(Exit.USAGE, f"--data: {real_data} {problem}. Name a folder outside of the content, such as {remedy}")


def example_site() -> Path:
    """Return the folder of the example site: in a checkout, or shipped inside the package."""
    checkout = Path(__file__).resolve().parents[2] / "examples" / "community-site"
    return checkout if checkout.is_dir() else Path(str(files("scheduler_service") / "examples" / "community-site"))


def _follow(demo_run: Demo, console: Console, *, once: bool, as_json: bool) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = False
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("translating and judging", total=None)

        def show(status: GetStatusResponse) -> None:
            nonlocal shown
            done, total = moved(status)
            progress.update(bar, completed=done, total=total)
            if not shown and done == total:
                _print_fields(demo_run.fields(), console)
                shown = True

        status = demo_run.follow(show, until_done=once) or demo_run.status()
    if not shown:
        _print_fields(demo_run.fields(), console)
    problems = _export(demo_run, console)
    if as_json:
        click.echo(json.dumps(_summary(status, demo_run.export_folder)))
        sys.stdout.flush()
    if problems:
        raise Stop(Exit.ERROR, "\n".join(problems))
    if once and not is_done(status):
        raise Stop(Exit.INTERRUPTED, "it was stopped with work left. A second start continues")


def _export(demo_run: Demo, console: Console) -> list[str]:
    """Write the published files and tell how many there are; return what is wrong."""
    try:
        exported = demo_run.export()
    except ContentError as error:
        return [_content_message(error)]
    except SchedulerError:
        return ["the scheduler didn't answer, so nothing was exported. Start the demo again"]
    count = len(exported.files.written)
    told = f"{count} finished {'file' if count == 1 else 'files'} in {demo_run.export_folder}"
    if exported.outdated:
        told += f"; published texts left out, since their source has changed: {exported.outdated}"
    console.print(told, soft_wrap=True)
    return [_content_message(error) for error in exported.files.errors]


def _print_fields(fields: list[ItemSummary], console: Console) -> None:
    """Print one line a field. A column of offline estimates says so in its heading, a mixed one in each cell."""
    all_estimated = all(item.is_offline_estimate for item in fields if item.score is not None)
    table = Table(title="What became of every field", box=box.SIMPLE)
    table.add_column("page", overflow="fold")
    table.add_column("field", overflow="fold")
    table.add_column("status", no_wrap=True)
    table.add_column("offline estimate" if all_estimated else "score", justify="right")
    table.add_column("why")
    for item in fields:
        table.add_row(
            item.key.page_id, item.label, item.status.value.replace("_", " "), _score(item, all_estimated),
            ", ".join(item.reasons).replace("_", " ") or item.last_error_code,
        )
    console.print(table)


def _score(item: ItemSummary, all_estimated: bool) -> str:
    if item.score is None:
        return ""
    return f"{item.score:.1f}" + (" (offline estimate)" if item.is_offline_estimate and not all_estimated else "")


def _summary(status: GetStatusResponse, export: Path) -> dict[str, object]:
    return {
        "by_status": {count.status.value: count.count for count in status.by_status},
        "by_work_state": {count.work_state.value: count.count for count in status.by_work_state},
        "export": str(export),
    }


def _content_message(error: ContentError) -> str:
    where = f"{error.path}:{error.line}" if error.line else error.path
    return f"{where}: {error.problem}. {error.remedy}"
